package health

import (
	"context"
	"fmt"
	"os/exec"
)

func readBattery(ctx context.Context) (*Battery, error) {
	output, err := exec.CommandContext(ctx, "/usr/bin/pmset", "-g", "batt").Output()
	if err != nil {
		return nil, fmt.Errorf("run pmset: %w", err)
	}
	return pmset(string(output[:min(len(output), 4096)])), nil
}
