package desktop_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/desktop"
)

// program writes a stand-in for osascript, which keeps its input and arguments.
func program(t *testing.T, then string) (path, folder string) {
	t.Helper()
	folder = t.TempDir()
	path = filepath.Join(folder, "osascript")
	text := "#!/bin/sh\ncat >" + folder + "/input\nfor a in \"$@\"; do printf '%s\\0' \"$a\"; done >" + folder + "/arguments\n" + then + "\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, folder
}

func read(t *testing.T, path string) string { return string(testutil.Read(t, path)) }

// TestScript: title and text are arguments, and nothing of them is in the
// script.
func TestScript(t *testing.T) {
	path, folder := program(t, "exit 0")
	channel := desktop.New(desktop.Config{}, desktop.Options{System: "darwin", Script: path})
	if _, ok := channel.(notify.Listener); ok {
		t.Error("it says that it has buttons")
	}
	var scripts []string
	for _, m := range []notify.Message{
		{Title: "Backup failed", Text: "Open the log"},
		{Title: `" & (do shell script "id") & "`, Text: "-e\nend run\x00\xff"},
		{Title: "-l JavaScript"},
	} {
		if _, err := channel.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, read(t, folder+"/input"))
		arguments := strings.Split(read(t, folder+"/arguments"), "\x00")
		text := strings.TrimSuffix(m.Text, "\x00\xff")
		if len(arguments) != 4 || arguments[0] != "-" || arguments[1] != m.Title || arguments[2] != text {
			t.Errorf("arguments %q", arguments)
		}
	}
	if scripts[0] != scripts[1] || scripts[0] != scripts[2] || !strings.Contains(scripts[0], "on run argv") {
		t.Errorf("scripts %q", scripts)
	}
}

func TestScriptTroubles(t *testing.T) {
	refusing, _ := program(t, "exit 1")
	channel := func(path string) notify.Notifier {
		return desktop.New(desktop.Config{}, desktop.Options{System: "darwin", Script: path})
	}
	_, err := channel(refusing).Send(t.Context(), message("1"))
	trouble(t, err, notify.Unavailable, "allow notifications")
	_, err = channel(filepath.Join(t.TempDir(), "none")).Send(t.Context(), message("1"))
	trouble(t, err, notify.Unavailable, "cannot be run")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = channel(refusing).Send(over, message("1"))
	trouble(t, err, notify.Unavailable, "in time")

	// It has begun, and nobody knows how far it came.
	fifo, folder := program(t, "exec sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan error)
	go func() {
		_, err := channel(fifo).Send(ctx, message("1"))
		result <- err
	}()
	testutil.Until(t, "it has happened", func() bool {
		_, err := os.Stat(folder + "/arguments")
		return err == nil
	})
	cancel()
	trouble(t, <-result, notify.Unknown, "in time")
}
