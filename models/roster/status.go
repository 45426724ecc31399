package roster

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

// Unavailable is the state of a model that cannot be asked: its key is missing.
// The others are those of models.Health.
const Unavailable = "unavailable"

// Status says which model a role has, and how it does.
type Status struct {
	Role string
	// Identity is empty where no model thinks in the role.
	Identity models.Identity
	From     string
	// State is ok, failing, resting, unused or unavailable; empty where no model
	// thinks.
	State string
	Since time.Time
	// Error is why it fails, and Advice what to do about it.
	Error, Advice string
	// Next is when a model that rests is asked again.
	Next time.Time
	// Fallbacks are asked in order where it fails: "PROVIDER/MODEL".
	Fallbacks []string
	// Price is in US dollars for a million tokens; where PriceKnown is false it
	// is what is reckoned with.
	Price      models.Price
	PriceKnown bool
	MaxTokens  int
	Thinking   int
	// Note is anything else that a person should know, with what to do.
	Note string
}

// Statuses returns all roles in the order in which they are shown. It asks no
// model anything.
func (r *Roster) Statuses() []Status {
	statuses := make([]Status, 0, len(r.roles))
	for _, known := range r.roles {
		statuses = append(statuses, r.status(known))
	}
	return statuses
}

func (r *Roster) status(known *role) Status {
	own := known.assigned.Role
	status := Status{Role: own.ID, From: known.assigned.From, Fallbacks: []string{}, MaxTokens: own.MaxTokens, Thinking: own.Thinking}
	if len(known.members) == 0 {
		return status
	}
	first := known.members[0]
	status.Identity = first.Identity()
	rate := first.Rate()
	status.Price, status.PriceKnown = rate.Price, !rate.Unknown
	health := first.Health()
	status.State, status.Since, status.Next = string(health.State), health.Since, health.Next
	if health.Error != nil {
		// The answer itself is on record, and no reason.
		status.Error, _, _ = strings.Cut(health.Error.Text, "; it begins:")
		status.Advice = health.Error.Next
	}
	if problem := first.account.problem(); problem != nil {
		status.State, status.Error, status.Advice = Unavailable, problem.Text, problem.Next
	}
	var notes []string
	for i, m := range known.members {
		if i > 0 {
			status.Fallbacks = append(status.Fallbacks, m.Identity().String())
			if problem := m.account.problem(); problem != nil {
				notes = append(notes, "the fallback "+m.Identity().String()+" cannot be asked: "+problem.Text)
			}
		}
		notes = append(notes, warnings(m.account.provider)...)
		notes = append(notes, m.Rate().Remedy())
	}
	status.Note = strings.Join(unique(notes), "; ")
	return status
}

// warnings are what a person should know of a provider as it is configured.
func warnings(provider models.Provider) []string {
	at, err := url.Parse(provider.BaseURL)
	if err != nil {
		return nil
	}
	var found []string
	far := !models.OwnNetwork(at.Hostname())
	if provider.Local && far {
		found = append(found, fmt.Sprintf("%s is said to be local, but %s is not on this machine or in its network: "+
			"it is given plain text and counts as free; set local: false", provider.ID, at.Hostname()))
	}
	if at.Scheme == "http" && far {
		found = append(found, fmt.Sprintf("%s is asked without encryption: key and text can be read on the way; begin base_url with https://", provider.ID))
	}
	return found
}

func unique(texts []string) []string {
	seen := map[string]bool{"": true}
	var all []string
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	return all
}
