package notifytest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

// verifies is a check of channels alone that can tell what arrived.
func verifies(run func(context.Context, Driver, Service) error) func(context.Context, Driver, Service) error {
	return func(ctx context.Context, d Driver, s Service) error {
		if _, ok := s.Notifier.(notify.Verifier); !ok {
			return nil
		}
		return run(ctx, d, s)
	}
}

// asks asks a channel within its time.
func asks(ctx context.Context, d Driver, s Service, m notify.Message, since time.Time) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, d.wait())
	defer cancel()
	return s.Notifier.(notify.Verifier).Arrived(ctx, m, since)
}

// sees wants a channel to say so of a message.
func sees(ctx context.Context, d Driver, s Service, m notify.Message, since time.Time, want bool) error {
	arrived, err := asks(ctx, d, s, m, since)
	switch {
	case err != nil:
		return fmt.Errorf("of %q it cannot tell whether it arrived: %w", m.Title, err)
	case arrived != want:
		return fmt.Errorf("of %q it says %t, and %t is true", m.Title, arrived, want)
	}
	return nil
}

// tellsArrived: what arrived is known, sent again too, and nothing else is.
func tellsArrived(ctx context.Context, d Driver, s Service) error {
	since := time.Now()
	for n := range 2 {
		if err := send(ctx, d, s, example(n)); err != nil {
			return err
		}
	}
	again := example(1)
	again.Title, again.Repeated = again.Title+" (possibly repeated)", true
	if err := send(ctx, d, s, again); err != nil {
		return err
	}
	for n, m := range []notify.Message{example(0), again, example(2), {Sequence: "f00", Kind: notify.KindDigest, Title: "Something else"}} {
		if err := sees(ctx, d, s, m, since, n < 2); err != nil {
			return err
		}
	}
	return nil
}

// tellsCut: of a message whose connection broke it tells what is true.
func tellsCut(ctx context.Context, d Driver, s Service) error {
	since := time.Now()
	if err := says(d, send(ctx, d, s, example(1)), notify.Unknown); err != nil {
		return err
	}
	s.Fail(Healthy)
	if err := send(ctx, d, s, example(2)); err != nil {
		return err
	}
	there := slices.ContainsFunc(s.Received(), func(r Received) bool { return shows(r, example(1)) })
	return sees(ctx, d, s, example(1), since, there)
}

// blind: while the service fails, nothing is said of what arrived.
func blind(ctx context.Context, d Driver, s Service, fault Fault) error {
	s.Fail(Healthy)
	since := time.Now()
	if err := send(ctx, d, s, example(1)); err != nil {
		return err
	}
	s.Fail(fault)
	if fault == Hangs {
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		ctx = short
	}
	for n := 1; n < 3; n++ {
		arrived, err := asks(ctx, d, s, example(n), since)
		if err == nil {
			return fmt.Errorf("of message %d it says %t, and cannot know", n, arrived)
		}
		if err := plainFailure(d, err); err != nil {
			return err
		}
	}
	return nil
}
