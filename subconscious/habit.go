package subconscious

// Act is something that the person did with a letter, as a sense saw it.
type Act struct {
	// ID is the letter's, in the sense that saw it.
	ID   string
	Deed Deed
	// To is whom an answer went to.
	To []string
}

// Deed is what an act was.
type Deed string

const (
	Answered Deed = "answered"
	ReadSoon Deed = "read soon" // within minutes of its coming
	Read     Deed = "read"      // later, which says nothing
	Removed  Deed = "removed"   // filed or deleted unread
	Unread   Deed = "unread"    // for days on which other letters were read
)

// HabitAttr is the attribute of a letter that holds the names of its habits, with
// spaces between. A letter that may not be of its sender has none.
const HabitAttr = "habits"

// Habit is what the person's acts say of the letters of one sender, one domain or
// one list.
type Habit struct {
	// Name is an address, "@" and a domain, "list:" and the name of a list, or "" for
	// all letters, to which the others are compared.
	Name string `json:"name"`
	// Lean is by how much it moves a score, in ten-thousandths.
	Lean int `json:"lean"`
	// Acts is how much was learnt from, a hundred for each plain act.
	Acts int `json:"acts"`
	// Day is when, in days since 1970. Both halve every 90 days from then on.
	Day int `json:"day"`
}
