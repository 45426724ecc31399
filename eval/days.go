package eval

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

const daysUsage = `subconsciousd eval days plays days of people's lives through a whole daemon on a
made-up clock, and tells what of it they were told: what they would have wanted
(recall), what they would not (precision), how soon, and how often.

Usage:
  subconsciousd eval days PATH [--set SET] [--models PRESET] [--verbose] [--strict] [--json]

PATH is a day, or a folder of days, with all folders in it: NAME.txtar, as
docs/days.md describes them.

  --set SET        tune, hold, or both (default both)
  --models PRESET  who thinks: reflex (rules alone, the default), free,
                   four-vendors, local; keys are read from the environment
  --verbose        say of each needle that was missed and of each push why
  --strict         end with code 1 where a set is under its floors, the figures
                   of PATH/floors.json
  --json           print the figures as JSON

It plays in a temporary folder, which it removes, and asks nobody outside of this
machine but the models. Rules and prompts are tuned on the set tune alone: of days of the set hold it
prints figures, and never what was missed or told.
`

// daysOptions are the command line of the suite.
type daysOptions struct {
	path, set, preset       string
	verbose, strict, asJSON bool
}

func runDays(ctx context.Context, options daysOptions, _ []string, stdout, _ io.Writer) error {
	days, err := readDays(options.path)
	if err != nil {
		return err
	}
	var floors map[string]dayFloors
	if options.strict { // before the minutes that it takes
		if floors, err = readFloors(options.path); err != nil {
			return err
		}
	}
	result, err := playDays(ctx, days, options)
	if err != nil {
		return err
	}
	err = show(stdout, options.asJSON, result, result.text(options.verbose))
	if options.strict {
		for _, s := range result.Sets {
			err = errors.Join(err, s.under(floors[s.Set]))
		}
	}
	return err
}

// dayFloors are figures of a set, by their names in JSON.
type dayFloors map[string]float64

// readFloors reads those of all sets, which stand beside the days.
func readFloors(folder string) (floors map[string]dayFloors, err error) {
	data, err := os.ReadFile(filepath.Join(folder, "floors.json"))
	if err == nil {
		err = json.Unmarshal(data, &floors)
	}
	if err != nil {
		return nil, fmt.Errorf("read the floors of --strict: %w", err)
	}
	return floors, nil
}

// under says which figures are worse than their floors. A figure without a floor
// is none that was met.
func (s daysFigures) under(floors dayFloors) (err error) {
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

// playDays plays what is wanted of the days, one after the other.
func playDays(ctx context.Context, days []*day, options daysOptions) (daysResult, error) {
	result := daysResult{Models: options.preset, Sets: []daysFigures{}, Days: []dayFigures{}}
	days = slices.Clone(days)
	slices.SortStableFunc(days, func(a, b *day) int { return strings.Compare(b.set, a.set) }) // tune, then hold
	for _, d := range days {
		if options.set != "both" && d.set != options.set {
			continue
		}
		played, err := playDay(ctx, d, options.preset)
		if err != nil {
			return result, err
		}
		f := judgeDay(played)
		if d.set == daySetHold {
			f = f.withoutCases()
		}
		result.Days = append(result.Days, f)
	}
	if len(result.Days) == 0 {
		return result, fmt.Errorf("%s has no day of the set %s", options.path, options.set)
	}
	for _, set := range []string{daySetTune, daySetHold} {
		if slices.ContainsFunc(result.Days, func(f dayFigures) bool { return f.Set == set }) {
			result.Sets = append(result.Sets, sumDays(set, result.Days))
		}
	}
	return result, nil
}

// readDays reads a day, or all days of a folder and the folders in it, in the
// order of their paths.
func readDays(path string) ([]*day, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the days: %w", err)
	}
	paths := []string{path}
	if info.IsDir() {
		if paths, err = dayPaths(path); err != nil {
			return nil, fmt.Errorf("read the days: %w", err)
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("%s: %w", path, errNoDays)
		}
	}
	var days []*day
	var problems []error
	for _, path := range paths {
		data, err := readDay(path)
		if err != nil {
			return nil, err
		}
		d, err := parseDay(path, data)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		days = append(days, d)
	}
	return days, errors.Join(problems...)
}

func dayPaths(folder string) (paths []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".txtar" {
			paths = append(paths, path)
		}
		if len(paths) > maxDayFiles {
			return fmt.Errorf("there are more than %d days in %s", maxDayFiles, folder)
		}
		return err
	})
	return paths, err
}

func readDay(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read a day: %w", err)
	}
	defer file.Close() // nothing was written
	data, err := io.ReadAll(io.LimitReader(file, maxDayBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read a day: %w", err)
	}
	return data, nil
}

func parseDays(args []string) (options daysOptions, help bool, err error) {
	flags := flag.NewFlagSet("days", flag.ContinueOnError)
	flags.StringVar(&options.set, "set", "both", "")
	flags.StringVar(&options.preset, "models", models.PresetReflex, "")
	flags.BoolVar(&options.verbose, "verbose", false, "")
	flags.BoolVar(&options.strict, "strict", false, "")
	flags.BoolVar(&options.asJSON, "json", false, "")
	if options.path, help, err = parsePath(flags, args); help || err != nil {
		return options, help, err
	}
	switch {
	case options.path == "":
		return options, false, errors.New("no path is given; the days that are shipped are in eval/days")
	case !slices.Contains([]string{daySetTune, daySetHold, "both"}, options.set):
		return options, false, fmt.Errorf("--set is %q; it takes tune, hold or both", options.set)
	case !slices.Contains(models.PresetNames(), options.preset):
		return options, false, fmt.Errorf("--models is %q; it takes %s", options.preset, strings.Join(models.PresetNames(), ", "))
	}
	return options, false, nil
}
