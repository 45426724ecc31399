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
	sixFigures:     15,
	eightFigures:   7,
	fiveFigures:    2,
	fourFigures:    -5,
	groupedFigures: 8,
	capitalLetters: 8,
	smallLetters:   -8,
	lettersAlone:   1,
	partedLetters:  11,
	likeYear:       -14,
	likeHour:       -18,
	likeRange:      0,
	manyFigures:    -2,
	wordAndNumber:  -6,
	oneFigure:      -6,
	onOwnLine:      12,
	atBeginning:    9,
	atEnd:          2,
	inBrackets:     -7,
	behindColon:    12,
	behindIs:       12,
	behindWith:     13,
	behindOf:       -31,
	behindName:     2,
	leadsToWord:    -1,
	amongNumbers:   -11,
	inProgram:      -21,
	aheadOfWord:    -17,
	behindWord:     -10,
	boundToPage:    12,
	saidNames:      10,
	saidCertain:    13,
	saidOpens:      15,
	saidAdmits:     6,
	saidCommands:   4,
	saidCautions:   16,
	saidCounts:     -26,
	saidTrades:     -16,
	saidNumbers:    9,
	nearNames:      -1,
	nearCertain:    7,
	nearOpens:      0,
	nearAdmits:     -3,
	nearCommands:   -6,
	nearCautions:   3,
	nearCounts:     -6,
	nearTrades:     -6,
	nearNumbers:    0,
	closeCommand:   2,
	closeCount:     -17,
	closeName:      3,
	behindNumber:   5,
	behindOpener:   -5,
	saidYours:      -2,
	namedFor:       6,
	toldFor:        8,
	unnamedModel:   -4,
}
