package health

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// readBattery finds none where the system keeps no such folder.
func readBattery(ctx context.Context) (*Battery, error) {
	if runtime.GOOS != "darwin" {
		return powerSupplies(os.DirFS("/sys/class/power_supply"))
	}
	output, err := exec.CommandContext(ctx, "/usr/bin/pmset", "-g", "batt").Output()
	if err != nil {
		return nil, fmt.Errorf("run pmset: %w", err)
	}
	return pmset(string(output[:min(len(output), 4096)])), nil
}

// powerSupplies reads the machine's batteries from Linux' /sys/class/power_supply.
// Batteries of mice and the like (scope Device) are not the machine's. Without
// any the battery is nil.
func powerSupplies(root fs.FS) (*Battery, error) {
	entries, err := fs.ReadDir(root, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the power supplies: %w", err)
	}
	var sum, n float64
	discharging := false
	for _, entry := range entries[:min(len(entries), 32)] {
		read := func(name string) string { return readWord(root, entry.Name()+"/"+name) }
		if read("type") != "Battery" || read("scope") == "Device" || read("present") == "0" {
			continue
		}
		charge, err := strconv.ParseFloat(read("capacity"), 64)
		if err != nil || charge < 0 || charge > 100 {
			continue
		}
		sum, n = sum+charge, n+1
		discharging = discharging || read("status") == "Discharging"
	}
	if n == 0 {
		return nil, nil
	}
	return &Battery{Percent: sum / n, Discharging: discharging}, nil
}

// readWord reads a short attribute; "" where there is none.
func readWord(root fs.FS, name string) string {
	file, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, 64))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// pmset reads what macOS' "pmset -g batt" prints: a line for each battery with
// its charge and "charging", "charged" or "discharging".
func pmset(output string) *Battery {
	lines := regexp.MustCompile(`(?m)^\s*-InternalBattery.*?\s(\d{1,3})%; ([a-zA-Z ]+);`).FindAllStringSubmatch(output, 8)
	if len(lines) == 0 {
		return nil
	}
	var b Battery
	for _, line := range lines {
		charge, err := strconv.ParseFloat(line[1], 64)
		if err != nil {
			return nil
		}
		b.Percent += min(charge, 100) / float64(len(lines))
		b.Discharging = b.Discharging || line[2] == "discharging"
	}
	return &b
}
