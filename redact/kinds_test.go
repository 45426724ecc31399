package redact_test

import (
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/redact"
)

// same makes examples of texts that must stay as they are.
func same(texts ...string) []example {
	var examples []example
	for _, text := range texts {
		examples = append(examples, example{text, text, text})
	}
	return examples
}

// hidden makes examples of "before {secret} after", and what hides it.
func hidden(kind string, texts ...string) []example {
	var examples []example
	for _, text := range texts {
		before, rest, _ := strings.Cut(text, "{{")
		secret, after, _ := strings.Cut(rest, "}}")
		examples = append(examples, example{before + after, before + secret + after, before + "[redacted:" + kind + "]" + after})
	}
	return examples
}

func TestPasswords(t *testing.T) {
	run(t, hidden("password",
		"password: {{hunter2}}", "password: {{hunter}}", "Password : {{Sommer}}", "PASSWORD={{abc,def&ghi}}", "export DB_PASSWORD={{x9!kk}}",
		`"password": "{{correct horse battery}}",`, `'passwd' => '{{geheim12}}',`, `password = "{{a\"b12}}"`, `{\"password\":\"{{abc123}}\"}`,
		"dbPassword: {{abc123}} # note", "DB_PASS={{abc123}}", "pwd={{abc123}};", "Server=a;Password={{S3cret!}};Database=b", "userPass: {{abc123}}",
		"<password>{{abc123}}</password>", `<user password="{{abc123}}"/>`, `<add key="password" value="{{abc123}}"/>`,
		"name: DB_PASSWORD\n  value: {{abc12345}}", "password:\n  {{Xy7pQ2mm}}", "--password {{abc123}} --verbose", "--password={{abc123}}",
		"login bob password {{abc123}}", `setopt(OPT_PASSWORD, "{{abc123}}")`, `password: str = "{{abc123}}"`, "password := \"{{abc123}}\"",
		"Passcode: {{8xK2mQ}}", "Meeting ID: 123 4567 8901 Passcode: {{123456}}", "passcode={{8xK2mQ9z}}", "Kenncode: {{8xK2mQ}}",
		"Passwort: {{Sommer2024}}", "Ihr Passwort lautet {{Xy7pQ2mm}}", "Kennwort: {{Winter}}", "mot de passe : {{Soleil12}}",
		"Votre mot de passe est {{Soleil12}}.", "contraseña: {{gato99}}", "CONTRASEÑA: {{gato99}}", "Su contraseña es {{gato99x}}", "clave: {{gato99}}",
		"your password is {{Tr0ub4dor&3}}", "password is now {{Xy7pQ2mm}}", "Passwort: {{hünter2}}", "passphrase: “{{one two three}}”",
		"curl -u admin:{{s3cretpw}} https://example.com", "wget --user admin:{{s3cretpw}} x", "| Password | {{abc123}} |",
		"CREATE USER 'app' IDENTIFIED BY '{{hunter}}';", "alter user app identified by '{{hunter2}}'", "ALTER USER app IDENTIFIED BY {{tiger}};",
		"IDENTIFIED WITH caching_sha2_password BY '{{hunter}}'", "DB_PSWD={{hunter}}", "paswd: {{hunter2}}", "PSSWRD = \"{{hunter}}\"", "PASWORD: {{hunter2}}", "psswd={{hunter2}}",
		"password for USER:{{hunter2}}", "Password for ann@example.com: {{hunter2}}", "Passwort für admin={{geheim}}",
		"Your new password is:\n{{hunter2}}\n", "Here is the password for the wifi:\n\n  {{hunter2}}\n\nRegards", "Password\n{{hunter2}}", "Password:\n> {{hunter2}}", "Ihr Kennwort lautet:\r\n**{{Ulme5531}}**",
	))
	run(t, same(
		"the password is required to log in", "password: the one that you know from the meeting", "Passwort vergessen?", "password: null",
		"password: ${DB_PASSWORD}", "password = os.getenv(\"DB_PASS\")", "const password = getPassword()", "password_file: /run/secrets/db",
		"password_env: DB_PASSWORD", "passwordPolicy: strict9", "password: ********", "password: <your password>", "password=$PASSWORD",
		"compass: north12", "password: string", "if password == nil {", "password reset 2024", "password: {{ .Values.pw }}",
		"\"password\": \"Enter your password\"", "the passwords: see the safe", "mot de passe oublié ?", "passport: C01X00T47",
		"resetPassword(user)", "password.length > 8", "PasswordAuthentication yes", "password: true", "pass: 3, fail: 1", "tests pass 1234",
		"the day pass is $400", "Season pass: $1,200.50", "le pass est €45", "rows are identified by 'name'", "files identified by path\n", "[sudo] password for ann:\nSorry, try again.",
		"Username:\nPassword:\nLogin", "Password rules:\n12 characters", "Forgot your password?\nreset2",
	))
}

func TestAssignments(t *testing.T) {
	run(t, hidden("token", "token: {{a8f3k2l9d0s7}}", "export TOKEN={{abc123def456}}", `"accessToken":"{{a8f3k2l9d0s7}}"`, "X-Auth-Token: {{a8f3k2l9d0s7}}",
		"--token {{a8f3k2l9d0s7}}", "session_token = '{{a8f3k2l9d0s7}}'", "https://example.com/x?access_token={{a8f3k2l9d0s7}}&y=1"))
	run(t, hidden("api-key", `"apiKey": "{{a8f3k2l9d0s7}}"`, "API_KEY={{a8f3k2l9d0s7}}", "https://example.com/?key={{a8F3k2L9d0S7}}", "x-api-key: {{a8f3k2l9d0s7}}", "API key: {{a8f3k2l9d0s7}}",
		"<api-key>{{a8f3k2l9d0s7}}</api-key>", "API-Schlüssel: {{a8f3k2l9d0s7}}", "clé API : {{a8f3k2l9d0s7}}",
		j("DefaultEndpointsProtocol=https;AccountName=sample;AccountKey={{", alnum64, "==}};EndpointSuffix=core.windows.net"),
		j("Endpoint=sb://sample/;SharedAccessKeyName=x;SharedAccessKey={{", alnum36, "=}}")))
	run(t, hidden("secret", "client_secret: {{a8f3k2l9d0s7}}", "CLIENT_SECRET='{{a8f3k2l9d0s7}}'", j("aws_secret_access_key = {{", alnum36, "/x7K}}"),
		`credentials: "{{a8f3k2l9d0s7}}"`))
	run(t, same("max_tokens: 4096", "token_count = 17", "tokenizer: bert-base-uncased2", "secretary: Bob Miller12", "secretName: db-creds-1a2b3c",
		"token: <token>", "secret: ${SECRET}", "tokens: 10 000", "key_env: GROQ_API_KEY", "token_type: bearer", "a token of thanks 2024abcd1",
		"key: value", "primary key 12345678", "the secret garden 1911", "token: \"string\"", "api: v2", "keyboard: logitech123", "monkey: abc123def456",
		"next_token_url: https://example.com", "secret santa 24.12."))
}

func TestHeaders(t *testing.T) {
	run(t, hidden("bearer", "Authorization: Bearer {{abcdefghijklmnop123456}}", `-H "authorization: bearer {{a8f3k2l9d0s7}}"`, "used Bearer {{a8f3k2l9d0s7}} then"))
	run(t, hidden("basic", "Authorization: Basic {{dXNlcjpwYXNz}}", "basic {{dXNlcjpwYXNzd29yZA==}}"))
	run(t, hidden("authorization", "Authorization: Token {{a8f3k2l9d0s7}}", `"Authorization": "{{a8f3k2l9d0s7}}"`))
	run(t, hidden("cookie", "Cookie: sid={{a8f3k2l9; theme=dark}}", "Set-Cookie: session={{a8f3k2l9d0s7; Path=/}}", "foo_session={{a8f3k2l9d0s7}}; path=/"))
	run(t, hidden("api-key", `{"kty":"oct","alg":"A128KW","k":"{{GawgguFyGrWKav7AX4VKUg}}"}`, `{"k": "{{GawgguFyGrWKav7AX4VKUg}}", "kty": "oct"}`, `{\"kty\":\"oct\",\"k\":\"{{GawgguFyGrWKav7AX4VKUg}}\"}`))
	run(t, same(`{"kty":"EC","k":"GawgguFyGrWKav7AX4VKUg"}`, "db_session=None", "self.foo_session=Session4()"))
	run(t, same("bearer of bad news", "Basic understanding of things", "Authorization: Bearer <token>", "basic structure", "cookie: chocolate"))
}

func TestJWT(t *testing.T) {
	head, body := "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IlNhbXBsZSJ9"
	run(t, hidden("jwt", "see {{"+head+"."+body+"."+alnum36+"}} here", "see {{"+head+"."+body+"}}, here"))
	run(t, same("eyJ is how they begin", "eyJhbGciOi.x.y"))
}

func TestPEM(t *testing.T) {
	begin, end := j("-----BEGIN RSA PRI", "VATE KEY-----"), j("-----END RSA PRI", "VATE KEY-----")
	block := alnum64 + "\n" + alnum64 + "\n"
	run(t, []example{
		{"block", "a\n" + begin + "\n" + block + end + "\nb", "a\n[redacted:private-key]\nb"},
		{"on one line", `key="` + begin + `\n` + alnum64 + `\n` + end + `"`, `key="[redacted:private-key]"`},
		{"truncated", begin + "\n" + block + "That was it.", "[redacted:private-key]That was it."},
		{"truncated at once", begin + "\n" + alnum36, "[redacted:private-key]"},
		{"with headers", begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + block + end, "[redacted:private-key]"},
		{"two", begin + "\n" + block + end + "\n" + begin + "\n" + block + end, "[redacted:private-key]\n[redacted:private-key]"},
		{"indented", "  " + begin + "\n    " + alnum64 + "\n    " + end, "  [redacted:private-key]"},
		{"PGP", j("-----BEGIN PGP PRI", "VATE KEY BLOCK-----\nVersion: 1\n\n") + block + j("-----END PGP PRI", "VATE KEY BLOCK-----"), "[redacted:private-key]"},
	})
	public := "-----BEGIN CERTIFICATE-----\n" + block + "-----END CERTIFICATE-----"
	run(t, same(public, begin+" and no more", "-----BEGIN", "-----BEGIN "+strings.Repeat("A", 200)))
}

func TestURLs(t *testing.T) {
	run(t, hidden("url-password", "postgres://user:{{s3cret}}@db.example.com/app", "https://user:{{p%40ss}}@example.com", "redis://:{{abc}}@localhost:6379/0",
		"amqp://guest:{{pa/ss}}@example.com/", "https://{{a8f3k2l9d0s7a8f3k2l9}}@example.com/repo.git"))
	run(t, hidden("url-secret", "https://example.com/blob?sv=1&sig={{a8F3k2L9d0S7%3D}}&x=1", "https://example.com/cb?code={{a8F3k2L9d0S7}}&state=1"))
	run(t, hidden("link", "https://example.com/reset/{{9fK3mZ8qLx2Wv7Tn}}", "https://example.com/magic?x={{9fK3mZ8qLx2Wv7Tn}}&y=2",
		"(https://example.com/de/konto/bestaetigen/{{9fK3mZ8qLx2Wv7Tn}})", "https://example.com/verify-email/{{3f9a1c7e5b8d2046f1ae97c35b0d}}"))
	run(t, same("https://example.com/reset-your-router-in-2024", "https://user@example.com/", "https://example.com:8080/a@b", "git@example.com:a/b.git",
		"https://example.com/blog/2024/how-to-reset-a-password", "https://example.com/?page=2&sort=asc", "see http://localhost:7766/v1/status",
		"https://user:<password>@example.com", "https://example.com/commit/"+hex40, "mailto:a@example.com", "https://example.com/login?next=/home"))
}

func TestCodes(t *testing.T) {
	run(t, hidden("code", "Your code is {{123456}}.", "Your verification code: {{4839}}", "{{123456}} is your login code", "{{G-123456}} is for you",
		"Security code: {{483920}}", "Ihr Code lautet {{123 456}}", "Ihr Bestätigungscode ist {{483920}}", "mTAN: {{483920}}",
		"Votre code est {{483920}}", "votre code de vérification : {{483920}}", "Su código es {{483920}}", "código de verificación: {{483-920}}",
		"Tu código de acceso es {{483920}}", "Your one-time code is\n\n{{483920}}\n", "{{483920}} ist Ihr Anmeldecode", "{{483920}} est votre code", "{{483920}} es tu código", "OTP: {{483920}}",
		"Your confirmation code is {{AB12CD}}", "Your PIN is {{4839}}", "Your PIN for the gate is {{1998}}", "enter the number {{640275}} to sign in",
		"Your verification code for the account ending in 1234 is {{839201}}"))
	run(t, same("error code 404123", "exit code 1234", "zip code 12345", "Your code is in line 1234 of the file. 5678 follows", "promo code: 2024",
		"status code: 5000", "Your order 483920 is here", "code review at 14:30", "country code: 0049", "the code is 12", "in 2024 your code changed", "Postcode: 12345",
		"your code is 123456789012", "your code has 1200 lines", "the source code is 4000 lines", "G-1234", "Pinboard 1234",
		"code 2026", "the number is 2024", "connect the RS-232 code cable to the port", "RS-232 login console", "ISO 17799 code of practice", "sign in: ISO 17799",
		"your card (ending in 4471) needs to be activated; enter the code we sent", "account ending with 4471, enter the code", "account ...4471: sign in",
		"mend thing number 1234", "mend the number 1234", "enter number 1234", "call the door company about number 123456", "offer closes 12-31-02, sign up today", "accepts 2000-5000 logins"))
}

func TestNumbers(t *testing.T) {
	run(t, hidden("card", "card {{4111 1111 1111 1111}} ok", "{{4111111111111111}}", "{{4111-1111-1111-1111}}", "Amex {{3782 822463 10005}}", "{{378282246310005}},", "{{5555555555554444}}.", "{{6011111111111117}}", "{{2223003122003222}}"))
	run(t, same("4111111111111112", "id 41111111111111111234", "1700000000000", "4111 1111 1111 1112", "4111 1111 1111 1111 1111", "0.4111111111111111", "x4111111111111111", "4111111111111111x", "4444444444444444444444", "2024-01-01 10:00:00", "0000000000000000"))
	run(t, hidden("iban", "to {{DE89 3704 0044 0532 0130 00}} please", "{{DE89370400440532013000}}", "{{GB29 NWBK 6016 1331 9268 19}}.", "{{FR14 2004 1010 0505 0001 3M02 606}}", "{{ES9121000418450200051332}}", "{{de89370400440532013000}}"))
	run(t, same("DE89 3704 0044 0532 0130 01", "DE893704004405320130001", "XX89370400440532013000", "DE89 is short", "ID12 3456 7890 1234 5678"))
}

func TestEntropy(t *testing.T) {
	run(t, hidden("token", "got {{"+alnum36+"}} back", "id={{"+alnum64+"}}", "x {{"+alnum64[:44]+"=}} y", "/files/{{"+alnum36+"}}/x"))
	run(t, same("commit "+hex40, "sha256:"+hex64, "550e8400-e29b-41d4-a716-446655440000", "A1328E04-88B6-4E2A-A5C0-A4D9B21754C4", "md5 "+hex40[:32],
		"/usr/lib/x86_64-linux-gnu/libfoo.so.1.2.3", "MyVeryLongClassNameFactoryBuilder2", "this_is_a_long_snake_case_name_2024", "IMG_20240301_101112_HDR_panorama.jpg",
		"v0.0.0-20210924202909-187d6d99a5a1", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "my-service-7d9f8b6c5-x2k4z", "h1:"+alnum36+"abcdefg=", "Donaudampfschifffahrtsgesellschaft",
		"sha256-"+alnum64[:43]+"=", "<CAK"+alnum36+"@mail.example.com>", "2026-03-01T10:00:00.000000000Z", "GCOV_32Coverage_32Report_12CAPI_42",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"+alnum36, "com.example.product.feature.internal.Version2Handler", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1234"))
}

// TestMarks: what is redacted already is neither read nor joined across.
func TestMarks(t *testing.T) {
	run(t, same("password: [redacted:password]", "Authorization: Bearer [redacted:bearer]", "4111 1111[redacted:card]1111 1111", "[redacted:password][redacted:token]", "token=[redacted:token]&x=1"))
	run(t, []example{{"beside a mark", "[redacted:card] password: hunter2", "[redacted:card] password: [redacted:password]"}})
}

// TestKinds: a mark is read back whatever its kind.
func TestKinds(t *testing.T) {
	kinds := map[string]bool{}
	for _, s := range seeds() {
		for _, span := range redact.Find(s) {
			kinds[span.Kind] = true
			if mark := "[redacted:" + span.Kind + "]"; redact.Text("password: "+mark) != "password: "+mark {
				t.Errorf("kind %q cannot be read back", span.Kind)
			}
		}
	}
	if len(kinds) < 8 {
		t.Errorf("the seeds hold %d kinds, too few to check: %v", len(kinds), kinds)
	}
}
