package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// RunOnce thinks one tick, as if the person had asked for it, and prints its
// report as JSON. There is no schedule and no API meanwhile.
func RunOnce(ctx context.Context, options Options, out io.Writer) error {
	options.Unscheduled, options.NoSocket, options.Patient = true, true, true
	d, err := New(options)
	if err != nil {
		return err
	}
	if err := d.Start(ctx); err != nil {
		return err
	}
	report, err := d.think(ctx, tickWish{kind: subconscious.Manual})
	if err := errors.Join(err, d.Stop(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	printed := json.NewEncoder(out)
	printed.SetIndent("", "  ")
	return printed.Encode(report)
}
