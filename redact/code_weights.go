package redact

// The weights were fitted by logistic regression on everything with the shape of
// a code in the labelled lines of testdata and in a corpus of ordinary mail and
// of source, where every such thing counts as none, with a seventh of the weight
// of a line. A penalty on the squares of the weights (0.05) keeps those small
// that few lines speak for; what is only near may speak against a code by no
// more than 6. To see how that carries over to other lines, each of the three
// files was left out in turn and the weights fitted on the others. After a
// change of the traits or the words the weights are to be fitted anew:
// TestCodesAndLinks says whether they hold.

// enough is the weight from which something is taken for a code.
const enough = -8

// traitWeights are what the traits say, in tenths of a natural logarithm of the
// odds.
var traitWeights = [traitCount]int{
	sixFigures:     16,
	eightFigures:   6,
	fiveFigures:    2,
	fourFigures:    -5,
	groupedFigures: 7,
	capitalLetters: 6,
	smallLetters:   -8,
	lettersAlone:   2,
	partedLetters:  7,
	likeYear:       -18,
	likeHour:       -19,
	likeRange:      0,
	manyFigures:    -3,
	wordAndNumber:  -6,
	oneFigure:      -6,
	onOwnLine:      12,
	atBeginning:    7,
	atEnd:          -1,
	inBrackets:     -8,
	behindColon:    12,
	behindIs:       11,
	behindWith:     15,
	behindOf:       -29,
	behindName:     6,
	leadsToWord:    -2,
	amongNumbers:   -11,
	inProgram:      -21,
	aheadOfWord:    -20,
	behindWord:     -10,
	boundToPage:    12,
	saidNames:      12,
	saidCertain:    11,
	saidOpens:      15,
	saidAdmits:     7,
	saidCommands:   2,
	saidCautions:   17,
	saidCounts:     -22,
	saidTrades:     -17,
	saidNumbers:    9,
	nearNames:      -2,
	nearCertain:    7,
	nearOpens:      1,
	nearAdmits:     -4,
	nearCommands:   -6,
	nearCautions:   2,
	nearCounts:     -6,
	nearTrades:     -6,
	nearNumbers:    -1,
	closeCommand:   1,
	closeCount:     -17,
	closeName:      1,
	behindNumber:   9,
	behindOpener:   -4,
	saidYours:      -2,
	namedFor:       5,
	toldFor:        7,
}
