package modeltest

// Listen starts a server for people on an address, port 0 taking a free one.
// Close ends it.
func Listen(addr string, options Options) (*Server, error) { return listen(addr, options) }
