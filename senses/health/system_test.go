package health

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shirou/gopsutil/v4/disk"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestThisMachine reads the machine that the test runs on.
func TestThisMachine(t *testing.T) {
	s := NewSystem(SystemOptions{Units: true, Clock: true, SystemBus: "unix:path=/nowhere", UserBus: "unix:path=/nowhere"})
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failed) > 0 {
		t.Errorf("failed: %v", r.Failed)
	}
	if len(r.Disks) == 0 || len(r.Disks) > maxPaths {
		t.Errorf("%d disks", len(r.Disks))
	}
	for _, d := range r.Disks {
		if !filepath.IsAbs(d.Path) || d.Used+d.Available == 0 || d.InodesUsed > d.InodesTotal {
			t.Errorf("disk %+v", d)
		}
	}
	if r.Memory == nil || r.Memory.Total == 0 || r.Memory.Available > r.Memory.Total {
		t.Errorf("memory %+v", r.Memory)
	}
	if r.Load == nil || r.Load.Cores < 1 || r.Load.Load15 < 0 {
		t.Errorf("load %+v", r.Load)
	}
	if len(r.Units)+len(r.Services) > 0 {
		t.Errorf("units without a bus: %v", r.Units)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLocalDisks(t *testing.T) {
	at := func(device, path, kind string, options ...string) disk.PartitionStat {
		return disk.PartitionStat{Device: device, Mountpoint: path, Fstype: kind, Opts: options}
	}
	for name, c := range map[string]struct {
		partitions []disk.PartitionStat
		want       []string
	}{
		"a laptop": {[]disk.PartitionStat{at("/dev/sda2", "/", "ext4"), at("/dev/sda1", "/boot/efi", "vfat"), at("/dev/sdb1", "/srv", "xfs"),
			at("/dev/loop1", "/snap/core/1", "squashfs", "ro")}, []string{"/", "/srv", "/boot/efi"}},
		"subvolumes":                {[]disk.PartitionStat{at("/dev/sda2", "/home", "btrfs"), at("/dev/sda2", "/", "btrfs"), at("/dev/sda2", "/.snapshots", "btrfs")}, []string{"/"}},
		"seen from a confined unit": {[]disk.PartitionStat{at("/dev/sda2", "/", "ext4", "ro"), at("/dev/sda2", "/var/lib/subconscious", "ext4", "rw", "bind")}, []string{"/"}},
		"a container":               {[]disk.PartitionStat{at("/dev/sda2", "/etc/hosts", "ext4", "bind"), at("/dev/sda2", "/etc/resolv.conf", "ext4", "bind")}, []string{"/"}},
		"macOS": {[]disk.PartitionStat{at("/dev/disk3s1s1", "/", "apfs", "ro"), at("/dev/disk3s6", "/System/Volumes/VM", "apfs"),
			at("/dev/disk3s5", "/System/Volumes/Data", "apfs"), at("/dev/disk4s1", "/Volumes/Backup", "apfs")}, []string{"/Volumes/Backup", "/System/Volumes/Data"}},
	} {
		if diff := cmp.Diff(c.want, localDisks(c.partitions)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOneDiskHangs: the others answer in time, the one is named, and is not
// asked again while it hangs.
func TestOneDiskHangs(t *testing.T) {
	release, asked := make(chan struct{}), make(chan struct{}, 8)
	s := NewSystem(SystemOptions{Paths: []string{"/", "/mnt"}})
	s.timeout = 50 * time.Millisecond
	s.usage = func(ctx context.Context, path string) (Disk, error) {
		if path == "/mnt" {
			asked <- struct{}{}
			<-release
		}
		return Disk{Path: path, Used: 1, Available: 1}, nil
	}
	for range 3 {
		r, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Disks) != 1 || r.Disks[0].Path != "/" || r.Failed["disk:/mnt"] != "disk /mnt did not answer" {
			t.Errorf("disks %v, failed %v", r.Disks, r.Failed)
		}
	}
	if len(asked) != 1 {
		t.Errorf("the disk that hangs was asked %d times", len(asked))
	}
	late, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.Stop(late); err == nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Stop returned %v while a reader hangs", err)
	}
	close(release)
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if r, err := s.Read(t.Context()); err != nil || len(r.Disks) != 2 {
		t.Errorf("after it answered: disks %v, error %v", r.Disks, err)
	}
}

func TestProbesContainPanics(t *testing.T) {
	p := newProbes()
	_, err := probe(t.Context(), p, "a", time.Second, func(context.Context) (int, error) { panic("torn") })
	if err == nil || !strings.Contains(err.Error(), "torn") {
		t.Errorf("error %v", err)
	}
	if n, err := probe(t.Context(), p, "a", time.Second, func(context.Context) (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("after it: %d, %v", n, err)
	}
}

func TestMissingFolderIsNamed(t *testing.T) {
	s := NewSystem(SystemOptions{Paths: []string{"/", "/nowhere/at/all"}})
	r, err := s.Read(t.Context())
	if err != nil || len(r.Disks) != 1 {
		t.Fatalf("disks %v, error %v", r.Disks, err)
	}
	if words := r.Failed["disk:/nowhere/at/all"]; words != "disk /nowhere/at/all: no such file or directory" {
		t.Errorf("failed %q", words)
	}
}

// needRoot skips where nothing can be mounted, but fails where it has to be.
func needRoot(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "linux" && os.Getuid() == 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("mounting takes Linux and root, and CI=true")
	}
	t.Skip("mounting takes Linux and root")
}

// TestProbesMayBeAskedAgainAtOnce: an answered probe is no longer pending.
func TestProbesMayBeAskedAgainAtOnce(t *testing.T) {
	p := newProbes()
	for i := range 20_000 {
		if n, err := probe(t.Context(), p, "a", time.Minute, func(context.Context) (int, error) { return i, nil }); n != i || err != nil {
			t.Fatalf("probe %d: %d, %v", i, n, err)
		}
	}
}
