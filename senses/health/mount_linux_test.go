package health

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestRealDiskFillsAndIsFreed fills a small file system over its thresholds
// and frees it.
func TestRealDiskFillsAndIsFreed(t *testing.T) {
	needRoot(t)
	folder := t.TempDir()
	if err := unix.Mount("sample", folder, "tmpfs", 0, "size=10m,nr_inodes=100"); err != nil {
		t.Fatalf("mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(folder, 0); err != nil {
			t.Errorf("unmount the tmpfs: %v", err)
		}
	})
	config := DefaultConfig()
	config.Units, config.Clock, config.Disk.Paths = false, false, []string{folder}
	s, err := New(config, Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, cursor := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), []byte(nil)
	collect := func() map[string]subconscious.Observation {
		t.Helper()
		batch, err := s.Collect(t.Context(), at, cursor)
		if err != nil || batch.Degraded != "" {
			t.Fatalf("error %v, degraded %q", err, batch.Degraded)
		}
		at = at.Add(5 * time.Minute)
		if batch.Cursor != nil {
			cursor = batch.Cursor
		}
		found := map[string]subconscious.Observation{}
		for _, set := range batch.Sets {
			for _, o := range set.Items {
				found[o.Kind] = o
			}
		}
		return found
	}
	file := filepath.Join(folder, "file")
	for i, step := range []struct {
		kilobytes int
		severity  subconscious.Severity
	}{{1000, 0}, {9000, 2}, {9800, 3}, {9500, 3}, {8600, 2}, {1000, 0}} {
		testutil.Write(t, file, make([]byte, step.kilobytes*1024))
		if o := collect()["disk"]; o.Severity != step.severity || o.ID != "" && o.ID != "disk:"+folder {
			t.Errorf("step %d: severity %d of %q, want %d", i, o.Severity, o.Title, step.severity)
		}
	}
	for i := range 90 {
		testutil.Write(t, fmt.Sprintf("%s%d", file, i), "")
	}
	if o := collect()["inodes"]; o.Severity != subconscious.Warning {
		t.Errorf("inodes: severity %d of %q", o.Severity, o.Title)
	}
}

// TestRealDiskHangs mounts a file system whose server never answers: statfs(2)
// hangs in the kernel until the server is closed.
func TestRealDiskHangs(t *testing.T) {
	needRoot(t)
	server, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there is no FUSE here: %v", err)
	}
	folder := t.TempDir()
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", server.Fd())
	if err := unix.Mount("sample", folder, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		server.Close()
		t.Skipf("FUSE cannot be mounted here: %v", err)
	}
	s := NewSystem(SystemOptions{Paths: []string{"/", folder}})
	s.timeout = 100 * time.Millisecond
	r, readErr := s.Read(t.Context())
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := unix.Unmount(folder, unix.MNT_DETACH); err != nil {
		t.Errorf("unmount: %v", err)
	}
	if readErr != nil || len(r.Disks) != 1 || r.Failed["disk:"+folder] == "" {
		t.Errorf("disks %v, failed %v, error %v", r.Disks, r.Failed, readErr)
	}
}
