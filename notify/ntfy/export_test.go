package ntfy

// Slowly has a client pause behind each line that may hold a signature.
func Slowly(c *Client) { c.burst = signature }
