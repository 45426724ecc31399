package service

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// LogQuery says which lines of the daemon are wanted.
type LogQuery struct {
	// Last is how many at most, of those there are; 0 is all.
	Last   int
	Follow bool
	// Since leaves out what is older; zero leaves out nothing.
	Since time.Time
}

// flags are those of a program that shows lines; a since of "" is one it lacks.
func (q LogQuery) flags(last, follow, since string) (flags []string) {
	if q.Last > 0 {
		flags = append(flags, last+strconv.Itoa(q.Last))
	} else if since == "" {
		flags = append(flags, last+"+1") // from the first on
	}
	if since != "" && !q.Since.IsZero() {
		flags = append(flags, since+strconv.FormatInt(q.Since.Unix(), 10))
	}
	if q.Follow {
		flags = append(flags, follow)
	}
	return flags
}

// unread is why there are no lines to be shown.
func unread(why string) error {
	return api.Errorf(api.CodeNotFound, "see whether it runs as a service: subconsciousctl service status; a daemon that was started by hand writes where it was started", "%s", why)
}

// maxLine is the longest line that is shown whole, in bytes; a longer one ends the
// showing.
const maxLine = 1 << 20

// Logs hands each line that the daemon wrote to show, until there are no more or
// the context is done.
func (s *Service) Logs(ctx context.Context, q LogQuery, show func(line []byte) error) error {
	argv, err := s.logs(q)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return fmt.Errorf("show the log: %w", err)
	}
	lines, seen := bufio.NewScanner(out), 0
	lines.Buffer(nil, maxLine)
	old := s.System == "darwin" && !q.Since.IsZero() // a file is read from its beginning
	for err == nil && lines.Scan() {
		r, ok := read(lines.Bytes())
		if old = old && (!ok || r.Time.Before(q.Since)); old {
			continue
		}
		seen++
		err = show(lines.Bytes())
	}
	if err != nil || lines.Err() != nil {
		_ = command.Process.Kill() // it has ended, or ends now
	}
	ended := command.Wait()
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	case lines.Err() != nil:
		return fmt.Errorf("show the log: %w", lines.Err())
	case ended != nil:
		return unread("the log cannot be read: " + firstOf(complaint.String(), ended.Error()))
	case seen == 0:
		return unread("there is no such line of the daemon in its log, or no log is kept here")
	}
	return nil
}

// read reads a line of JSON as the daemon writes it.
func read(line []byte) (slog.Record, bool) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return slog.Record{}, false
	}
	var r slog.Record
	var rest []slog.Attr
	for decoder.More() {
		key, err := decoder.Token()
		var value any
		if err == nil {
			err = decoder.Decode(&value)
		}
		if err != nil {
			return slog.Record{}, false
		}
		text, _ := value.(string)
		switch key {
		case slog.TimeKey:
			r.Time, err = time.Parse(time.RFC3339Nano, text)
		case slog.LevelKey:
			err = r.Level.UnmarshalText([]byte(text))
		case slog.MessageKey:
			r.Message = text
		default:
			rest = append(rest, slog.Any(fmt.Sprint(key), value))
		}
		if err != nil {
			return slog.Record{}, false
		}
	}
	r.AddAttrs(rest...)
	return r, !r.Time.IsZero()
}

// Text is a line as the daemon writes it on a terminal; what is no line of its log,
// such as what it says where it cannot start, stays as it is.
func Text(line []byte) string {
	r, ok := read(line)
	if !ok {
		return string(line) + "\n"
	}
	var b strings.Builder
	_ = slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.Level(-100)}).Handle(context.Background(), r) // a builder takes everything
	return b.String()
}
