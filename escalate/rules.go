package escalate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Rules are the gate's settings.
type Rules struct {
	// Quiet hours: nothing but what is critical is told.
	Quiet Hours `mapstructure:"-" json:"quiet"`
	// NotificationsPerDay and EscalationsPerHour are hard caps on pushes;
	// NoticesPerDay is the daemon's own share, beside them.
	NotificationsPerDay int `mapstructure:"-" json:"notifications_per_day"`
	EscalationsPerHour  int `mapstructure:"-" json:"escalations_per_hour"`
	NoticesPerDay       int `mapstructure:"-" json:"notices_per_day"`

	Cooldown    time.Duration `mapstructure:"cooldown" json:"cooldown" about:"The least time between two messages about the same thing: 0s to 168h."`
	PushFrom    float64       `mapstructure:"push_from" json:"push_from" about:"The least confidence, 0 to 1, for a message of its own."`
	DigestFrom  float64       `mapstructure:"digest_from" json:"digest_from" about:"The least confidence, 0 to 1, for a place in the daily digest."`
	Digest      DigestTimes   `mapstructure:"digest" json:"digest" about:"When what is not worth a message of its own is told together."`
	Strangers   string        `mapstructure:"strangers" json:"strangers,omitempty" about:"Letters of people whom you do not know: push (four a day at most) or digest."`
	Critical    []string      `mapstructure:"critical" json:"critical" about:"What may be told in quiet hours: disk, unit, machine, event, deadline."`
	HoldEngaged time.Duration `mapstructure:"hold_engaged" json:"hold_engaged" about:"How long what is not urgent waits at most while you type: 0s to 24h."`
	HoldBusy    time.Duration `mapstructure:"hold_busy" json:"hold_busy" about:"How long what is not urgent waits at most through a meeting: 0s to 24h."`
	NoticeAfter time.Duration `mapstructure:"notice_after" json:"notice_after" about:"How long the daemon waits before it tells of its own troubles: 0s to 168h."`
	// Trial: nothing is told, and what would have been is written down, so that no
	// answer to it is missed.
	Trial bool `mapstructure:"trial" json:"trial,omitempty" about:"true: nothing is told; what would have been goes into a note a day in the state folder."`
	// Deliberates: what is worth a push of its own is given to a deliberation,
	// which tells the person or keeps it back.
	Deliberates bool `mapstructure:"-" json:"deliberates,omitempty"`
}

// DigestTimes are local times of the day; "" for none.
type DigestTimes struct {
	Daily string `mapstructure:"daily" json:"daily" about:"Time of day, in the time zone; empty: no daily digest."`
	// Afternoon is a second time of each day.
	Afternoon string `mapstructure:"afternoon" json:"afternoon,omitempty" about:"Time of day, in the time zone, of a second daily digest; empty: none."`
	Weekly    string `mapstructure:"weekly" json:"weekly" about:"Day and time, such as \"sun 18:00\"; empty: no weekly digest."`
}

// Hours is a span of local time, over midnight where To is before From; From
// equal to To is none.
type Hours struct {
	From string `mapstructure:"from" json:"from" about:"Time of day, in the time zone."`
	To   string `mapstructure:"to" json:"to" about:"Time of day, in the time zone."`
}

// DefaultRules returns what holds where the configuration is silent.
func DefaultRules() Rules {
	return Rules{
		Quiet: Hours{From: "23:00", To: "08:00"}, NotificationsPerDay: 12, EscalationsPerHour: 3, NoticesPerDay: 3,
		Cooldown: 30 * time.Minute, PushFrom: 0.65, DigestFrom: 0.37, Digest: DigestTimes{Daily: "08:30", Afternoon: "17:00"}, Strangers: StrangersPush,
		Critical: []string{"disk", "unit", "machine", "event"}, HoldEngaged: 5 * time.Minute, HoldBusy: 30 * time.Minute,
		NoticeAfter: 15 * time.Minute,
	}
}

// What becomes of letters of those whom the person does not know.
const (
	StrangersPush   = "push"   // a few a day
	StrangersDigest = "digest" // none
)

// Classes are the classes of incidents that can be critical.
func Classes() []string {
	return []string{classDisk, classUnit, classMachine, classEvent, classDeadline}
}

const (
	classDisk     = "disk"
	classUnit     = "unit"
	classMachine  = "machine"
	classEvent    = "event"
	classDeadline = "deadline"
)

// Validate names every rule that cannot be used, by its key in the part of the
// configuration called escalation, quiet_hours or budget.
func (r Rules) Validate() error {
	var problems []error
	refuse := func(key string, err error) {
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", key, err))
		}
	}
	count := func(key string, n, most int) {
		if n < 0 || n > most {
			refuse(key, fmt.Errorf("is %d, must be 0 to %d", n, most))
		}
	}
	span := func(key string, d, least, most time.Duration) {
		if d < least || d > most {
			refuse(key, fmt.Errorf("is %s, must be %s to %s", d, least, most))
		}
	}
	share := func(key string, f float64) {
		if !(f >= 0 && f <= 1) {
			refuse(key, fmt.Errorf("is %v, must be 0 to 1", f))
		}
	}
	refuse("quiet_hours", r.Quiet.Validate())
	count("notifications_per_day", r.NotificationsPerDay, 1000)
	count("escalations_per_hour", r.EscalationsPerHour, 1000)
	count("notices_per_day", r.NoticesPerDay, 1000)
	span("cooldown", r.Cooldown, 0, 7*24*time.Hour)
	share("push_from", r.PushFrom)
	share("digest_from", r.DigestFrom)
	if r.DigestFrom > r.PushFrom {
		refuse("digest_from", fmt.Errorf("is %v, must not be more than push_from, which is %v", r.DigestFrom, r.PushFrom))
	}
	if _, err := parseClock(r.Digest.Daily); r.Digest.Daily != "" {
		refuse("digest.daily", err)
	}
	if _, _, err := parseWeekly(r.Digest.Weekly); r.Digest.Weekly != "" {
		refuse("digest.weekly", err)
	}
	if _, err := parseClock(r.Digest.Afternoon); r.Digest.Afternoon != "" {
		refuse("digest.afternoon", err)
	}
	if !slices.Contains([]string{"", StrangersPush, StrangersDigest}, r.Strangers) {
		refuse("strangers", fmt.Errorf("%.40q is neither %s nor %s", r.Strangers, StrangersPush, StrangersDigest))
	}
	for i, class := range r.Critical {
		switch {
		case !slices.Contains(Classes(), class):
			refuse(fmt.Sprintf("critical[%d]", i), fmt.Errorf("%.40q is none of %s", class, strings.Join(Classes(), ", ")))
		case slices.Index(r.Critical, class) != i:
			refuse(fmt.Sprintf("critical[%d]", i), fmt.Errorf("%q is there twice", class))
		}
	}
	span("hold_engaged", r.HoldEngaged, 0, 24*time.Hour)
	span("hold_busy", r.HoldBusy, 0, 24*time.Hour)
	span("notice_after", r.NoticeAfter, 0, 7*24*time.Hour)
	return errors.Join(problems...)
}
