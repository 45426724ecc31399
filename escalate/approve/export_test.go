package approve

// Cheap makes hashes quickly, which those of the product must not be.
func Cheap(f *Factor) *Factor {
	f.cost = 4
	return f
}
