package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// BenchmarkDemoProcess is the demo as a process of its own: from its start to
// its first tick on the screen, what it keeps in memory then, and which share of
// one core it takes while nothing happens. SUBCONSCIOUS_IDLE says for how long
// that is looked at (default 2s; a few minutes give a figure to go by).
func BenchmarkDemoProcess(b *testing.B) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		b.Skip("the system does not say what a process takes")
	}
	idle := 2 * time.Second
	if text := os.Getenv("SUBCONSCIOUS_IDLE"); text != "" {
		var err error
		if idle, err = time.ParseDuration(text); err != nil {
			b.Fatal(err)
		}
	}
	folder := b.TempDir()
	program := filepath.Join(folder, "subconsciousd")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for b.Loop() {
		b.StopTimer()
		demo := exec.Command(program, "--demo")
		demo.Env = []string{"TMPDIR=" + folder, "PATH=" + os.Getenv("PATH")}
		out, err := demo.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		began := time.Now()
		if err := demo.Start(); err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() && !strings.Contains(lines.Text(), "Ctrl-C ends it") {
		}
		took := time.Since(began)
		b.StopTimer()
		go func() { // the pipe is read to its end, so that nothing blocks
			for lines.Scan() {
			}
		}()
		before := processorTime(b, demo.Process.Pid)
		<-time.After(idle)
		used := processorTime(b, demo.Process.Pid) - before
		b.ReportMetric(float64(took.Microseconds())/1000, "ms-to-first-tick")
		b.ReportMetric(100*used.Seconds()/idle.Seconds(), "%cpu-idle")
		b.ReportMetric(resident(b, demo.Process.Pid), "MiB-resident")
		if err := demo.Process.Signal(syscall.SIGTERM); err != nil {
			b.Fatal(err)
		}
		if err := demo.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// processorTime is what a process has used so far, of its own and the system's.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	text := testutil.Read(b, fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ") // the name may hold spaces
	fields := strings.Fields(rest)
	var ticks int
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	const hertz = 100 // USER_HZ, the same on every Linux that Go runs on
	return time.Duration(ticks) * time.Second / hertz
}

// resident is what a process keeps in memory, in MiB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	text := testutil.Read(b, fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		var kib float64
		if n, err := fmt.Sscanf(line, "VmRSS: %f kB", &kib); err == nil && n == 1 {
			return kib / 1024
		}
	}
	b.Fatal("the system does not say")
	return 0
}
