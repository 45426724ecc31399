package ntfy

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/notify"
)

const (
	// remembered is how many answers are known again when they come again.
	remembered = 1024
	// A stream is read as fast as it comes, but for a pause of pace whenever its
	// lines have cost burst: 1,000 signatures a second, and 50,000 lines that
	// cannot have one. So a hostile stream costs little, and holds no button back.
	burst     = 2500
	signature = 50
	pace      = 50 * time.Millisecond
	// Waits before the next connection, made uneven by chance.
	firstWait   = time.Second
	longestWait = 5 * time.Minute
	limitWait   = time.Minute      // where the server says that it is asked too often
	deniedWait  = 10 * time.Minute // where only a person can help
	deafWait    = time.Hour        // at most, whatever the server asks for
	// keepalive is how often a server sends a sign of life, as they do by
	// themselves; pollEvery how often one that cannot stream is asked.
	keepalive = 45 * time.Second
	pollEvery = time.Minute
	// steady is how long a connection lasts that is no sign of trouble.
	steady = 30 * time.Second
	// maxCut is how many short connections in a row are a trouble.
	maxCut = 3
	// After so many silent connections in a row the server is polled, for so
	// long: something on the way keeps streams back.
	maxSilent = 2
	pollFor   = time.Hour
	// probeEvery bounds how often it is tried whether phones may answer.
	probeEvery = time.Hour
)

// errSilent ends a connection on which nothing comes, not even a sign of life.
var errSilent = errors.New("nothing comes")

// Listen implements notify.Listener. Where there are no buttons it waits for
// the end. At its start it takes all answers behind the place of Keep that the
// server still has, so that what was pressed meanwhile is not lost. Its status is
// an *notify.Error.
func (c *Client) Listen(ctx context.Context, take func(ctx context.Context, token string), status func(error)) error {
	for place := c.told.place; c.Buttons() && ctx.Err() == nil; place = "" {
		topic, renewed := c.replies()
		until, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(renewed, cancel)
		l := &listening{client: c, topic: topic, take: take, status: status, since: "all", seen: map[string]bool{}}
		if messageID().MatchString(place) {
			l.since = place
		}
		l.run(until)
		stop()
		cancel()
	}
	<-ctx.Done()
	return nil
}

// Keep implements notify.Keeper. A place is the id of an answer.
func (c *Client) Keep(place string, strange func(), reached func(ctx context.Context, place string)) {
	c.told = told{place, strange, reached}
}

// listening is one Listen.
type listening struct {
	client *Client
	topic  string
	take   func(context.Context, string)
	status func(error)

	// last is the last answer, since the one from which on the server is asked
	// for more. Servers may send what is new before all of what is old, so that
	// since follows last only once a sign of life has shown that the old is sent.
	last, since string
	seen        map[string]bool // of the last answers

	failures int // connections in a row that failed
	cut      int // connections in a row that began well and soon ended
	silent   int // connections in a row on which nothing came
	polling  time.Time
	probed   time.Time
	unheard  error // phones may not answer
	shown    string
	told     bool
}

// run connects again and again.
func (l *listening) run(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		streams := !began.Before(l.polling)
		err := l.connect(ctx, streams)
		if ctx.Err() != nil {
			return
		}
		wait := pollEvery
		if streams || err != nil {
			wait = l.after(err, time.Since(began) >= steady)
		}
		if l.silent >= maxSilent {
			l.silent, l.polling, wait = 0, time.Now().Add(pollFor), 0
		}
		wake.Pause(ctx, uneven(wait))
	}
}

// after says how it fares after a connection, and how long to wait before the
// next one. A stream that ended by itself is nothing to speak of unless it
// happens again and again.
func (l *listening) after(err error, lasted bool) time.Duration {
	failure, failed := errors.AsType[*notify.Error](err)
	switch {
	case !failed && lasted:
		l.cut = 0
		return firstWait
	case !failed:
		if l.cut++; l.cut >= maxCut {
			l.tell(&notify.Error{Trouble: notify.Unavailable, Err: err, Text: l.client.host + " ends the connection for answers again and again",
				Next: "look at the server's log, and at what is between it and this machine"})
		}
		return longer(l.cut)
	}
	l.tell(failure)
	l.failures++
	if failure.Trouble == notify.Refused {
		return max(longer(l.failures), deniedWait)
	}
	return max(longer(l.failures), min(failure.After, deafWait))
}

// longer is the wait after so many failures in a row.
func longer(failures int) time.Duration {
	return min(firstWait<<min(failures-1, 20), longestWait)
}

// connect is one connection from its beginning to its end. An error that is
// no *notify.Error is the end of one that had begun well.
func (l *listening) connect(whole context.Context, streams bool) error {
	ctx, cancel := context.WithCancelCause(whole)
	defer cancel(nil)
	patience := 2 * keepalive
	watchdog := time.AfterFunc(patience, func() { cancel(errSilent) })
	defer watchdog.Stop()
	response, err := l.client.subscribe(ctx, l.topic, l.since, streams)
	if err != nil {
		return l.broken(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
		return l.client.denied(response, body)
	}
	began, well, fine, cost := time.Now(), false, false, 0
	stream := newEvents(response.Body)
	for {
		e, err := stream.next()
		switch {
		case errors.Is(err, io.EOF) && !streams:
			l.follow(whole)
			l.good(ctx)
			return nil
		case err != nil && well && !strange(err):
			return err
		case err != nil:
			return l.broken(ctx, err)
		}
		if streams && e.Event != "" {
			well, l.silent, l.failures = true, 0, 0
			if !fine && (l.cut < maxCut || time.Since(began) >= steady) {
				fine = true
				l.good(ctx)
			}
		}
		if cost += l.event(whole, e); cost >= l.client.burst {
			cost = 0
			wake.Pause(ctx, pace)
		}
		watchdog.Reset(patience)
	}
}

// event takes one line of a stream, and returns what that cost.
func (l *listening) event(ctx context.Context, e event) (cost int) {
	cost = 1
	switch {
	case e.passed:
		l.client.told.strange()
	case e.Event == eventKeepalive:
		l.follow(ctx)
	case e.Event != eventMessage || e.Topic != l.topic || l.seen[e.ID]:
	default:
		if token, ok := e.token(); ok {
			l.take(ctx, token)
			if len(token) == notify.TokenLength {
				cost = signature
			}
		} else if e.Message != probe {
			l.client.told.strange()
		}
		if ctx.Err() != nil {
			return cost // it may have been taken by half: it comes again
		}
		if l.last = e.ID; len(l.seen) == remembered {
			clear(l.seen) // an answer that comes again works no more
		}
		l.seen[e.ID] = true
	}
	return cost
}

// follow has since follow last.
func (l *listening) follow(ctx context.Context) {
	if l.last == "" || l.last == l.since {
		return
	}
	l.since = l.last
	l.client.told.reached(ctx, l.since)
}

// strange tells a stream that is none from one that broke.
func strange(err error) bool { return errors.Is(err, errEndless) || errors.Is(err, errGarbage) }

// broken says why a connection failed.
func (l *listening) broken(ctx context.Context, err error) *notify.Error {
	if failure, ok := errors.AsType[*notify.Error](err); ok {
		return failure
	}
	silent := errors.Is(context.Cause(ctx), errSilent)
	if timeout, ok := errors.AsType[net.Error](err); silent || ok && timeout.Timeout() {
		l.silent++
	}
	failure := l.client.unreached(err)
	switch {
	case strange(err):
		failure.Text = l.client.host + " sends " + err.Error() + " in the place of answers"
		failure.Next = "check that the url of the channel is that of an ntfy server"
		failure.After = limitWait
	case silent:
		failure.Text = "nothing comes over the connection to " + l.client.host + ", not even a sign of life"
		failure.Next = "look at what is between it and this machine: a proxy must not hold streams back"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		failure.Text = l.client.host + " ends the connection for answers before anything comes"
	}
	return failure
}

// good says that answers come, unless phones may not give any.
func (l *listening) good(ctx context.Context) {
	l.probe(ctx)
	l.tell(l.unheard)
}

// tell passes on how it fares, if that is news.
func (l *listening) tell(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if l.told && text == l.shown {
		return
	}
	l.told, l.shown = true, text
	l.status(err)
}

// probe tries whether phones may answer, where that is in doubt.
func (l *listening) probe(ctx context.Context) {
	due := l.probed.IsZero() || l.unheard != nil && time.Since(l.probed) >= probeEvery
	if !due || !l.client.signs() {
		return
	}
	err := l.client.CheckReplies(ctx)
	if failure, ok := errors.AsType[*notify.Error](err); ok && failure.Trouble != notify.Refused {
		return // nobody knows; the next connection tries again
	}
	l.probed, l.unheard = time.Now(), err
}

// uneven keeps many from asking at once: from half of a wait to all of it and
// a half.
func uneven(wait time.Duration) time.Duration {
	return wait/2 + time.Duration(rand.Float64()*float64(wait))
}
