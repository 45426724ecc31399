package escalate_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	ownRef   = subconscious.Ref("mail:aaaaaaaaaa")
	otherRef = subconscious.Ref("mail:bbbbbbbbbb")
)

var (
	note       = escalate.Word{Trust: subconscious.Owner, Ref: "notes:aaaaaaaaaa", Source: "evidence"}
	metric     = escalate.Word{Trust: subconscious.Machine, Ref: "health:aaaaaaaaaa", Source: "evidence"}
	mail       = escalate.Word{Trust: subconscious.Outsider, Ref: ownRef, Voice: "ann@example.com", Source: "evidence"}
	reply      = escalate.Word{Trust: subconscious.Outsider, Ref: ownRef, Voice: "bob@example.org", Source: "evidence"}
	otherMail  = escalate.Word{Trust: subconscious.Outsider, Ref: otherRef, Voice: "bob@example.org", Source: "read_mail"}
	finding    = escalate.Word{Trust: subconscious.Agent, Ref: ownRef, Source: "entry"}
	noteWithin = escalate.Word{Trust: subconscious.Owner, Ref: ownRef, Source: "evidence"}
	memo       = escalate.Word{Trust: subconscious.Agent, Source: "memory"}
)

// request asks for an effect on the incident of mail.
func request(effect escalate.Effect, words ...escalate.Word) escalate.Request {
	return escalate.Request{Effect: effect, Taint: escalate.Taint{}.With(words...), Own: []subconscious.Ref{ownRef}}
}

func act(approval escalate.Approval, words ...escalate.Word) escalate.Request {
	w := request(escalate.EffectAct, words...)
	w.Approval = approval
	return w
}

func critical(w escalate.Request) escalate.Request {
	w.Critical = true
	return w
}

// TestShipped is the policy by example.
func TestShipped(t *testing.T) {
	for _, c := range []struct {
		name       string
		request    escalate.Request
		permission escalate.Permission
		clause     string
	}{
		{"tell of anything", request(escalate.EffectNotify, mail, otherMail, memo), escalate.Allowed, "tell"},
		{"tell of what is critical", critical(request(escalate.EffectNotify)), escalate.Allowed, "tell"},
		{"remember what the person wrote", request(escalate.EffectRemember, note, metric), escalate.Allowed, "remember"},
		{"remember what a stranger wrote", request(escalate.EffectRemember, note, mail), escalate.Quarantined, "remember-apart"},
		{"remember what an agent wrote", request(escalate.EffectRemember, memo), escalate.Quarantined, "remember-apart"},
		{"post after a note", request(escalate.EffectPost, note), escalate.Allowed, "post"},
		{"post after a mail", request(escalate.EffectPost, mail), escalate.Proposed, "post-asks"},
		{"post after a finding", request(escalate.EffectPost, finding), escalate.Proposed, "post-asks"},
		{"act always asked, after a note", act(escalate.ApproveAlways, note), escalate.Proposed, "act-asks-always"},
		{"act tainted, after a note", act(escalate.ApproveTainted, note, metric), escalate.Allowed, "act"},
		{"act tainted, after a finding", act(escalate.ApproveTainted, note, finding), escalate.Proposed, "act-asks-for-agents"},
		{"act tainted, after a mail", act(escalate.ApproveTainted, note, mail), escalate.Proposed, "act-asks-for-strangers"},
		{"act never asked, after a finding", act(escalate.ApproveNever, note, finding), escalate.Allowed, "act"},
		{"act never asked, after a mail", act(escalate.ApproveNever, note, mail), escalate.Proposed, "act-asks-for-strangers"},
		{"act configured in no known way", act("sometimes", note), escalate.Refused, "deny"},
		{"act not configured, after a mail", act("", mail), escalate.Refused, "deny"},
		{"act not configured", act("", note), escalate.Refused, "deny"},
		{"snooze a mail by its own words", request(escalate.EffectSnooze, mail), escalate.Allowed, "snooze"},
		{"snooze a mail with another read", request(escalate.EffectSnooze, mail, otherMail), escalate.Refused, "others-delay-nothing"},
		{"snooze a mail with an answer of somebody else", request(escalate.EffectSnooze, mail, reply), escalate.Refused, "others-delay-nothing"},
		{"snooze a mail with a note of its incident", request(escalate.EffectSnooze, mail, noteWithin), escalate.Refused, "others-delay-nothing"},
		{"snooze a note by its own words", request(escalate.EffectSnooze, noteWithin), escalate.Allowed, "snooze"},
		{"snooze what is critical", critical(request(escalate.EffectSnooze, metric)), escalate.Refused, "critical-is-told"},
		{"dismiss a mail by its own words", request(escalate.EffectDismiss, mail, note), escalate.Allowed, "dismiss"},
		{"dismiss a mail with a note of its incident", request(escalate.EffectDismiss, mail, noteWithin), escalate.Refused, "others-silence-nothing"},
		{"dismiss a mail with a memory", request(escalate.EffectDismiss, mail, memo), escalate.Refused, "others-silence-nothing"},
		{"dismiss what is critical", critical(request(escalate.EffectDismiss, mail)), escalate.Refused, "critical-is-told"},
		{"keep quiet of a mail", request(escalate.EffectKeep, mail), escalate.Allowed, "keep"},
		{"keep quiet of a mail with a note of its incident", request(escalate.EffectKeep, mail, noteWithin), escalate.Refused, "others-silence-nothing"},
		{"keep quiet with another read", request(escalate.EffectKeep, metric, otherMail), escalate.Refused, "others-silence-nothing"},
		{"keep quiet of what is critical", critical(request(escalate.EffectKeep)), escalate.Refused, "critical-is-told"},
		{"start a turn", request("start_turn"), escalate.Refused, "deny"},
		{"nothing", request(""), escalate.Refused, "deny"},
		{"an effect spelled otherwise", request("Notify_Person"), escalate.Refused, "deny"},
	} {
		got := escalate.Shipped().Judge(c.request)
		if got.Permission != c.permission || got.Clause != c.clause || got.Why == "" {
			t.Errorf("%s: %+v, want %s by %s", c.name, got, c.permission, c.clause)
		}
	}
	if got := (escalate.Policy{}).Judge(request(escalate.EffectNotify)); got.Permission != escalate.Refused {
		t.Errorf("a policy without clauses says %+v", got)
	}
}

// TestEachClauseHasATwin takes each clause out of the policy, and names what is
// then possible, or is not any more.
func TestEachClauseHasATwin(t *testing.T) {
	twins := []struct {
		effect escalate.Effect
		clause string
		// without it
		possible   string
		request    escalate.Request
		permission escalate.Permission
	}{
		{escalate.EffectNotify, "tell", "the person hears of nothing", request(escalate.EffectNotify, mail), escalate.Refused},
		{escalate.EffectRemember, "remember-apart", "a mail writes into trusted memory", request(escalate.EffectRemember, mail), escalate.Allowed},
		{escalate.EffectRemember, "remember", "the person's own word is forgotten", request(escalate.EffectRemember, note), escalate.Refused},
		{escalate.EffectPost, "post-asks", "a mail speaks to agents in the daemon's name", request(escalate.EffectPost, mail), escalate.Allowed},
		{escalate.EffectPost, "post", "a note is not passed on", request(escalate.EffectPost, note), escalate.Refused},
		{escalate.EffectAct, "act-asks-always", "an action that asks each time is lost", act(escalate.ApproveAlways, note), escalate.Refused},
		{escalate.EffectAct, "act-asks-for-strangers", "a mail runs a program", act(escalate.ApproveNever, mail), escalate.Allowed},
		{escalate.EffectAct, "act-asks-for-agents", "a model's finding runs a program", act(escalate.ApproveTainted, finding), escalate.Allowed},
		{escalate.EffectAct, "act", "a note starts nothing", act(escalate.ApproveTainted, note), escalate.Refused},
		{escalate.EffectSnooze, "critical-is-told", "a disk that is full is told tomorrow", critical(request(escalate.EffectSnooze, metric)), escalate.Allowed},
		{escalate.EffectSnooze, "others-delay-nothing", "a mail delays another's", request(escalate.EffectSnooze, mail, otherMail), escalate.Allowed},
		{escalate.EffectSnooze, "snooze", "nothing can be told later", request(escalate.EffectSnooze, mail), escalate.Refused},
		{escalate.EffectDismiss, "critical-is-told", "nobody hears of a disk that is full", critical(request(escalate.EffectDismiss, metric)), escalate.Allowed},
		{escalate.EffectDismiss, "others-silence-nothing", "a mail silences another's", request(escalate.EffectDismiss, mail, otherMail), escalate.Allowed},
		{escalate.EffectDismiss, "dismiss", "all is told", request(escalate.EffectDismiss, mail), escalate.Refused},
		{escalate.EffectKeep, "critical-is-told", "a disk that is full is remembered, and not told", critical(request(escalate.EffectKeep, metric)), escalate.Allowed},
		{escalate.EffectKeep, "others-silence-nothing", "another's mail is remembered, and not told", request(escalate.EffectKeep, mail, otherMail), escalate.Allowed},
		{escalate.EffectKeep, "keep", "what is remembered is told, too", request(escalate.EffectKeep, mail), escalate.Refused},
	}
	for _, c := range escalate.Shipped() {
		i := slices.IndexFunc(twins, func(twin struct {
			effect     escalate.Effect
			clause     string
			possible   string
			request    escalate.Request
			permission escalate.Permission
		}) bool {
			return twin.effect == c.Effect && twin.clause == c.Name
		})
		if i < 0 {
			t.Errorf("%s: the clause %q has no twin", c.Effect, c.Name)
			continue
		}
		twin := twins[i]
		if got := escalate.Shipped().Judge(twin.request); got.Permission != c.Permission || got.Clause != c.Name {
			t.Errorf("with %s of %s: %+v", c.Name, c.Effect, got)
		}
		without := slices.DeleteFunc(escalate.Shipped(), func(x escalate.Clause) bool { return x.Effect == c.Effect && x.Name == c.Name })
		if got := without.Judge(twin.request); got.Permission != twin.permission {
			t.Errorf("without %s of %s it is not so that %s: %+v", c.Name, c.Effect, twin.possible, got)
		}
	}
	if len(twins) != len(escalate.Shipped()) {
		t.Errorf("%d twins of %d clauses", len(twins), len(escalate.Shipped()))
	}
}

// anyWord draws a word of anybody's, often of the same few observations and
// voices.
func anyWord(t *rapid.T) escalate.Word {
	return escalate.Word{
		Trust:  rapid.SampledFrom([]subconscious.Trust{subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider, "", "root"}).Draw(t, "trust"),
		Ref:    rapid.SampledFrom([]subconscious.Ref{ownRef, otherRef, ""}).Draw(t, "ref"),
		Voice:  rapid.SampledFrom([]string{"", "ann@example.com", "bob@example.org", string(ownRef)}).Draw(t, "voice"),
		Source: rapid.SampledFrom([]string{"evidence", "entry", "memory", "read_mail"}).Draw(t, "source"),
	}
}

func anyRequest(t *rapid.T) escalate.Request {
	return escalate.Request{
		Effect:   rapid.SampledFrom(append(escalate.Effects(), "", "start_turn", "NOTIFY_PERSON")).Draw(t, "effect"),
		Taint:    escalate.Taint{}.With(rapid.SliceOfN(rapid.Custom(anyWord), 0, 6).Draw(t, "words")...),
		Own:      rapid.SampledFrom([][]subconscious.Ref{nil, {ownRef}, {ownRef, otherRef}}).Draw(t, "own"),
		Critical: rapid.Bool().Draw(t, "critical"),
		Approval: rapid.SampledFrom(append(escalate.Approvals(), "", "auto")).Draw(t, "approval"),
	}
}

// TestJudgingNeverRelents: whatever else a model is shown, it may not do more.
func TestJudgingNeverRelents(t *testing.T) {
	policy := escalate.Shipped()
	rapid.Check(t, func(t *rapid.T) {
		w := anyRequest(t)
		before := policy.Judge(w)
		w.Taint = w.Taint.With(rapid.SliceOfN(rapid.Custom(anyWord), 1, 4).Draw(t, "more")...)
		if after := policy.Judge(w); after.Permission.Laxness() > before.Permission.Laxness() {
			t.Fatalf("%+v became %+v with %+v", before, after, w)
		}
	})
}

// TestNothingButWhatIsAllowed states for every request what strangers and agents
// can cause at most, without a look at the clauses.
func TestNothingButWhatIsAllowed(t *testing.T) {
	policy := escalate.Shipped()
	rapid.Check(t, func(t *rapid.T) {
		w := anyRequest(t)
		got := policy.Judge(w).Permission
		outsider := w.Taint.Has(subconscious.Outsider)
		tainted := outsider || w.Taint.Has(subconscious.Agent)
		allowed := got == escalate.Allowed
		switch w.Effect {
		case escalate.EffectNotify:
		case escalate.EffectSnooze, escalate.EffectDismiss, escalate.EffectKeep:
			if allowed && (w.Critical || w.Taint.IsForeign(w.Own)) {
				t.Fatalf("kept back: %+v", w)
			}
			ours := slices.ContainsFunc(w.Taint.Words, func(x escalate.Word) bool {
				return (x.Trust == subconscious.Owner || x.Trust == subconscious.Machine) && slices.Contains(w.Own, x.Ref)
			})
			if allowed && tainted && ours {
				t.Fatalf("a stranger or an agent kept back what the person or the machine says: %+v", w)
			}
		case escalate.EffectAct:
			if allowed && (outsider || w.Approval == escalate.ApproveAlways || tainted && w.Approval != escalate.ApproveNever) {
				t.Fatalf("acted: %+v", w)
			}
		case escalate.EffectPost, escalate.EffectRemember:
			if allowed && tainted {
				t.Fatalf("done: %+v", w)
			}
		default:
			if got != escalate.Refused {
				t.Fatalf("%q is %s", w.Effect, got)
			}
		}
	})
}

// TestValidatePolicy breaks the policy in every way there is.
func TestValidatePolicy(t *testing.T) {
	if err := escalate.Shipped().Validate(); err != nil {
		t.Fatal(err)
	}
	with := func(change func(*escalate.Clause)) escalate.Policy {
		p := escalate.Shipped()
		change(&p[len(p)-1])
		return p
	}
	first := func(c escalate.Clause) escalate.Policy {
		c.Why = "so"
		return append(escalate.Policy{c}, escalate.Shipped()...)
	}
	for name, c := range map[string]struct {
		policy escalate.Policy
		says   string
	}{
		"no name":         {with(func(c *escalate.Clause) { c.Name = "" }), "needs a name"},
		"a strange name":  {with(func(c *escalate.Clause) { c.Name = "a|b" }), "needs a name"},
		"no reason":       {with(func(c *escalate.Clause) { c.Why = " " }), "needs a reason"},
		"a broken reason": {with(func(c *escalate.Clause) { c.Why = "a | b" }), "needs a reason"},
		"no effect":       {with(func(c *escalate.Clause) { c.Effect = "start_turn" }), "is no effect"},
		"no permission":   {with(func(c *escalate.Clause) { c.Permission = "yes" }), "is no permission"},
		"no trust":        {with(func(c *escalate.Clause) { c.Shown = []subconscious.Trust{"friend"} }), "is no trust"},
		"no approval":     {with(func(c *escalate.Clause) { c.Effect, c.Approval = escalate.EffectAct, []escalate.Approval{"auto"} }), "is no approval"},
		"approval":        {with(func(c *escalate.Clause) { c.Approval = escalate.Approvals() }), "only actions are approved"},
		"quarantine":      {with(func(c *escalate.Clause) { c.Permission = escalate.Quarantined }), "kept apart"},
		"a proposal":      {with(func(c *escalate.Clause) { c.Permission = escalate.Proposed }), "can be proposed"},
		"the same name":   {with(func(c *escalate.Clause) { c.Name = "critical-is-told" }), "is that of another clause"},
		"unreachable": {append(escalate.Shipped(), escalate.Clause{Name: "late", Effect: escalate.EffectSnooze, Critical: true, Permission: escalate.Refused, Why: "so"}),
			"it never decides"},
		"unreachable behind two": {append(escalate.Shipped(), escalate.Clause{Name: "late", Effect: escalate.EffectAct, Approval: escalate.Approvals(), Permission: escalate.Refused, Why: "so"}),
			"it never decides"},
		"laxer when shown more": {first(escalate.Clause{Name: "friendly", Effect: escalate.EffectAct, Shown: []subconscious.Trust{subconscious.Agent}, Permission: escalate.Allowed}),
			"propose_action: more is permitted where more was shown"},
		"laxer when shown others'": {first(escalate.Clause{Name: "lazy", Effect: escalate.EffectDismiss, Foreign: true, Permission: escalate.Allowed}),
			"dismiss: more is permitted where more was shown"},
	} {
		if err := c.policy.Validate(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTable: the table has each clause, in order, and the golden is what people
// read of it.
func TestTable(t *testing.T) {
	table := escalate.Shipped().Table()
	rows := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	if len(rows) != len(escalate.Shipped())+3 {
		t.Fatalf("%d rows:\n%s", len(rows), table)
	}
	for i, c := range escalate.Shipped() {
		row := rows[i+2]
		if strings.Count(row, "|") != 6 || !strings.Contains(row, "`"+c.Name+"`") || !strings.Contains(row, c.Why) || !strings.Contains(row, string(c.Permission)) {
			t.Errorf("clause %d is %s", i, row)
		}
	}
	testutil.Golden(t, *update, "testdata/policy.md", table)
	// What the page promises is what holds.
	page := testutil.Read(t, "../docs/security.md")
	if !strings.Contains(string(page), "\n"+table) {
		t.Errorf("docs/security.md has another policy than escalate.Shipped; it should have\n%s", table)
	}
}
