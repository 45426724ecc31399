package prose

// The words by which obligations and appointments in prose are told from the
// memories, reports and rules that look like them.
var (
	// doubting words leave open whether something is to be done.
	doubting = listed("doubting")
	inCase   = phrases("inCase")
	// calledOff words say that it is over.
	calledOff = listed("calledOff")
	// sinceWords lead to a day from which on, or of which, something is.
	sinceWords = SetOf(`of from dated since after vom von ab seit nach du de del depuis après desde después`)
	// spanWords lead to a span.
	spanWords = SetOf(`in within dans binnen innerhalb sous dentro en`)
	// courtesy may stand before what is to be done.
	courtesy = SetOf(`please bitte urgent urgente wichtig important importante dringend unbedingt`)
	// speaking words before a colon tell that somebody else speaks, or of when.
	speaking = listed("speaking")
	// telling words make a statement of a sentence: subjects, finite verbs of
	// being, having and being allowed, negations. Words that are harmless in
	// another of the languages are left out: am, on, no, son.
	telling = listed("telling")

	// englishErrands are verbs that one finds at the head of a sentence only as
	// an imperative; englishNouns are nouns as well.
	englishErrands = listed("englishErrands")
	englishNouns   = SetOf(`call phone ring book order return file mail email text answer sign visit print reply write take give get meet register transfer`)
	// englishObject follows a verb rather than a noun; englishLink a noun.
	englishObject = SetOf(`the a an my our your his her their this these those that it them him me us back up in off out to`)
	englishLink   = SetOf(`of from with is was were at on by and or as`)

	// nouns end as infinitives do.
	nouns = listed("infinitiveNouns")

	// articles begin a statement rather than the name of an appointment.
	articles = listed("articles")
	// stamps say when a file or a machine did something, or of when a thing is.
	stamps = listed("stamps")
	// appointments are the things that are named beside a weekday and a time
	// and are no weekly habit.
	appointments = listed("appointments")
	// weekly things are each week when they stand beside a weekday and a time.
	weekly = listed("weekly")
	// expiring says that something ends, which its owner noted down.
	expiring = phrases("expiring")
	// past words tell of what was.
	past = listed("past")
	// records are the names and headings of what was.
	records = listed("records")
)
