package health

// band says how bad a reading is. The empty band is in order.
type band string

const (
	inOrder  band = ""
	warning  band = "warning"
	critical band = "critical"
)

// limits are where the bands of one reading begin. A band is left only margin
// below its beginning. What is bad when low, as a battery, is negated.
type limits struct{ warn, critical, margin float64 }

// next returns the band of value for what was in the band before.
func (l limits) next(before band, value float64) band {
	switch {
	case value >= l.critical, before == critical && value >= l.critical-l.margin:
		return critical
	case value >= l.warn, before != inOrder && value >= l.warn-l.margin:
		return warning
	}
	return inOrder
}
