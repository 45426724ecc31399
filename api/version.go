package api

import (
	"regexp"
	"runtime/debug"
)

// Unversioned is what BuildVersion returns for a build that carries no version.
const Unversioned = "(devel)"

// BuildVersion returns the version that this program was built from: the tag of
// a release ("v0.1.0"), or the commit between two ("devel 2026-11-22 bef71ba").
// Daemon and command line ask this one function, so that they can tell whether
// they belong together.
func BuildVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return shortVersion(build.Main.Version)
	}
	return Unversioned
}

// pseudo is what the go command calls a commit: the time and the commit stand
// at the end, before a mark of what was not committed.
var pseudo = regexp.MustCompile(`^v.+[-.](\d{4})(\d{2})(\d{2})\d{6}-([0-9a-f]{7})[0-9a-f]{5}(\+.+)?$`)

func shortVersion(version string) string {
	return pseudo.ReplaceAllString(version, "devel $1-$2-$3 $4$5")
}
