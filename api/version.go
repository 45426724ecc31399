package api

import "runtime/debug"

// Unversioned is what BuildVersion returns for a build that carries no version.
const Unversioned = "(devel)"

// BuildVersion returns the version that this program was built from: the tag of
// a release ("v0.1.0"), or the commit between two. Daemon and command line ask
// this one function, so that they can tell whether they belong together.
func BuildVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return Unversioned
}
