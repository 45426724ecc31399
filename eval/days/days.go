// Package days plays days of people's lives through a whole daemon on a made-up
// clock, and tells what of it they were told.
package days

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/models"
)

var (
	//go:embed usage.txt
	usage string
	//go:embed figures.tmpl
	table string
)

// Suite is the subcommand.
func Suite() harness.Suite {
	return harness.Suite{Name: "days", About: "what people are told of days of their lives, and what they would have wanted", Usage: usage,
		Options: func() harness.Options { return &options{} }}
}

// options are the command line of the suite.
type options struct {
	path, set, preset string
	verbose, strict   bool
	check, oracle     bool
	phone             bool
	compare           string
}

// Flags implements harness.Options.
func (o *options) Flags(flags *flag.FlagSet) {
	flags.StringVar(&o.set, "set", "both", "")
	flags.StringVar(&o.preset, "models", models.PresetReflex, "")
	flags.BoolVar(&o.verbose, "verbose", false, "")
	flags.BoolVar(&o.strict, "strict", false, "")
	flags.BoolVar(&o.check, "check", false, "")
	flags.BoolVar(&o.oracle, "oracle", false, "")
	flags.BoolVar(&o.phone, "phone", false, "")
	flags.StringVar(&o.compare, "compare", "", "")
}

// Check implements harness.Options.
func (o *options) Check(path string) error {
	if o.path = path; path == "" {
		return errors.New("no path is given; the days that are shipped are in eval/days")
	}
	wrong := cmp.Or(harness.OneOf("set", o.set, setTune, setHold, "both"), harness.OneOf("models", o.preset, models.PresetNames()...))
	if o.oracle && wrong == nil {
		if o.preset != models.PresetReflex {
			return errors.New("--oracle and --models exclude each other")
		}
		o.preset = oracleModel
	}
	return wrong
}

// Run implements harness.Options.
func (o *options) Run(ctx context.Context, _ harness.Call) (harness.Report, error) {
	days, err := readDays(o.path)
	var floors map[string]bounds
	if err == nil && o.strict { // before the minutes that it takes
		floors, err = readFloors(o.path)
	}
	if err != nil {
		return harness.Report{}, err
	}
	var base result
	if o.compare != "" { // before the minutes that it takes
		data, err := harness.ReadFile(o.compare, 16*maxBytes)
		if err == nil {
			err = json.Unmarshal(data, &base)
		}
		if err != nil {
			return harness.Report{}, fmt.Errorf("read the result to compare with, as --json printed it: %w", err)
		}
	}
	if o.check {
		return harness.Report{Figures: contents(days), Template: "{{.Scripts}} scripts of {{.Days}} days: {{.Letters}} letters, {{.Needles}} needles, {{.Worth}} worth, {{.Noise}} noise, {{.Traps}} traps\n"}, nil
	}
	result, err := playDays(ctx, days, o)
	if o.compare != "" {
		result.Changes = result.since(base)
	}
	report := harness.Report{Figures: result, Template: table}
	for _, s := range result.Sets {
		if o.strict {
			report.Missed = errors.Join(report.Missed, s.under(floors[s.Set]))
		}
	}
	return report, err
}

// content is what days hold, without playing them.
type content struct {
	Scripts, Days, Letters, Needles, Worth, Noise, Traps int
}

func contents(days []*day) (c content) {
	for _, d := range days {
		c.Scripts++
		c.Days += d.days()
		for _, m := range d.mails {
			if m.mail.From != "" {
				c.Letters++
			}
		}
		for _, l := range d.labels {
			*map[kind]*int{needle: &c.Needles, worth: &c.Worth, noise: &c.Noise, trap: &c.Traps}[l.kind]++
		}
	}
	return c
}

// bounds are figures of a set, by their names in JSON.
type bounds map[string]float64

// readFloors reads those of all sets, which stand beside the days.
func readFloors(folder string) (floors map[string]bounds, err error) {
	data, err := os.ReadFile(filepath.Join(folder, "floors.json"))
	if err == nil {
		err = json.Unmarshal(data, &floors)
	}
	if err != nil {
		return nil, fmt.Errorf("read the floors of --strict: %w", err)
	}
	return floors, nil
}

// under says which figures are worse than their floors. A figure without a floor is
// an error as well.
func (s setFigures) under(floors bounds) (err error) {
	count := func(n int) *float64 { f := float64(n); return &f }
	figure := func(name string, value *float64, worse func(a, b float64) bool) {
		floor, known := floors[name]
		switch {
		case !known:
			err = errors.Join(err, fmt.Errorf("floors.json has no %s for the set %s", name, s.Set))
		case value != nil && worse(*value, floor):
			err = errors.Join(err, fmt.Errorf("on the set %s %s is %v, and its floor is %v", s.Set, name, *value, floor))
		}
	}
	less, more := func(a, b float64) bool { return a < b }, func(a, b float64) bool { return a > b }
	figure("recall", s.Recall, less)
	figure("precision", s.Precision, less)
	figure("quiet_days_silent", count(s.Silent), less)
	figure("repeats", count(s.Repeats), more)
	figure("traps_told", count(s.Sprung), more)
	if s.Median != nil {
		figure("delay_median", count(*s.Median), more)
	}
	return err
}

// result is the result of the suite.
type result struct {
	Models  string       `json:"models"`
	Sets    []setFigures `json:"sets"`
	Days    []figures    `json:"days"`
	Verbose bool         `json:"-"`
	// Changes are against the result that was given to compare with.
	Changes []change `json:"changes,omitempty"`
}

// change is one figure of a set, or one needle of a day, before and now.
type change struct{ Of, Figure, Before, Now string }

// since lists what is otherwise than in base, on the days that both have: figures of
// sets, and the needles that came or went, of those that are shown.
func (r result) since(base result) (all []change) {
	shared := func(days, others []figures) []figures {
		days = slices.DeleteFunc(slices.Clone(days), func(d figures) bool {
			return !slices.ContainsFunc(others, func(o figures) bool { return o.Name == d.Name })
		})
		slices.SortFunc(days, func(a, b figures) int { return strings.Compare(a.Name, b.Name) })
		return days
	}
	old, new := shared(base.Days, r.Days), shared(r.Days, base.Days)
	add := func(of string, before, now map[string]string) {
		for _, figure := range slices.Sorted(maps.Keys(now)) {
			if was := before[figure]; was != now[figure] {
				all = append(all, change{of, figure, was, now[figure]})
			}
		}
	}
	for _, s := range r.Sets {
		add(s.Set, flat(sum(s.Set, old)), flat(sum(s.Set, new)))
	}
	for i, d := range new {
		missed, missing := map[string]string{}, map[string]string{}
		for _, m := range old[i].Missed {
			missed[m.Label], missing[m.Label] = "missed", "told"
		}
		for _, m := range d.Missed {
			missed[m.Label], missing[m.Label] = cmp.Or(missed[m.Label], "told"), "missed"
		}
		add(d.Name, missed, missing)
	}
	return all
}

// flat is what a value is in JSON, each number and text by its path.
func flat(value any) map[string]string {
	all := map[string]string{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		if fields, nested := value.(map[string]any); nested {
			for name, field := range fields {
				walk(strings.TrimPrefix(path+" "+name, " "), field)
			}
			return
		}
		all[path] = fmt.Sprint(value)
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &value)
	}
	if err != nil {
		panic(err) // figures are numbers and texts
	}
	walk("", value)
	return all
}

// each plays days side by side, one for each core.
func each(ctx context.Context, days []*day, play func(ctx context.Context, n int, d *day) error) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for n, d := range days {
		all.Go(func() error { return play(ctx, n, d) })
	}
	return all.Wait()
}

// playDays plays what is wanted of the days.
func playDays(ctx context.Context, days []*day, o *options) (result, error) {
	result := result{Models: o.preset, Sets: []setFigures{}, Days: []figures{}, Verbose: o.verbose}
	for _, set := range []string{setTune, setHold} {
		wanted := slices.DeleteFunc(slices.Clone(days), func(d *day) bool { return d.set != set || o.set != "both" && o.set != set })
		judged := make([]figures, len(wanted))
		err := each(ctx, wanted, func(ctx context.Context, n int, d *day) error {
			d.phone = o.phone && set == setTune
			played, err := playDay(ctx, d, o.preset)
			if err != nil {
				return err
			}
			judged[n] = judge(played)
			if set == setHold {
				// Who tunes rules must not see what became of the days that they are
				// measured on.
				judged[n].Verdicts, judged[n].Missed, judged[n].Unanswered = []verdict{}, []miss{}, nil
			}
			return nil
		})
		if err != nil {
			return result, err
		}
		if result.Days = append(result.Days, judged...); len(judged) > 0 {
			s := sum(set, result.Days)
			if o.oracle {
				s.Lost = s.Needles - s.Told - s.Held - s.Unshown
				s.Ceiling = shareOf(s.Told+s.Held, s.Needles)
			}
			result.Sets = append(result.Sets, s)
		}
	}
	if len(result.Days) == 0 {
		return result, fmt.Errorf("%s has no day of the set %s", o.path, o.set)
	}
	return result, nil
}

// readDays reads a day, or all days of a folder and the folders in it, in the
// order of their paths.
func readDays(path string) (days []*day, problems error) {
	files := 0
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || file != path && (!entry.Type().IsRegular() || filepath.Ext(file) != ".txtar") {
			return err
		}
		if files++; files > maxFiles {
			return fmt.Errorf("there are more than %d days in %s", maxFiles, path)
		}
		data, err := harness.ReadFile(file, maxBytes)
		if err != nil {
			return err
		}
		d, err := parseDay(file, data)
		if err != nil {
			problems = errors.Join(problems, err)
		} else {
			days = append(days, d)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the days: %w", err)
	case files == 0:
		return nil, fmt.Errorf("%s: there is no day NAME.txtar", path)
	}
	return days, problems
}
