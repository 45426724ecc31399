package harness

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"text/template"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// Reach is a condition that figures have to meet.
type Reach struct {
	Words string
	Met   bool
}

// Want describes a reach in words and says whether it is met.
func Want(met bool, format string, values ...any) Reach {
	return Reach{fmt.Sprintf(format, values...), met}
}

// Missed are the words of the reaches that are not met.
func Missed(reaches []Reach) []string {
	missed := []string{}
	for _, r := range reaches {
		if !r.Met {
			missed = append(missed, r.Words)
		}
	}
	return missed
}

// Unmet is an error for each reach that was missed, nil where there is none.
func Unmet(before string, missed []string) (err error) {
	for _, words := range missed {
		err = errors.Join(err, errors.New(before+words))
	}
	return err
}

// Share is n divided by of; 0 where of is 0.
func Share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// Round keeps so many digits after the point.
func Round(value float64, digits int) float64 {
	factor := math.Pow10(digits)
	return math.Round(factor*value) / factor
}

// ByCount are the keys of a map, the most frequent first.
func ByCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// Add adds the numbers of one value to those of another: of structs field by
// field, of maps key by key. Other fields are left as they are.
func Add[T any](to *T, from T) { add(reflect.ValueOf(to).Elem(), reflect.ValueOf(from)) }

func add(to, from reflect.Value) {
	switch to.Kind() {
	case reflect.Int:
		to.SetInt(to.Int() + from.Int())
	case reflect.Float64:
		to.SetFloat(to.Float() + from.Float())
	case reflect.Struct:
		for i := range to.NumField() {
			add(to.Field(i), from.Field(i))
		}
	case reflect.Map:
		for each := from.MapRange(); each.Next(); {
			sum := reflect.New(to.Type().Elem()).Elem()
			if before := to.MapIndex(each.Key()); before.IsValid() {
				sum.Set(before)
			}
			add(sum, each.Value())
			to.SetMapIndex(each.Key(), sum)
		}
	}
}

// Text fills a template with figures and lays it out: cells that end in tabs
// stand in columns. A template can call the functions in words.
func Text(text string, figures any) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if err := template.Must(template.New("").Funcs(words).Parse(text)).Execute(w, figures); err != nil {
		panic(err) // a fault of the template, which a test of its suite finds
	}
	_ = w.Flush() // a builder takes all
	lines := slices.Collect(strings.Lines(b.String()))
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \n") + "\n"
	}
	return strings.TrimRight(strings.Join(lines, ""), "\n") + "\n"
}

var words = template.FuncMap{
	"percent": Percent,
	"of":      func(n, all int) string { return fmt.Sprintf("%d (%s)", n, Percent(Share(n, all))) },
	"inc":     func(n int) int { return n + 1 },
	"join":    strings.Join,
	"setIn":   func(by, text string) string { return strings.ReplaceAll(text, "\n", "\n"+by) },
	"byCount": ByCount,
	"oneLine": strings.NewReplacer("\n", " | ", "\t", " ").Replace,
	"orNone":  orNone,
}

// Percent is a share as people read it.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// orNone formats a figure behind a pointer; nil is "none".
func orNone(format string, figure any) string {
	if v := reflect.ValueOf(figure); !v.IsNil() {
		return fmt.Sprintf(format, v.Elem())
	}
	return "none"
}

// memoryLine has what the system tells of the memory of a process (proc(5)), the
// most of it first.
var memoryLine = lazy.Regexp(`(?m)^Vm(?:HWM|RSS):\s+(\d+) kB`)

// ResidentMB is the memory of a process, or of this one ("self"), now and at most, where
// the system tells; else 0.
func ResidentMB(process string) (now, peak float64) {
	text, _ := os.ReadFile("/proc/" + process + "/status") // no such file elsewhere
	for _, line := range memoryLine().FindAllSubmatch(text, 2) {
		kb, _ := strconv.ParseFloat(string(line[1]), 64) // it is a number
		now, peak = math.Round(kb/1024), max(peak, now)
	}
	return now, peak
}
