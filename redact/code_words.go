package redact

// role is what a word says of a number that stands near it.
type role uint8

const (
	// names: it is the word for something that opens.
	names role = iota
	// opens: it is what a code opens, or what is done with one.
	opens
	// admits: it is what signing in and confirming are called.
	admits
	// commands: it tells the reader to enter or to say something.
	commands
	// cautions: it is how such messages end.
	cautions
	// counts: it is what other numbers are called, or what they count.
	counts
	// trades: it is what advertising, programs and papers speak of.
	trades
	// passwords: it is the word for something like a password; of codes it says
	// nothing.
	passwords
	roles
)

// roleLists are the lists of words by role. A star at either end of a word stands for
// the rest of it.
var roleLists = [roles]string{"names", "opens", "admits", "commands", "cautions", "counts", "trades", "passwords"}

// Words right before and behind a code; codes.txt says what each list is.
var (
	numberSigns = finder("numberSigns")
	numberUnits = beginningsIn("numberUnits")
	units       = setOfWords("units")
	telephones  = setOfWords("telephones")
	months      = setOfWords("months")
	articles    = setOfWords("articles")
	verbs       = setOfWords("verbs")
	ties        = setOfWords("verbs", "ties")
	numbers     = setOfWords("numbers")
	leadOf      = setOfWords("leadOf")
	leadOn      = setOfWords("leadOn")
	standards   = beginningsIn("standards")
	sizes       = setOfWords("sizes")
	codeLinks   = setOfWords("codeLinks")
)
