package mail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
)

func TestProof(t *testing.T) {
	const ours, house, relay = "Authentication-Results: mx.example.com; ", "Received: from a (b by c) by imap.example.com with LMTP; now\n", "Received: from a by mx.example.net; now\n"
	for name, test := range map[string]struct{ header, want string }{
		"nothing":                                {"", "unknown"},
		"passed":                                 {ours + "dmarc=pass (p=NONE) header.from=example.org", "passed"},
		"failed":                                 {ours + "spf=pass smtp.mailfrom=example.net; dmarc=fail header.from=example.org", "failed"},
		"rejected":                               {ours + "dmarc=REJECT", "failed"},
		"without a policy, signed":               {ours + "dkim=pass header.i=@mail.example.org; dmarc=none", "passed"},
		"signed by another":                      {ours + "dkim=pass header.d=example.net; spf=softfail smtp.mailfrom=a@example.org", "unknown"},
		"in its own envelope":                    {ours + "spf=pass smtp.mailfrom=bounce@example.org", "passed"},
		"below a hop of the house":               {house + ours + "dmarc=pass", "passed"},
		"below a hop within it":                  {"Received: by 2001:db8::1 with SMTP; now\nReceived: from a by store7.internal; now\n" + house + ours + "dmarc=pass", "passed"},
		"below another hop":                      {house + relay + ours + "dmarc=pass", "unknown"},
		"a failure below another hop":            {house + relay + ours + "dmarc=fail", "unknown"},
		"below another's word":                   {"Authentication-Results: mx.example.net; dmarc=pass\n" + ours + "dmarc=pass", "unknown"},
		"another's word alone":                   {"Authentication-Results: mx.example.net; dmarc=pass", "unknown"},
		"a name that ends like ours":             {"Authentication-Results: evilmx.example.com; dmarc=pass", "unknown"},
		"a host of the house":                    {"Authentication-Results: 7.mx.example.com; dmarc=pass", "passed"},
		"ours first, then one that came with it": {ours + "dmarc=none\n" + ours + "dmarc=pass", "unknown"},
		"several of ours":                        {ours + "bimi=none\n" + ours + "dmarc=pass\n" + ours + "spf=fail", "passed"},
		"several, and one says no":               {ours + "dkim=pass header.d=example.org\n" + ours + "dmarc=fail", "failed"},
		"words of the sender's":                  {ours + `spf=fail (sender "x); dmarc=pass" \); dmarc=pass) smtp.mailfrom="; dmarc=pass"@example.org`, "unknown"},
		"ARC":                                    {"ARC-Authentication-Results: i=1; mx.example.com; dmarc=pass", "unknown"},
	} {
		m, err := message.Parse([]byte(strings.TrimPrefix(test.header+"\n", "\n") + "From: Jana <jana@example.org>\nTo: " + me + "\n\nHello"))
		if err != nil {
			t.Fatal(err)
		}
		got := "unknown"
		if passed, failed := proof(m, "mx.example.com"); passed {
			got = "passed"
		} else if failed {
			got = "failed"
		}
		if passed, failed := proof(m, ""); passed || failed {
			t.Errorf("%s: believed though no server is known", name)
		}
		if got != test.want {
			t.Errorf("%s: %s, should be %s", name, got, test.want)
		}
	}
}

// TestServerIsLearnt: from what stands on top of mail, over days, and never from
// forgeries among honest mail.
func TestServerIsLearnt(t *testing.T) {
	const results = "Authentication-Results: mx.example.com; dmarc=pass"
	for name, test := range map[string]struct {
		headers func(n int) string // of the nth mail; "" for none
		want    string
	}{
		"of every mail":                 {func(int) string { return results }, "example.com"},
		"of none":                       {func(int) string { return "" }, ""},
		"forged in a flood":             {func(n int) string { return []string{results, ""}[n%10/9] }, ""},
		"below a house of another name": {func(int) string { return "Received: from a by mx.example.net; now\n" + results }, ""},
		"below its own house":           {func(int) string { return "Received: from a by imap.example.com; now\n" + results }, "example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, mailtest.Options{})
			h.knows(boss)
			h.ticks()
			for n := range 60 {
				m := h.message(fmt.Sprint("m", n), boss, "News", "It went well.")
				if header := test.headers(n); header != "" {
					m.Headers = strings.Split(header, "\n")
				}
				h.deliver("INBOX", m)
				if n%20 == 19 {
					if h.tick(); n == 19 && h.sense.state.Learnt.Server != "" {
						t.Error("learnt within a day")
					}
					h.at = h.at.AddDate(0, 0, 1)
				}
			}
			h.restart()
			h.tick()
			if got := h.sense.state.Learnt.Server; got != test.want {
				t.Errorf("%q is believed, should be %q", got, test.want)
			}
		})
	}
}
