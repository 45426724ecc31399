package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// cutting passes on what is said to the socket of one folder to that of another, and
// cuts each connection but the first somewhere. It ends with the test.
func cutting(t *testing.T, from, to string, cuts int) {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(from, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { _ = listener.Close(); all.Wait() })
	random := rand.New(rand.NewPCG(15, 4))
	all.Go(func() {
		for n := 0; ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(to, "socket"))
			if err != nil { // it restarts
				_ = conn.Close()
				continue
			}
			length := int64(1) << 40
			if n <= cuts {
				length = 400 + random.Int64N(2000)
			}
			all.Go(func() { _, _ = io.Copy(server, conn); _ = server.Close() })
			all.Go(func() { _, _ = io.CopyN(conn, server, length); _ = conn.Close() })
		}
	})
}

// A stream that is cut 200 times, by a daemon that restarts meanwhile, loses no event
// and repeats none.
func TestFollowACutStream(t *testing.T) {
	const cuts, events = 200, 5000
	folder, far, m := testutil.Folder(t), testutil.Folder(t), apitest.Empty()
	serve := func() *api.Server {
		server, err := api.New(api.Options{Socket: filepath.Join(far, "socket"), Mind: m})
		if err == nil {
			err = server.Start(context.Background())
		}
		if err != nil {
			t.Error(err)
		}
		return server
	}
	server, c := serve(), newClient(t, folder)
	cutting(t, folder, far, cuts)
	done, broke, seen := errors.New("seen"), 0, int64(0)
	for n := range 50 {
		m.Happen(api.EventTick, fmt.Sprint(n))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	err := Follow(ctx, c, api.EventsQuery{Past: true}, func(e api.Event) error {
		if seen++; e.ID != seen || e.Kind != api.EventTick || e.Of != fmt.Sprint(seen-1) {
			t.Fatalf("%+v comes after %d", e, seen-1)
		}
		switch m.Happen(api.EventTick, fmt.Sprint(seen+49)); {
		case seen == events:
			return done
		case seen%1000 == 0:
			if err := server.Stop(ctx); err != nil {
				t.Error(err)
			}
			server = serve()
		}
		return nil
	}, func(error) { broke++ })
	if !errors.Is(err, done) {
		t.Errorf("it ends with %v after %d", err, seen)
	}
	if broke < cuts {
		t.Errorf("it was cut %d times", broke)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestFollowEnds(t *testing.T) {
	c, nobody := newClient(t, testutil.Folder(t)), (*Unreachable)(nil)
	if err := Follow(t.Context(), c, api.EventsQuery{}, nil, nil); !errors.As(err, &nobody) {
		t.Errorf("nobody is there: %v", err)
	}
	folder, m := testutil.Folder(t), apitest.Empty()
	m.Forgotten = 3
	m.Happen(api.EventPause, "")
	apitest.Serve(t, folder, m, api.Options{})
	c = newClient(t, folder)
	var kinds []api.EventKind
	if err := Follow(t.Context(), c, api.EventsQuery{Past: true, End: true}, func(e api.Event) error { kinds = append(kinds, e.Kind); return nil }, nil); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(kinds); got != "[reset pause]" {
		t.Errorf("it ends with the newest, after %s", got)
	}
	refused := (*api.Problem)(nil)
	if err := Follow(t.Context(), c, api.EventsQuery{After: -4}, nil, nil); !errors.As(err, &refused) {
		t.Errorf("an id that there cannot be: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := Follow(ctx, c, api.EventsQuery{Past: true}, func(api.Event) error { cancel(); return nil }, nil); err != nil {
		t.Errorf("it is over: %v", err)
	}
}
