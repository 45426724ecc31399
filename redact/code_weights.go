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
const enough = -6

// traitWeights are what the traits say, in tenths of a natural logarithm of the
// odds.
var traitWeights = [traitCount]int{
	sixFigures:       13,
	eightFigures:     6,
	fiveFigures:      0,
	fourFigures:      -5,
	groupedFigures:   8,
	capitalLetters:   8,
	smallLetters:     -7,
	lettersAlone:     1,
	partedLetters:    11,
	likeYear:         -14,
	likeHour:         -19,
	likeRange:        0,
	manyFigures:      -2,
	wordAndNumber:    -5,
	oneFigure:        -5,
	onOwnLine:        13,
	atBeginning:      9,
	atEnd:            3,
	inBrackets:       -6,
	behindColon:      10,
	behindIs:         12,
	behindWith:       13,
	behindOf:         -29,
	behindName:       5,
	leadsToWord:      -1,
	amongNumbers:     -11,
	inProgram:        -20,
	aheadOfWord:      -18,
	behindWord:       -10,
	boundToPage:      11,
	saidNames:        9,
	saidCertain:      13,
	saidOpens:        15,
	saidAdmits:       5,
	saidCommands:     5,
	saidCautions:     15,
	saidCounts:       -25,
	saidTrades:       -15,
	saidNumbers:      7,
	nearNames:        -1,
	nearCertain:      7,
	nearOpens:        1,
	nearAdmits:       -3,
	nearCommands:     -6,
	nearCautions:     4,
	nearCounts:       -6,
	nearTrades:       -6,
	nearNumbers:      0,
	closeCommand:     2,
	closeCount:       -17,
	closeName:        2,
	behindNumber:     6,
	behindOpener:     -3,
	saidYours:        0,
	namedFor:         7,
	toldFor:          9,
	unnamedModel:     -3,
	unnamedAhead:     1,
	colonBehindOther: 0,
	unevenGroups:     -9,
}
