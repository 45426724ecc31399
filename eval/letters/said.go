package letters

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/internal/prose"
)

const (
	// seldom is in how many letters a word has to be, to be weighed.
	seldom = 4
	// maxList bounds a list of letters.
	maxList = 4 << 20
	// light is below how many hundredths a word is left out.
	light = 5
)

// said is a letter of a list: what it says, and what the person would have.
type said struct {
	list                         int
	label, writer, subject, text string
}

// readSaid reads lists of letters: a line each, "LABEL WRITER | SUBJECT | TEXT".
func readSaid(folder string) (all []said, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there are no lists of letters (*.txt) in %s", folder)
	}
	if err != nil {
		return nil, err
	}
	for list, file := range files {
		content, err := harness.ReadFile(file, maxList)
		if err != nil {
			return nil, err
		}
		for n, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
			parts := strings.SplitN(line, " | ", 3)
			label, writer, _ := strings.Cut(parts[0], " ")
			if len(parts) != 3 || !slices.Contains([]string{"now", "later", "no"}, label) {
				return nil, fmt.Errorf("%s, line %d: not a line of the form \"now|later|no WRITER | SUBJECT | TEXT\"", file, n+1)
			}
			all = append(all, said{list, label, writer, parts[1], strings.ReplaceAll(parts[2], " / ", "\n")})
		}
	}
	return all, nil
}

// wordFigures are what was learnt of words.
type wordFigures struct {
	Letters, Words int
	// Area is under the curve, of letters of lists that the weights were not learnt of.
	Area float64
}

// folds is in how many parts the lists are left out in turn.
const folds = 5

// learnWords learns the weights of words from the lists of a folder, and writes them.
func learnWords(folder, path string) (harness.Report, error) {
	all, err := readSaid(folder)
	if err != nil {
		return harness.Report{}, err
	}
	samples, words := wordSamples(all)
	f := wordFigures{Letters: len(all), Area: harness.Round(area(crossValidate(samples, free(words), wordRidge, func(s sample) string { return s.Group })), 3)}
	text := trainWords(all)
	f.Words = strings.Count(text, "\n")
	report := harness.Report{Figures: f, Template: "{{.Letters}} letters, {{.Words}} words that weigh; area under the curve {{.Area}}, of lists that were left out\n"}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return report, fmt.Errorf("write the weights of words: %w", err)
	}
	return report, nil
}

func free(words []string) []limits {
	return slices.Repeat([]limits{{math.Inf(-1), math.Inf(1)}}, len(words))
}

// beside is what begins the features that are learnt beside words, and are none: who
// wrote it, and how long it is, so that words are not weighed for either.
const beside = "~"

// wordSamples are the letters by the words that are in them, as the words are sorted.
func wordSamples(all []said) (samples []sample, words []string) {
	count, each := map[string]int{}, make([][]string, len(all))
	for n, l := range all {
		each[n] = prose.Weighed(l.subject, l.text)
		each[n] = append(each[n], beside+l.writer, fmt.Sprint(beside, min(len(each[n])/16, 8)))
		for _, w := range each[n] {
			count[w]++
		}
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n < seldom })
	words = slices.Sorted(maps.Keys(count))
	for n, l := range all {
		s := sample{Name: fmt.Sprintf("%06d", n), Group: fmt.Sprint(l.list % folds), Weight: 1}
		switch l.label {
		case "now":
			s.Want = 1
		case "later":
			s.Weight = 0.5
		}
		for _, w := range each[n] {
			if i, is := slices.BinarySearch(words, w); is {
				s.Has = append(s.Has, i)
			}
		}
		samples = append(samples, s)
	}
	return samples, words
}

// trainWords returns the file of weights that is learnt from letters.
func trainWords(all []said) string {
	samples, words := wordSamples(all)
	m := train(samples, free(words), wordRidge)
	var text strings.Builder
	for i, w := range words {
		if n := m.weights[i]; max(n, -n) >= light && !strings.HasPrefix(w, beside) {
			fmt.Fprintln(&text, n, w)
		}
	}
	return text.String()
}
