package models

import "time"

// Reset lets a model be asked at once again: a live test has shown that it
// answers.
func (c *Circuit) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures, c.useless = 0, 0
	c.turn(StateOK, c.now(), nil, time.Time{})
}
