package redact

import "strings"

// prefix describes a key by how it goes on after its first letters.
type prefix struct {
	text string // as written, case included
	// after is the set of the bytes that follow, at least min of them; exact
	// when no more may follow.
	after *[256]bool
	min   int
	exact bool
	// numbered: they begin with a plain number, which may count.
	numbered bool
	// mixed: one of them is a digit, so that words never match.
	mixed bool
}

// services are the keys that are known by their first letters. The figures are
// what each service documents or issues, rounded down where lengths vary.
func services() []anchor {
	type row struct {
		kind string
		set  *[256]bool
		min  int
		opts string // e: exact, m: mixed, n: numbered
		text []string
	}
	rows := []row{
		{"aws", isUpNum, 16, "e", []string{"AKIA", "ASIA", "ABIA", "ACCA"}},
		{"github", isB64URL, 30, "", []string{"ghp_", "gho_", "ghu_", "ghr_"}},
		{"github", isDotted, 30, "", []string{"ghs_"}},
		{"github", isB64URL, 22, "", []string{"github_pat_"}},
		{"gitlab", isDotted, 16, "", []string{"glpat-", "gloas-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-",
			"glsoat-", "glimt-", "glagent-", "glwt-", "glffct-", "GR1348941"}},
		{"slack", isB64URL, 10, "mn", []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.xoxp-",
			"xoxe.xoxb-", "xoxc-", "xoxd-", "xapp-", "xwfp-"}},
		{"slack", isToken, 20, "m", []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/"}},
		{"stripe", isAlnum, 14, "", []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_"}},
		{"stripe", isToken, 24, "m", []string{"whsec_"}},
		{"anthropic", isB64URL, 16, "", []string{"sk-ant-"}},
		{"openrouter", isB64URL, 16, "", []string{"sk-or-v1-"}},
		{"openai", isB64URL, 16, "m", []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sess-"}},
		{"openai", isAlnum, 20, "m", []string{"sk-"}},
		{"google", isB64URL, 35, "", []string{"AIza"}},
		{"google", isB64URL, 20, "m", []string{"ya29.", "GOCSPX-", "1//0"}},
		{"groq", isAlnum, 32, "", []string{"gsk_"}},
		{"huggingface", isAlnum, 30, "", []string{"hf_", "api_org_"}},
		{"npm", isAlnum, 30, "", []string{"npm_"}},
		{"pypi", isB64URL, 50, "", []string{"pypi-AgE"}},
		{"sendgrid", isDotted, 50, "", []string{"SG."}},
		{"brevo", isB64URL, 40, "", []string{"xkeysib-", "xsmtpsib-"}},
		{"twilio", isHex, 32, "e", []string{"SK"}},
		{"mailgun", isHex, 32, "e", []string{"key-"}},
		{"discord", isToken, 40, "mn", []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}},
		{"discord", isB64URL, 60, "", []string{"mfa."}},
		{"digitalocean", isHex, 40, "", []string{"dop_v1_", "doo_v1_", "dor_v1_"}},
		{"doppler", isAlnum, 32, "", []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.scim.", "dp.audit."}},
		{"databricks", isHex, 32, "", []string{"dapi"}},
		{"linear", isAlnum, 30, "", []string{"lin_api_", "lin_oauth_"}},
		{"notion", isAlnum, 40, "", []string{"secret_", "ntn_"}},
		{"figma", isB64URL, 36, "", []string{"figd_", "figo_", "figor_", "figur_"}},
		{"planetscale", isDotted, 24, "", []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}},
		{"postman", isB64URL, 40, "", []string{"PMAK-"}},
		{"pulumi", isHex, 40, "", []string{"pul-"}},
		{"rubygems", isHex, 40, "", []string{"rubygems_"}},
		{"shopify", isHex, 32, "", []string{"shpat_", "shpca_", "shppa_", "shpss_"}},
		{"square", isB64URL, 20, "m", []string{"sq0atp-", "sq0csp-", "sq0idp-", "sq0cst-", "sq0acp-", "EAAAE", "EAAAF", "EAAAl"}},
		{"vault", isB64URL, 24, "", []string{"hvs.", "hvb.", "hvr."}},
		{"grafana", isToken, 32, "", []string{"glc_", "glsa_"}},
		{"newrelic", isAlnum, 27, "", []string{"NRAK-", "NRJS-"}},
		{"sentry", isToken, 40, "", []string{"sntrys_", "sntryu_"}},
		{"docker", isB64URL, 27, "", []string{"dckr_pat_", "dckr_oat_"}},
		{"atlassian", isToken, 24, "m", []string{"ATATT3", "ATCTT3", "ATBB"}},
		{"onepassword", isB64URL, 100, "", []string{"ops_eyJ"}},
		{"jfrog", isAlnum, 60, "", []string{"AKCp"}},
		{"jfrog", isAlnum, 50, "", []string{"cmVmdGtu"}},
		{"age", isUpNum, 50, "", []string{"AGE-SECRET-KEY-1"}},
		{"dynatrace", isDotted, 64, "", []string{"dt0c01.", "dt0s01.", "dt0s02."}},
		{"fly", isToken, 40, "", []string{"fm1_", "fm2_"}},
		{"supabase", isHex, 40, "", []string{"sbp_"}},
		{"perplexity", isAlnum, 32, "", []string{"pplx-"}},
		{"replicate", isAlnum, 30, "", []string{"r8_"}},
		{"xai", isAlnum, 40, "", []string{"xai-"}},
		{"tavily", isB64URL, 24, "m", []string{"tvly-"}},
		{"langsmith", isB64URL, 32, "", []string{"lsv2_pt_", "lsv2_sk_"}},
		{"meta", isAlnum, 60, "m", []string{"EAA", "IGQV", "IGAA"}},
		{"twitter", isPercent, 60, "m", []string{"AAAAAAAAAAAAAAAAAAAAA"}},
		{"cosmo", isHex, 32, "", []string{"cosmo_"}},
		{"sourcegraph", isB64URL, 40, "", []string{"sgp_"}},
		{"buildkite", isHex, 40, "", []string{"bkua_"}},
		{"circleci", isB64URL, 40, "", []string{"CCIPAT_"}},
		{"heroku", isB64URL, 36, "", []string{"HRKU-"}},
		{"netlify", isAlnum, 36, "", []string{"nfp_"}},
		{"ntfy", isAlnum, 29, "e", []string{"tk_"}},
		{"plaid", isB64URL, 36, "m", []string{"access-sandbox-", "access-production-", "access-development-"}},
		{"easypost", isAlnum, 54, "", []string{"EZAK", "EZTK"}},
		{"docker", isDotted, 40, "m", []string{"SWMTKN-1-"}},
		{"docker", isB64, 36, "m", []string{"SWMKEY-1-"}},
		{"akamai", isDotted, 30, "m", []string{"akab-"}},
		{"alibaba", isAlnum, 12, "m", []string{"LTAI"}},
		{"clojars", isHex, 56, "", []string{"CLOJARS_"}},
		{"braintree", isDollar, 40, "m", []string{"access_token$production$", "access_token$sandbox$"}},
		{"nuget", isAlnum, 43, "em", []string{"oy2"}},
		{"bitbucket", isB64, 40, "m", []string{"BBDC-"}},
		{"ntlm", isToken, 20, "m", []string{"TlRMTVNTUA", "NTLM TlRM"}},
		{"salesforce", isDotted, 60, "m", []string{"3MVG"}},
		{"llama", isB64URL, 40, "m", []string{"llx-", "LL-", "LA-"}},
		{"llama", isPiped, 20, "m", []string{"LLM|"}},
		{"together", isB64URL, 32, "", []string{"tgp_v1_"}},
		{"vercel", isAlnum, 24, "m", []string{"vcp_", "vca_", "vci_", "vcr_", "vck_"}},
		{"firebase", isB64URL, 100, "m", []string{"APA91b"}},
		{"dropbox", isB64URL, 60, "m", []string{"sl."}},
		{"contentful", isB64URL, 40, "", []string{"CFPAT-"}},
		{"hubspot", isHexDash, 36, "m", []string{"pat-na1-", "pat-na2-", "pat-eu1-"}},
		{"mapbox", isDotted, 60, "m", []string{"sk.eyJ"}},
		{"elevenlabs", isHex, 40, "", []string{"sk_"}},
		{"nvidia", isB64URL, 60, "", []string{"nvapi-"}},
		{"cerebras", isAlnum, 40, "", []string{"csk-"}},
		{"pinecone", isB64URL, 48, "m", []string{"pcsk_"}},
		{"resend", isB64URL, 32, "m", []string{"re_"}},
		{"tailscale", isB64URL, 24, "m", []string{"tskey-"}},
		{"neon", isAlnum, 48, "", []string{"napi_"}},
		{"posthog", isAlnum, 40, "m", []string{"phx_", "phs_"}},
		{"typeform", isDotted, 40, "m", []string{"tfp_"}},
		{"adafruit", isAlnum, 28, "e", []string{"aio_"}},
		{"bedrock", isB64, 100, "m", []string{"ABSK"}},
		{"newrelic", isB64URL, 32, "m", []string{"NRII-"}},
		{"yandex", isB64URL, 35, "m", []string{"AQVN", "y0_"}},
		{"prefect", isAlnum, 36, "", []string{"pnu_"}},
		{"readme", isAlnum, 60, "", []string{"rdme_"}},
		{"shippo", isHex, 40, "", []string{"shippo_live_", "shippo_test_"}},
		{"telegram", isDotted, 35, "mn", []string{"api.telegram.org/bot"}},
	}
	var anchors []anchor
	for _, r := range rows {
		for _, text := range r.text {
			p := prefix{text: text, after: r.set, min: r.min}
			for _, o := range r.opts {
				p.exact = p.exact || o == 'e'
				p.mixed = p.mixed || o == 'm'
				p.numbered = p.numbered || o == 'n'
			}
			anchors = append(anchors, anchor{text: foldASCII(text), kind: r.kind, check: checkPrefix, prefix: p})
		}
	}
	return anchors
}

var (
	isDollar  = setOf(lower + digits + "$")
	isPiped   = setOf(letters + digits + "_-|")
	isHexDash = setOf(digits + "abcdefABCDEF-")
)

// prefixBits is the least entropy of what follows the first letters, in bits a
// byte, so that "xxxxxxxx" is no key. 14 random letters have 3.5 on average.
const prefixBits = 2.2

// checkPrefix verifies a key known by its first letters.
func checkPrefix(t *text, a *anchor, from, to int) (Span, bool) {
	p := &a.prefix
	if t.s[from:to] != p.text || isAlnum[t.at(from-1)] {
		return Span{}, false
	}
	enough := extend(t.s, to, to+p.min, p.after)
	if enough-to < p.min || p.mixed && !hasDigit(t.s[to:extend(t.s, enough, enough+p.min, p.after)]) || bits(t.s[to:enough]) < prefixBits {
		return Span{}, false
	}
	if !p.numbered && isMadeUp(t.s[to:extend(t.s, enough, enough+entropyBytes, p.after)]) {
		return Span{}, false
	}
	if p.exact {
		return Span{from, enough, a.kind}, !isAlnum[t.at(enough)] && !p.after[t.at(enough)]
	}
	end := extend(t.s, enough, len(t.s), p.after)
	return Span{from, trimTail(t.s, enough, end), a.kind}, true
}

// trimTail takes punctuation that ends a sentence off a key.
func trimTail(s string, min, end int) int {
	for end > min && (s[end-1] == '.' || s[end-1] == '-' || s[end-1] == '/') {
		end--
	}
	return end
}

// telegram verifies a bot's token: 8 to 10 digits, a colon, 35 more bytes.
func (t *text) telegram(from, to int) (Span, bool) {
	if n := to - from; n < 8 || n > 10 || t.at(to) != ':' || extend(t.s, from, to, isDigit) != to {
		return Span{}, false
	}
	end := extend(t.s, to+1, to+37, isB64URL)
	if end-to-1 != 35 {
		return Span{}, false
	}
	return Span{from, end, "telegram"}, true
}

// discord verifies a bot's token: three parts of base64 between dots, the
// first of which is a number in decimal.
func (t *text) discord(from, to int) (Span, bool) {
	if n := to - from; n < 23 || n > 28 || t.at(to) != '.' || !(t.s[from] == 'M' || t.s[from] == 'N' || t.s[from] == 'O') {
		return Span{}, false
	}
	middle := extend(t.s, to+1, to+8, isB64URL)
	if middle-to-1 != 6 || t.at(middle) != '.' {
		return Span{}, false
	}
	end := extend(t.s, middle+1, middle+64, isB64URL)
	if end-middle-1 < 27 {
		return Span{}, false
	}
	return Span{from, end, "discord"}, true
}

// seedKinds follow the "S" of a seed of NATS: account, cluster, server,
// operator, user, curve.
const seedKinds = "ACNOUXP"

// nkey verifies a seed of NATS: 58 bytes of base32.
func (t *text) nkey(from, to int) (Span, bool) {
	if to-from != 58 || t.s[from] != 'S' || strings.IndexByte(seedKinds, t.s[from+1]) < 0 || extend(t.s, from, to, isBase32) != to || !hasDigit(t.s[from:to]) {
		return Span{}, false
	}
	return Span{from, to, "nkey"}, true
}

// mailgun verifies a key of Mailgun: three hexadecimal parts.
func (t *text) mailgun(from, to int) (Span, bool) {
	if to-from != 50 || t.s[from+32] != '-' || t.s[from+41] != '-' {
		return Span{}, false
	}
	for _, part := range [...]string{t.s[from : from+32], t.s[from+33 : from+41], t.s[from+42 : to]} {
		if extend(part, 0, len(part), isHex) != len(part) {
			return Span{}, false
		}
	}
	return Span{from, to, "mailgun"}, true
}

var isBase32 = setOf(upper + "234567")

func hasDigit(s string) bool {
	for i := range len(s) {
		if isDigit[s[i]] {
			return true
		}
	}
	return false
}

// foldASCII lowers ASCII letters.
func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if isUpper[c] {
			b[i] = c - 'A' + 'a'
		}
	}
	return string(b)
}
