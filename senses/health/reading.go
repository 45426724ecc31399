package health

import (
	"context"
	"time"
)

// Reader reads the machine once. It returns what it could read, and names in
// Reading.Failed what did not answer; an error means that nothing could be
// read. It must return soon after ctx is done.
//
// A Reader that also has Stop(context.Context) error is stopped with the sense.
type Reader interface {
	Read(ctx context.Context) (Reading, error)
}

// Reading is what the machine looked like at one moment. What the machine does
// not have is nil or empty and not in Failed.
type Reading struct {
	Disks        []Disk        `json:"disks,omitempty"`
	Memory       *Memory       `json:"memory,omitempty"`
	Swap         *Memory       `json:"swap,omitempty"`
	Load         *Load         `json:"load,omitempty"`
	Temperatures []Temperature `json:"temperatures,omitempty"`
	Battery      *Battery      `json:"battery,omitempty"`
	// Units are the failed ones; Services the counts of restarts of all
	// services that are loaded.
	Units    []Unit    `json:"units,omitempty"`
	Services []Service `json:"services,omitempty"`
	Clock    *Clock    `json:"clock,omitempty"`
	// Failed says in plain words what could not be read, by group: "disks"
	// (the list of disks), "disk:/mnt" (one of them), "memory", "swap", "load",
	// "temperature", "battery", "units:system", "units:user", "clock". What
	// stood there stays as it was.
	Failed map[string]string `json:"failed,omitempty"`
}

// Disk is one mounted file system, in bytes. Available is what an ordinary
// user may still write; Used and Available together are the whole.
type Disk struct {
	Path        string `json:"path"`
	Used        uint64 `json:"used"`
	Available   uint64 `json:"available"`
	InodesUsed  uint64 `json:"inodes_used,omitempty"`
	InodesTotal uint64 `json:"inodes_total,omitempty"` // 0: without a limit
}

// Memory or swap, in bytes. Available is what can be had without swapping.
type Memory struct {
	Total     uint64 `json:"total"`
	Available uint64 `json:"available"`
}

// Load is the average number of processes that ran or waited over 15 minutes.
type Load struct {
	Load15 float64 `json:"load15"`
	Cores  int     `json:"cores"`
}

// Temperature of one sensor, in degrees Celsius. Limit is the maker's critical
// limit, 0 where the sensor names none.
type Temperature struct {
	Sensor  string  `json:"sensor"`
	Celsius float64 `json:"celsius"`
	Limit   float64 `json:"limit,omitempty"`
}

// Battery holds the charge of all batteries together, 0 to 100.
type Battery struct {
	Percent     float64 `json:"percent"`
	Discharging bool    `json:"discharging"`
}

// Unit is a systemd unit that failed.
type Unit struct {
	Name        string `json:"name"`
	User        bool   `json:"user,omitempty"` // of the person's own manager
	Description string `json:"description,omitempty"`
	// Result is systemd's word: "exit-code", "signal", "timeout", "oom-kill",
	// "start-limit-hit". ExitCode is the exit status, or the signal's number.
	Result   string `json:"result,omitempty"`
	ExitCode int    `json:"exit_code,omitempty"`
	// Status is the last status text that the service gave of itself.
	Status string `json:"status,omitempty"`
	// Since is when it failed.
	Since time.Time `json:"since,omitzero"`
}

// Service is a service and how often systemd restarted it since it was started.
type Service struct {
	Name     string `json:"name"`
	User     bool   `json:"user,omitempty"`
	Restarts uint32 `json:"restarts"`
}

// Clock says how well the clock is kept. Kept: a time service runs, so that the
// clock ought to be in step. Offset is the correction still to be made.
type Clock struct {
	Kept         bool    `json:"kept"`
	Synchronised bool    `json:"synchronised"`
	Offset       float64 `json:"offset_seconds,omitempty"`
}
