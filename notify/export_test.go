package notify

// NextChange is closed when a delivery changes.
func (o *Outbox) NextChange() <-chan struct{} { return o.nextChange() }
