package health_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// listed reads the disks alone that are in the list.
type listed struct {
	used  map[string]uint64
	paths []string
}

func (l listed) Read(context.Context) (r health.Reading, err error) {
	for path, used := range l.used {
		if slices.Contains(l.paths, path) || slices.Contains(l.paths, path+"/") {
			r.Disks = append(r.Disks, health.Disk{Path: path, Used: used, Available: 100 - used})
		}
	}
	return r, nil
}

// Disks that left the list of those that are looked at; cut is what the list is
// without them.
func TestDiskLeaves(t *testing.T) {
	for name, cut := range map[string][]string{"the end of the list": {"/"}, "the whole list": nil} {
		t.Run(name, func(t *testing.T) {
			used, config := map[string]uint64{"/": 97}, health.DefaultConfig()
			path := func(n int) string { return fmt.Sprintf("/mnt/%d", n) }
			sensetest.RunList(t, sensetest.Harness{
				Open: func(t testing.TB) senses.Sense {
					looked := config.Disk.Paths
					if looked == nil {
						looked = []string{"/"} // the local disks
					}
					sense, err := health.New(config, health.Options{Reader: listed{used, looked}})
					if err != nil {
						t.Fatal(err)
					}
					return sense
				},
				Add:    func(_ testing.TB, n int) { used[path(n)] = 97 },
				Remove: func(_ testing.TB, n int) { used[path(n)] = 50 },
			}, func(whole bool) {
				if config.Disk.Paths = cut; whole {
					config.Disk.Paths = []string{"/", path(1), path(2) + "/", path(3)}
				}
			})
		})
	}
}
