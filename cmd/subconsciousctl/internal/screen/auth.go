package screen

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/setup/signin"
)

// Accounts says how each mail account is signed in to.
func Accounts(view View, accounts []signin.Account) string {
	p := newPage(view)
	if len(accounts) == 0 {
		p.wrapped("", plain, "No mail account is configured. Add one: subconsciousctl init")
		return p.String()
	}
	column := 0
	for _, a := range accounts {
		column = max(column, min(cells(clean(a.ID)), 24))
	}
	for _, a := range accounts {
		mark, colour, words := "✓", green, ""
		switch a.State {
		case signin.Password:
			mark, colour, words = "·", plain, "a password, in "+clean(a.Detail)
		case signin.SignedIn:
			words = "signed in " + p.when(a.SignedIn)
			if a.Expiry.IsZero() {
				words += ", renewed by itself"
			} else {
				mark, colour, words = "!", yellow, words+", ends "+p.when(a.Expiry)
			}
		default:
			mark, colour, words = "✗", red, clean(a.Detail)
		}
		who := clean(a.User)
		if a.Provider != "" {
			who += " at " + clean(a.Provider)
		}
		p.marked("", colour, mark, " "+pad(clean(a.ID), column)+"  ", column+4, plain, who+": "+words)
		if a.Next != "" {
			p.wrapped(strings.Repeat(" ", column+4)+"→ ", plain, clean(a.Next))
		}
	}
	return p.String()
}

// SignInForgotten says whether there was a sign-in to forget.
func SignInForgotten(view View, id string, was bool) string {
	p := newPage(view)
	if !was {
		p.wrapped("", plain, "There was no sign-in of "+clean(id)+".")
		return p.String()
	}
	p.wrapped("", plain, "The sign-in of "+clean(id)+" is forgotten here. The provider lists it among the programs with access to your account, until you take it back there.")
	return p.String()
}
