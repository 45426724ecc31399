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
	groupedFigures: 6,
	capitalLetters: 6,
	smallLetters:   -8,
	lettersAlone:   1,
	partedLetters:  9,
	likeYear:       -18,
	likeHour:       -20,
	likeRange:      0,
	manyFigures:    -3,
	wordAndNumber:  -6,
	oneFigure:      -6,
	onOwnLine:      13,
	atBeginning:    7,
	atEnd:          1,
	inBrackets:     -8,
	behindColon:    12,
	behindIs:       11,
	behindWith:     15,
	behindOf:       -28,
	behindName:     3,
	leadsToWord:    -1,
	amongNumbers:   -11,
	inProgram:      -22,
	aheadOfWord:    -16,
	behindWord:     -11,
	boundToPage:    12,
	saidNames:      11,
	saidCertain:    12,
	saidOpens:      16,
	saidAdmits:     6,
	saidCommands:   4,
	saidCautions:   16,
	saidCounts:     -23,
	saidTrades:     -17,
	saidNumbers:    9,
	nearNames:      -1,
	nearCertain:    7,
	nearOpens:      0,
	nearAdmits:     -4,
	nearCommands:   -6,
	nearCautions:   3,
	nearCounts:     -6,
	nearTrades:     -6,
	nearNumbers:    0,
	closeCommand:   4,
	closeCount:     -19,
	closeName:      0,
	behindNumber:   9,
	behindOpener:   -5,
	saidYours:      -2,
	namedFor:       6,
	toldFor:        4,
}
