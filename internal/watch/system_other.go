//go:build !linux

package watch

const (
	// defaultLimit of watches, each of which is an open file here.
	defaultLimit = 8_192
	// watchesFiles: watching a folder costs a watch for each file in it.
	watchesFiles = true

	watchesRemedy  = "raise the limit of open files (ulimit -n, or SoftResourceLimits NumberOfFiles in the launchd job)"
	watchersRemedy = watchesRemedy
)
