package daemon_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// childDir names the folder of a world to the test program when a test has
// started it again.
const childDir = "DAEMON_TEST_DIR"

// runChild is what the test program does when a test has started it again.
func runChild(what string) int {
	err := map[string]func(dir string) error{"ticks": childTicks, "starts": childStarts, "spends": childSpends, "tells": childTells, "deliberates": childDeliberates, "decides": childDecides}[what](os.Getenv(childDir))
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

// configOf is the configuration of the world in a folder.
func configOf(dir string) *setup.Config {
	config := setup.Default()
	config.StateDir, config.Timezone = filepath.Join(dir, "state"), "Europe/Berlin"
	config.Threads.Night.From = config.Threads.Night.To
	config.Senses.Files = []files.Config{{ID: "work", Path: filepath.Join(dir, "files"), Trust: subconscious.Owner}}
	config.Senses.Notes = []notes.Config{{ID: "notes", Path: filepath.Join(dir, "notes"), Trust: subconscious.Owner}}
	config.Senses.Calendar = []calendar.Config{{ID: "home", ICS: filepath.Join(dir, "home.ics")}}
	return config
}

// childTicks ticks without a pause and says each tick that was committed, with
// the hash of its document, until it is killed.
func childTicks(dir string) error {
	disk := &machine{}
	disk.set(50)
	var d *daemon.Daemon
	return lives(daemon.Options{
		Config: configOf(dir), Unscheduled: true, Health: disk,
		OnTick: func(report api.TickReport) {
			document, err := d.Document(context.Background())
			if err != nil || !report.Published {
				fmt.Println("error:", err, report.Error)
				return
			}
			fmt.Printf("tick %d %x\n", report.Tick, sha256.Sum256(document))
		},
	}, func(_ context.Context, running *daemon.Daemon, i int) error {
		d = running
		disk.set(50 + uint64(i)%2*40)
		return nil
	})
}

// lives runs a mind that ticks without a pause, until it is killed or a minute
// is over; before each tick something happens.
func lives(options daemon.Options, happens func(ctx context.Context, d *daemon.Daemon, i int) error) error {
	d, err := daemon.New(options)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := d.Start(ctx); err != nil {
		return err
	}
	for i := 0; ctx.Err() == nil; i++ {
		if err := happens(ctx, d, i); err != nil {
			return err
		}
		if _, err := d.TickAs(ctx, subconscious.Scheduled); err != nil {
			return err
		}
	}
	return d.Stop(context.Background())
}

// begin says once that a life has begun.
func begin(i int) {
	if i == 0 {
		fmt.Println("started")
	}
}

// childStarts loads the configuration that is in the folder, starts, and stops.
func childStarts(dir string) error {
	config, err := daemon.LoadConfiguration(filepath.Join(dir, "config.yaml"), "", os.LookupEnv)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := daemon.RunOnce(context.Background(), daemon.Options{Config: config.Config}, &out); err != nil {
		return err
	}
	fmt.Println("started")
	return nil
}
