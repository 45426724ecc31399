package notifytest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

func recovers(ctx context.Context, d Driver, s Service) error {
	if err := says(d, send(ctx, d, s, example(1)), notify.Unavailable); err != nil {
		return err
	}
	s.Fail(Healthy)
	if err := send(ctx, d, s, example(2)); err != nil {
		return fmt.Errorf("when the service was there again: %w", err)
	}
	_, err := received(s, 1)
	return err
}

// sending sends in the background.
func sending(ctx context.Context, s Service) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := s.Notifier.Send(ctx, example(1))
		done <- err
	}()
	return done
}

// brokenOff wants a Send that was broken off to return, and to say that the
// message may have arrived.
func brokenOff(d Driver, done <-chan error) error {
	err, ended := ending(d, done)
	if !ended {
		return errors.New("it goes on after its context ended")
	}
	return says(d, err, notify.Unknown)
}

// ending waits for what is done in the background.
func ending(d Driver, done <-chan error) (err error, ended bool) {
	timer := time.NewTimer(d.wait())
	defer timer.Stop()
	select {
	case err := <-done:
		return err, true
	case <-timer.C:
		return nil, false
	}
}

// until polls for what comes from outside.
func until(ctx context.Context, d Driver, what string, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, d.wait())
	defer cancel()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return errors.New("it did not happen that " + what)
		}
	}
	return nil
}

func isCancelled(ctx context.Context, d Driver, s Service) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := sending(ctx, s)
	if err := until(ctx, d, "the message reached the service", func() bool { return s.Requests() > 0 }); err != nil {
		return err
	}
	cancel()
	return brokenOff(d, done)
}

func keepsDeadline(ctx context.Context, d Driver, s Service) error {
	// The first may spend the time of others on connecting: what counts is one
	// that has arrived.
	for wait := 100 * time.Millisecond; wait < d.wait(); wait *= 2 {
		before := s.Requests()
		short, cancel := context.WithTimeout(ctx, wait)
		done := sending(short, s)
		<-short.Done()
		cancel()
		if s.Requests() > before {
			return brokenOff(d, done)
		}
		if err := returned(d, done); err != nil {
			return err
		}
	}
	return errors.New("no message reached the service")
}

func returned(d Driver, done <-chan error) error {
	if _, ended := ending(d, done); !ended {
		return errors.New("it goes on after its deadline")
	}
	return nil
}

// readsLittle: an answer without an end is left before the deadline comes.
func readsLittle(ctx context.Context, d Driver, s Service) error {
	ctx, cancel := context.WithTimeout(ctx, d.wait())
	defer cancel()
	_, err := s.Notifier.Send(ctx, example(1))
	switch {
	case ctx.Err() != nil:
		return errors.New("it reads an answer that does not end until its deadline")
	case err == nil:
		return nil
	}
	return says(d, err, notify.Unknown)
}

func bearsGarbage(ctx context.Context, d Driver, s Service) error {
	if err := send(ctx, d, s, example(1)); err != nil {
		return says(d, err, notify.Unknown)
	}
	return nil
}

// takesAnswers: what is pressed is handed on, also after garbage and when the
// connection broke, and listening ends with its context.
func takesAnswers(ctx context.Context, d Driver, s Service) error {
	l, ok := s.Notifier.(notify.Listener)
	if s.Press == nil {
		return nil
	}
	if !ok {
		return errors.New("answers come back, but it does not listen")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tokens, done := make(chan string, 64), make(chan error, 1)
	take := func(_ context.Context, token string) {
		select {
		case tokens <- token:
		default:
		}
	}
	go func() { done <- l.Listen(ctx, take, func(error) {}) }()
	press := func(token string) error { return pressed(ctx, d, s, tokens, token) }
	if err := press("first-" + strings.Repeat("Ab-_", 20)); err != nil {
		return err
	}
	for _, garbage := range []string{strings.Repeat("x", 1<<20), "{}", "\x00\xff", "a b\r\nc"} {
		// A service may refuse to hand it on.
		_ = s.Press(garbage)
	}
	if err := press("second-" + strings.Repeat("Ab-_", 20)); err != nil {
		return fmt.Errorf("after garbage: %w", err)
	}
	if s.Break != nil {
		s.Break()
		if err := press("third-" + strings.Repeat("Ab-_", 20)); err != nil {
			return fmt.Errorf("after the connection broke: %w", err)
		}
	}
	cancel()
	return returned(d, done)
}

// pressed presses until the token came: a press while nobody listens is lost
// on some services.
func pressed(ctx context.Context, d Driver, s Service, tokens <-chan string, token string) error {
	ctx, cancel := context.WithTimeout(ctx, d.wait())
	defer cancel()
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for {
		if err := s.Press(token); err != nil {
			return fmt.Errorf("press: %w", err)
		}
		for again := false; !again; {
			select {
			case came := <-tokens:
				if came == token {
					return nil
				}
			case <-ticker.C:
				again = true
			case <-ctx.Done():
				return errors.New("what was pressed did not come back")
			}
		}
	}
}
