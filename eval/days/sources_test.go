package days

import (
	"regexp"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// sourced is a day with a feed and a command; tests change a line of it.
const sourced = heading + `quiet_hours: none
-- sources --
feed town every 15m severity notable
exec server trust machine complete
kind server broken severity warning
kind server old
exec bell trust owner every 10m per_hour 4
kind bell ring severity warning stands 2h due
-- later/two --
{"id": "raid", "kind": "broken", "title": "md0 runs on one disk"}

{"id": "cert {n}", "kind": "old", "title": "A certificate of {time}"}
-- timeline --
00:00 publish town/old "The town hall has new doors"
01:00 publish town/bridge "The bridge is closed & nobody knows why" "Until \"Friday\"."
01:10-01:30/10m report server from later/two
02:00 report server {"id": "fan", "kind": "broken", "title": "The fan stands still"}
03:00 withdraw server/fan
03:05 withdraw town/bridge
04:00 fail server
04:00 fail town
05:00 mend server
05:00 mend town
05:30 report server {"id": "fan", "kind": "broken", "title": "The fan stands still"}
06:00 report bell {"title": "Somebody rang"}
-- labels --
needle raid
  since 01:10
  by 01:15
  about report server/raid
  because "One more disk and all is lost."
needle fan
  since 02:00
  by 02:05
  until 03:00
  about report server/fan
  because "It gets too hot within the hour."
needle bell
  since 06:00
  by 06:10
  about report bell/
  because "Somebody stands at the door."
needle blind
  since 04:00
  by 05:00
  about sense server
  because "Nobody looks at the server."
worth bridge
  since 01:00
  about item town/bridge
  because "It is a long way around."
trap doors
  about item town/old
  because "They are there since last year."
`

// What a feed and a command say comes through the real senses, and what ends does.
func TestDaySources(t *testing.T) {
	defer goleak.VerifyNone(t)
	d, err := parseDay("x/small.txtar", []byte(sourced))
	if err != nil {
		t.Fatal(err)
	}
	p := played(t, d, 20*time.Hour)
	told := map[string]string{}
	for _, push := range p.Pushes {
		for _, l := range d.labels {
			if l.covers(push) {
				told[l.name] += push.At.In(d.zone).Format("15:04 ") + push.Kind + ";"
			}
		}
	}
	for name, want := range map[string]string{
		"raid": "^01:1. incident;$", "fan": "^02:0. incident;05:3. incident;$", "bell": "^06:0. incident;$", "blind": "^04:.. notice;", "bridge": "^08:.. digest;$", "doors": "^$",
	} {
		if got := told[name]; !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestParseSourcesRefuses(t *testing.T) {
	refuses(t, "x/small.txtar", sourced, map[string]mistake{
		"what":             {"feed town", "fed town", `:10: what it is is "fed"; it is one of feed, exec, kind`},
		"name":             {"feed town", "feed mail", `:10: "mail" is no name for a source`},
		"twice":            {"exec server", "exec town", ":11: there is a source town already, at line 10"},
		"word":             {"every 15m", "each 15m", `:10: a word of a feed is "each"`},
		"span":             {"every 15m", "every day", `:10: "day" is no time span`},
		"too often":        {"every 15m", "every 1m", ":10: town: every: is 1m0s"},
		"level":            {"severity notable", "severity loud", `:10: the severity is "loud"`},
		"stranger's":       {"exec server trust machine", "exec server", ":11: server: kinds[0].severity"},
		"trust":            {"trust owner", "trust friend", `:14: the trust is "friend"`},
		"no kind":          {"kind bell ring severity warning stands 2h due\n", "", ":14: bell: kinds: there is none"},
		"kind of nothing":  {"kind bell", "kind door", ":15: there is no line exec door before it"},
		"no feed":          {"publish town/bridge", "publish city/bridge", `:22: "city/bridge" is no item FEED/ID`},
		"no id":            {"publish town/bridge", "publish town/", `:22: "town/" is no item FEED/ID`},
		"title":            {`"The bridge is closed & nobody knows why"`, `"The\nbridge"`, ":22: the title"},
		"no source":        {"report bell {", "report town {", `:32: "town" is no exec`},
		"no report":        {`report bell {"title": "Somebody rang"}`, `report bell "rang"`, ":32: write `report bell {"},
		"JSON":             {`"Somebody rang"}`, `"Somebody rang" "x"}`, ":32: 06:00: report 1: it is no JSON object"},
		"field":            {`{"title": "Somebody`, `{"words": "Somebody`, ":32: 06:00: report 1: it is no JSON object"},
		"kind of a report": {`"kind": "broken", "title": "The fan`, `"kind": "hot", "title": "The fan`, `:24: 02:00: report 1: its kind "hot" is none`},
		"kind later":       {`"kind": "old", "title": "A`, `"kind": "new", "title": "A`, `:23: 01:10: report 2: its kind "new" is none`},
		"not printed":      {"withdraw server/fan", "withdraw server/cert", ":25: 03:00: server/cert is not there then"},
		"not published":    {"withdraw town/bridge", "withdraw town/none", ":26: 03:05: town/none is not there then"},
		"withdraw":         {"withdraw server/fan", "withdraw home/fan", `:25: "home/fan" is no SOURCE/ID`},
		"fail":             {"fail server", "fail servers", `:27: "servers" can not fail`},
		"about":            {"about report server/raid", "about report server/disk", ":37: nothing in the file is report server/disk"},
		"about an item":    {"about item town/old", "about item town/ol", ":60: nothing in the file is item town/ol"},
	})
}
