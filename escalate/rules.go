package escalate

import "time"

// Rules are the gate's settings.
type Rules struct {
	// Quiet hours: nothing but what is critical is told.
	Quiet Hours `mapstructure:"-" json:"quiet"`
	// NotificationsPerDay and EscalationsPerHour are hard caps on pushes;
	// NoticesPerDay is the daemon's own share, beside them.
	NotificationsPerDay int `mapstructure:"-" json:"notifications_per_day"`
	EscalationsPerHour  int `mapstructure:"-" json:"escalations_per_hour"`
	NoticesPerDay       int `mapstructure:"-" json:"notices_per_day"`

	// Cooldown is the least time between two pushes about one incident.
	Cooldown time.Duration `mapstructure:"cooldown" json:"cooldown"`
	// PushFrom and DigestFrom are the least confidence, 0 to 1, for a push and
	// for a place in the daily digest.
	PushFrom   float64 `mapstructure:"push_from" json:"push_from"`
	DigestFrom float64 `mapstructure:"digest_from" json:"digest_from"`
	// Digest says when digests go out.
	Digest DigestTimes `mapstructure:"digest" json:"digest"`
	// Critical are the classes of incidents that pass quiet hours: disk, unit,
	// machine, event, deadline.
	Critical []string `mapstructure:"critical" json:"critical"`
	// HoldEngaged and HoldBusy are how long presence can hold what is not
	// urgent: while the person types, and through a meeting.
	HoldEngaged time.Duration `mapstructure:"hold_engaged" json:"hold_engaged"`
	HoldBusy    time.Duration `mapstructure:"hold_busy" json:"hold_busy"`
	// NoticeAfter is how long the daemon waits before it tells of its own
	// troubles: most mend themselves.
	NoticeAfter time.Duration `mapstructure:"notice_after" json:"notice_after"`
}

// DigestTimes are local times of the day; "" for none.
type DigestTimes struct {
	Daily  string `mapstructure:"daily" json:"daily"`   // "08:30"
	Weekly string `mapstructure:"weekly" json:"weekly"` // "sun 18:00"
}

// Hours is a span of local time, over midnight where To is before From; From
// equal to To is none.
type Hours struct {
	From string `mapstructure:"from" json:"from"` // "23:00"
	To   string `mapstructure:"to" json:"to"`     // "08:00"
}

// DefaultRules returns what holds where the configuration is silent.
func DefaultRules() Rules {
	return Rules{
		Quiet: Hours{From: "23:00", To: "08:00"}, NotificationsPerDay: 12, EscalationsPerHour: 2, NoticesPerDay: 3,
		Cooldown: 30 * time.Minute, PushFrom: 0.6, DigestFrom: 0.4, Digest: DigestTimes{Daily: "08:30"},
		Critical: []string{"disk", "unit", "machine", "event"}, HoldEngaged: 30 * time.Minute, HoldBusy: 3 * time.Hour,
		NoticeAfter: 30 * time.Minute,
	}
}
