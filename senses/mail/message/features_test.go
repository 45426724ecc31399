package message

import (
	"strings"
	"testing"
)

func TestFeatures(t *testing.T) {
	type features struct {
		list                          string
		bulk, automated, junk, urgent bool
	}
	cases := []struct {
		header string
		want   features
	}{
		{"", features{}},
		{"List-Id: Users <users.example.org>", features{list: "users.example.org"}},
		{"List-Id: =?utf-8?q?caf=C3=A9?=", features{list: "café"}},
		{"List-Post: <mailto:users@example.org>", features{list: "true"}},
		{"List-Post: NO", features{}},
		{"X-BeenThere: users@example.org", features{list: "true"}},
		{"Mailing-List: contact users-help@example.org", features{list: "true"}},
		{"Precedence: list", features{list: "true"}},
		{"Sender: owner-users@example.org", features{list: "true"}},
		{"Return-Path: <users-bounces+alex=example.com@lists.example.org>", features{list: "true"}},
		{"Precedence: bulk", features{bulk: true}},
		{"Precedence: junk", features{bulk: true}},
		{"List-Unsubscribe: <mailto:off@example.org>", features{bulk: true}},
		{"List-Id: <a.b>\nList-Unsubscribe: <mailto:off@example.org>", features{list: "a.b"}},
		{"Feedback-ID: 1:2:3", features{bulk: true}},
		{"X-Campaign-ID: 7", features{bulk: true}},
		{"X-CampaignID: 7", features{bulk: true}},
		{"X-CSA-Complaints: whitelist@example.org", features{bulk: true}},
		{"X-Mailer: MailChimp Mailer", features{bulk: true}},
		{"X-Mailer: Apple Mail", features{}},
		{"From: newsletter@example.org", features{bulk: true}},
		{"Subject: ADV: cheap", features{bulk: true}},
		{"To: undisclosed-recipients:;", features{bulk: true}},
		{"To: undisclosed.recipients@example.org", features{bulk: true}},
		{"To: alex", features{}}, // on the same machine
		{"Auto-Submitted: auto-generated", features{automated: true}},
		{"Auto-Submitted: no", features{}},
		{"X-Auto-Response-Suppress: All", features{automated: true}},
		{"X-Autoreply: yes", features{automated: true}},
		{"Precedence: auto_reply", features{automated: true}},
		{"From: no-reply@example.org", features{automated: true}},
		{"From: Shop <shop.noreply+7@example.org>", features{automated: true}},
		{"From: do_not_reply@example.org", features{automated: true}},
		{"From: MAILER-DAEMON@example.org", features{automated: true}},
		{"From: notifications@example.org", features{automated: true}},
		{"From: norman.reply@example.org", features{}},
		{"Subject: =?utf-8?q?R=C3=A9ponse_automatique_:_figures?=", features{automated: true}},
		{"Subject: Automatische Antwort: Zahlen", features{automated: true}},
		{"Subject: Re: automatic reply: does it work?", features{}},
		{"Return-Path: <>", features{automated: true}},
		{"Return-Path: <jana@example.org>", features{}},
		{"Content-Type: multipart/report; boundary=x", features{automated: true}},
		{"X-Spam-Flag: YES", features{junk: true}},
		{"X-Spam-Status: Yes, score=9", features{junk: true}},
		{"X-Spam-Status: No, score=9", features{}},
		{"X-Spam-Level: *********", features{}},
		{"X-Forefront-Antispam-Report: CIP:1.2.3.4;SFV:SPM;H:x", features{junk: true}},
		{"X-Forefront-Antispam-Report: CIP:1.2.3.4;SFV:NSPM;H:x", features{}},
		{"Importance: high", features{urgent: true}},
		{"Importance: normal", features{}},
		{"X-Priority: 1 (Highest)", features{urgent: true}},
		{"X-Priority: 2", features{urgent: true}},
		{"X-Priority: 3", features{}},
		{"X-Priority: 10", features{}},
		{"Priority: urgent", features{urgent: true}},
	}
	for _, c := range cases {
		// Of fields that stand twice the first counts.
		raw := strings.TrimPrefix(c.header+"\n", "\n") + "From: jana@example.org\n"
		if !strings.HasPrefix(c.header, "To:") {
			raw += "To: alex@example.com\n"
		}
		m := mustParse(t, raw+"\nHello")
		if got := (features{m.List, m.Bulk, m.Automated, m.Junk, m.Urgent}); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.header, got, c.want)
		}
	}
}
