package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/setup/initial"
)

// terminal asks the person who sits at it. With --json what is told goes to the
// standard error, so that the output stays JSON.
type terminal struct {
	app   *app
	lines *bufio.Reader
}

var _ initial.Person = (*terminal)(nil)

func (t *terminal) out() io.Writer {
	if t.app.json {
		return t.app.stderr
	}
	return t.app.stdout
}

// ask writes a question.
func (t *terminal) ask(question string) error {
	if _, err := io.WriteString(t.out(), question); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	return nil
}

// Say implements initial.Person.
func (t *terminal) Say(text string) {
	// A terminal that cannot be written to hears nothing.
	_, _ = io.WriteString(t.out(), screen.Paragraph(t.app.view(), text))
}

// Choose implements initial.Person.
func (t *terminal) Choose(ctx context.Context, question string, choices []initial.Choice, preset int) (int, error) {
	asked := screen.Draw(t.app.view(), "Question", choices, question)
	for {
		if err := t.ask(fmt.Sprintf("%sNumber, or Enter for %d: ", asked, preset+1)); err != nil {
			return 0, err
		}
		asked = ""
		line, err := t.line(ctx)
		if err != nil || line == "" {
			return preset, err
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(choices) {
			return n - 1, nil
		}
		for i, c := range choices {
			if strings.EqualFold(line, c.Name) {
				return i, nil
			}
		}
	}
}

// Text implements initial.Person.
func (t *terminal) Text(ctx context.Context, question, preset string) (string, error) {
	if preset != "" {
		question += " (Enter for " + preset + ")"
	}
	if err := t.ask(screen.Lines(question) + ": "); err != nil {
		return "", err
	}
	line, err := t.line(ctx)
	if err == nil && line == "" {
		line = preset
	}
	return line, err
}

// Secret implements initial.Person.
func (t *terminal) Secret(ctx context.Context, question string) (string, error) {
	if t.app.secret == nil {
		return "", errors.New("what is typed cannot be hidden here; name the key with --key-env or --key-file, the password with --mail-password-file")
	}
	if err := t.ask(screen.Lines(question) + " (it is not shown): "); err != nil {
		return "", err
	}
	text, err := t.wait(ctx, t.app.secret)
	_, _ = io.WriteString(t.out(), "\n")
	return text, err
}

// line reads what the person types. The end of the input is leaving.
func (t *terminal) line(ctx context.Context) (string, error) {
	if t.lines == nil {
		t.lines = bufio.NewReader(t.app.stdin)
	}
	text, err := t.wait(ctx, func() (string, error) { return t.lines.ReadString('\n') })
	if errors.Is(err, io.EOF) {
		return "", context.Canceled
	}
	return strings.TrimSpace(text), err
}

// wait reads, and waits no longer than the context lasts. A read that nobody
// waits for any more ends with the process.
func (t *terminal) wait(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := read()
		answers <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		// What is said next begins on a line of its own, behind the "^C".
		_, _ = io.WriteString(t.out(), "\n")
		return "", context.Canceled
	case a := <-answers:
		return a.text, a.err
	}
}

const (
	spinAfter = time.Second
	spinEvery = 120 * time.Millisecond
)

// spin shows that something takes long, on a terminal alone. The function that
// it returns takes the sign away and waits until it is gone.
func (a *app) spin(doing string) (stop func()) {
	if !a.errTerminal {
		return func() {}
	}
	return spin(a.bare.stderr, doing)
}

func spin(w io.Writer, doing string) (stop func()) {
	done := make(chan struct{})
	var gone sync.WaitGroup
	gone.Go(func() {
		timer := time.NewTimer(spinAfter)
		defer timer.Stop()
		select {
		case <-done:
			return
		case <-timer.C:
		}
		ticker := time.NewTicker(spinEvery)
		defer ticker.Stop()
		started := time.Now().Add(-spinAfter)
		for i := 0; ; i++ {
			frame := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")[i%10]
			// A terminal that cannot be written to shows no sign of life.
			_, _ = fmt.Fprintf(w, "\r%c %s, %d s ", frame, doing, int(time.Since(started).Seconds()))
			select {
			case <-done:
				_, _ = io.WriteString(w, "\r\x1b[K")
				return
			case <-ticker.C:
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		gone.Wait()
	})
}
