package health_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/health"
)

func BenchmarkCollect(b *testing.B) {
	b.Run("fixture", func(b *testing.B) {
		reading := health.Reading{Memory: &health.Memory{Total: 16 * gb, Available: gb}, Load: &health.Load{Load15: 1, Cores: 2}}
		for i := range 8 {
			reading.Disks = append(reading.Disks, health.Disk{Path: fmt.Sprintf("/disk%d", i), Used: uint64(80+2*i) * gb, Available: 10 * gb, InodesUsed: 1, InodesTotal: 9})
		}
		benchmark(b, &health.Fixture{Reading: reading})
	})
	b.Run("real", func(b *testing.B) { benchmark(b, nil) })
}

func benchmark(b *testing.B, reader *health.Fixture) {
	options := health.Options{}
	if reader != nil {
		options.Reader = reader
	}
	sense, err := health.New(health.DefaultConfig(), options)
	if err != nil {
		b.Fatal(err)
	}
	var cursor []byte
	at := start
	b.ReportAllocs()
	for b.Loop() {
		batch, err := sense.Collect(b.Context(), at, cursor)
		if err != nil {
			b.Fatal(err)
		}
		if batch.Cursor != nil {
			cursor = batch.Cursor
		}
		at = at.Add(5 * time.Minute)
	}
}
