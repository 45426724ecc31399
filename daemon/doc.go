// Package daemon puts a mind together and keeps it running: New, Start, Stop,
// Run. The tick is one straight function (tick.go), each line a value handed
// on; what surrounds it is a schedule (schedule.go), the API's view of the mind
// (inspect.go, record.go, steer.go), and the senses that the configuration
// names (compose.go).
//
// It stores nothing itself: store/mind and senses do. Only cmd/subconsciousd,
// eval and tests import it.
package daemon
