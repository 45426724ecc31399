package daemon

import (
	"fmt"
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/setup"
)

// NewLogger returns the logger that the configuration asks for: text on a
// terminal and JSON elsewhere, unless it says which. Secrets are taken out of
// every text before it is written.
func NewLogger(config setup.Log, out io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(config.Level)); err != nil {
		return nil, fmt.Errorf("log.level: %w", err)
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: redacted}
	format := config.Format
	if format == "auto" {
		format = "json"
		if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			format = "text"
		}
	}
	if format == "text" {
		return slog.New(slog.NewTextHandler(out, options)), nil
	}
	return slog.New(slog.NewJSONHandler(out, options)), nil
}

func redacted(_ []string, a slog.Attr) slog.Attr {
	switch value := a.Value.Resolve(); value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, redact.Text(value.String()))
	case slog.KindAny:
		if err, ok := value.Any().(error); ok {
			return slog.String(a.Key, redact.Text(err.Error()))
		}
	}
	return a
}
