package api

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// UnnamedAgent is who speaks where nobody sits at a terminal. That somebody
// claims to be the person cannot be found out on a socket of one user: who speaks
// is said to keep mistakes out, and keeps out nobody who means ill.
const UnnamedAgent = "agent"

const agentSign = "agent:"

// By is who speaks, as commands name them: "person", or "agent:NAME".
func By(as string) string {
	if as == "" {
		return AuthorPerson
	}
	return agentSign + as
}

// ByPerson reports whether whoever gave a command is the person, as of who was
// said to speak.
func ByPerson(by string) bool { return !strings.HasPrefix(by, agentSign) }

// TrustOf is what the word of the agent of that name is worth; "" is the person.
func TrustOf(as string) subconscious.Trust {
	if as == "" {
		return subconscious.Owner
	}
	return subconscious.Agent
}

func checkAs(as string) error {
	if as == AuthorPerson || as == AuthorMind {
		return badRequest("leave it out to speak as the person, or name an agent", "as: no agent is called %s", as)
	}
	return nil
}

// mayVouch refuses an agent what the person's own word alone can do.
func mayVouch(as, what string) error {
	if as == "" {
		return nil
	}
	return Errorf(CodeRefused, "do it at a terminal, or say with --as-me that it is your own word", "%s takes the person's own word, and an agent speaks", what)
}
