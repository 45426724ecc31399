package deliberate

// Decode is for the tests of what a model writes for a tool.
func Decode(arguments string, into any) error { return decode(arguments, into) }

// Endings are how names of files end that are left alone.
var Endings = endings
