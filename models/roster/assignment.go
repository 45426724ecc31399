package roster

import (
	"github.com/subconsciousd/subconsciousd/models"
)

// Assignment is the model of a role, ready to be asked.
type Assignment struct {
	Role string
	// Generator asks the model, and its fallbacks where it fails. It is set
	// where there is a Problem, too: it fails then with that, and works once
	// the problem is gone.
	Generator models.Generator
	Identity  models.Identity
	Fallbacks []models.Identity
	// Request holds what is the role's own: MaxTokens, Temperature, Thinking,
	// and Purpose.Role.
	Request models.Request
	// From says who assigned it: "models.roles[2]", "preset free", "chat", …
	From string
	// Problem says in plain words why the model cannot be asked, a missing key
	// above all, and Next what to do about it. Both are empty where it can be, or
	// where one of its fallbacks can be.
	Problem, Next string
}

// Role returns the model of a role. It reports false where no model thinks in
// the role: threads think by reflex then.
func (r *Roster) Role(name string) (Assignment, bool) {
	known := r.lookup(name)
	if known == nil || len(known.members) == 0 {
		return Assignment{}, false
	}
	own := known.assigned.Role
	assignment := Assignment{Role: name, Generator: known.whole, Identity: known.assigned.Target.Identity(), From: known.assigned.From,
		Request: models.Request{Purpose: models.Purpose{Role: name}, MaxTokens: own.MaxTokens, Temperature: own.Temperature, Thinking: own.Thinking}}
	for _, target := range known.assigned.Fallbacks {
		assignment.Fallbacks = append(assignment.Fallbacks, target.Identity())
	}
	if problem := known.problem(); problem != nil {
		assignment.Problem, assignment.Next = problem.Text, problem.Next
	}
	return assignment, true
}

// problem is why no model of the role can be asked: that of the first.
func (k *role) problem() *models.Error {
	var first *models.Error
	for _, m := range k.members {
		problem := m.account.problem()
		if problem == nil {
			return nil
		}
		if first == nil {
			first = problem
		}
	}
	return first
}
