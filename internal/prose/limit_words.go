package prose

// The words by which a limit is known from the other days that offices and
// machines write of.
var (
	dueLabels = listed("dueLabels")

	// dueBefore stand right before a date.
	dueBefore = phrases("dueBefore")
	// dueAfter stand right behind one: "am 30.11. fällig".
	dueAfter = phrases("dueAfter")
	// ofEvent behind a span counts it from what the text does not tell.
	ofEvent = phrases("ofEvent")
	// mustDo, with a date that is put as a limit, has the reader do something.
	mustDo = phrases("mustDo")
	// dueWords name what is owed at a date that is put as a limit.
	dueWords = phrases("dueWords")
	// expires says that something ends.
	expires = phrases("expires")
	// lasting things are missed when they have ended; fleeting ones are not.
	lasting  = listed("lasting")
	fleeting = listed("fleeting")
	// selling words are of what is for sale.
	selling = listed("selling")
	// offers are what is sold in more words than one.
	offers = phrases("offers")
	// noLimits are what is over, or what the writer undertakes.
	noLimits = phrases("noLimits")
)
