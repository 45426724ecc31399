package redact_test

import (
	"strings"
	"testing"
)

// TestNamesOfCodeAreNoSecrets: what programs and their files are called.
func TestNamesOfCodeAreNoSecrets(t *testing.T) {
	run(t, same("func convertFloat32x8ToUint64x4(v Value)", "see TestStringToInt64HookFunc2 and others", "rewriteValueMips64_OpLsh32x16", "parse_ISO8601_Date_2_Timestamp64",
		"docs/History/Release_Notes_2_4", "third_party/Unicode15/Tables2", "31-increase_LIMIT_MAX_DEFAULT_SIZE_to_64k", "-18A23CE2287673019BE407FB31A4A0C2",
		"GetHTTP2ServerPushPromiseFrame3", "sha256=mpNJLuYLbCVrd5i33FBTmWwL55Dw7JPkSLlSX9Q7oI", "digest:"+alnum36, "0123456789abcdefghijklmnopqrstuv"))
	run(t, same("key := NewSlotKey4(table)", "type Holder struct {\n\tApiKey   KeyConfig2Param `json:\"x\"`\n}", "PasswordAge uint32", "password *uint16, name string", "self.password = credentials",
		"user.password = password_field", "secret_password = user_pass", "key_password=key_password, x=1", "private_key: ed25519.PrivateKey2,", "token = 'utf-8'", "BUFLEN_PASSWD = 0x400",
		"key = asn1.ObjectIdentifier{1, 2}", "oidPublicKey: "+hex64, "Floor|GetKeyState|Random2Int|Abs", "case pass|retry|fail2|ok", "--- PASS: TestLoad2 (0.01s)",
		"tests/key-invalid2.sh tests/md5-test2.sh", "man5/passwd.5 man5/proc.5", "readFile('/etc/passwd', 'utf8')", "password_data->item2_id", "getpass: getpass.getpass()",
		"password = getPassword()", "token: getToken2(ctx)", "PWD=/home/ann/project2/x", "#create_api: #create_api_utf16", "the service-api: https://example.com/v2/a1b2c3d4"))
}

// TestStandInsAreNoSecrets: values that say where a secret belongs.
func TestStandInsAreNoSecrets(t *testing.T) {
	run(t, same("f "+strings.Repeat("o", 52)+"JQQJ"+"99AEAAAAAAAAAAAAAAAAAZFURg67", "password: changeme", "password=xxxxxxxx", "password: ${DB_PASSWORD}", "password: <password>", "api_key: your_api_key_here", "token = YOUR-TOKEN-HERE", "secret: example-secret-1",
		"password: REDACTED", "user_pass = '%s:%s'", "token: {{ .Token }}", `"secret": "insert_secret_here"`, "https://user:pass@example.com", "https://user:REDACTED@example.com",
		j("AK", "IAQRSTUVWXEXAMPLE2"), j("gh", "p_", "abcdefghijklmnopqrstuvwxyz0123456789"), j("gs", "k_", alnum36, "7654321", alnum36[:9])))
	run(t, same("key: 2026-03-01T10:00:00Z", "key = v1.22.333-rc4.5", "auth: 550e8400-e29b-41d4-a716-446655440000", "tokens: (?:[a-z]{2}|[0-9]+)", "Token: '#ABB2BF'", "key=aaaaaaaaaaaaaaaa1"))
	fake := "-----BEGIN FAKE PRI" + "VATE KEY-----\n" + alnum64 + "\n-----END FAKE PRI" + "VATE KEY-----"
	short := "-----BEGIN PRI" + "VATE KEY-----\n" + alnum36 + "...\n-----END PRI" + "VATE KEY-----"
	run(t, same(fake, short))
}

// TestChecksumsAndSealedValues: what looks random, and opens nothing by itself.
func TestChecksumsAndSealedValues(t *testing.T) {
	run(t, same("token-1.2.3.tar.gz: "+hex40[:32], "SHA256 (passwords.csv) = "+hex64, "key: sha256:"+hex64, "secret_sha256="+hex64, "checksum token: "+hex40, `"sha256": "`+alnum36+`="`,
		`sha256 = "1fsmv7rbhl2lxmwnkqzfy2v8m09cp7ywz39cmyb1ipsqv4wzqjmj";`))
	// A file or an algorithm elsewhere on the line makes no secret a checksum.
	run(t, hidden("token", "curl https://x.org/data.json?access_token={{"+hex40[:32]+"}}", "integrity of releases, token: {{"+hex40+"}}", "token.txt: {{"+hex40+"}}"))
	run(t, hidden("api-key", "config.json: api_key = {{"+hex64+"}}", `{"file":"a.tar.gz","api_key":"{{`+hex64+`}}"}`, "curl -O https://x.org/a.zip -H 'X-Api-Key: {{"+hex40+"}}'"))
	run(t, hidden("secret", "unpacked a.zip, secret={{"+hex40[:32]+"}}", "use sha256 with hmac secret={{"+hex64+"}}", "digest_secret={{"+hex40+"}}"))
	sealed := "Ag" + alnum64
	run(t, same("encryptedData:\n    password: "+sealed+"\n    token: "+sealed+"\n", `{"encryptedData":{"password":"`+sealed+`"}}`,
		"password: ENC[AES256_GCM,data:"+alnum36+"=,iv:"+alnum36+"=,tag:x==,type:str]", "password: ENC("+alnum36+")", "password: {cipher}"+alnum36,
		"password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  "+hex40+hex40+"\n  "+hex40[:30]))
	run(t, hidden("password", "encryptedData:\n  a: "+sealed+"\npassword: {{hunter2}}", "$ANSIBLE_VAULT;1.1;AES256\n"+hex64+"\npassword: {{hunter2}}", "password_md5={{"+hex40[:32]+"}}"))
}

// TestReferencesAreNoCodes: the number of a paper that expires, and one that is called a
// code.
func TestReferencesAreNoCodes(t *testing.T) {
	run(t, same("- [ ] fine 5-221-9 expires today at 16:00", "parking fine 5-221-9 - pay online today", "Bußgeld 5-221-9, gültig bis heute", "the letter with the PIN came\nfine 5-221-9 due today"))
	run(t, hidden("code", "your code is {{481 223}}", "your code is {{5-221-9}}", "{{481-223}} expires in 10 minutes", "the combination is {{3-9-1-6}}"))
}

// TestSecretsLikeNames: what comes close to those above, and is one.
func TestSecretsLikeNames(t *testing.T) {
	run(t, hidden("password", "password: {{CorrectHorse}}", "password = {{hunter2}}", "DB_PASS={{xk3v9q}}", `self.password = "{{credentials1}}"`, "password: {{12345678}}", "pass: {{Sommer2024}}"))
	run(t, hidden("token", "token: {{550e8400-e29b-41d4-a716-446655440000}}", "x = '{{"+alnum36+"}}'", "token = \"{{YAdgeseDwh3CROxtLoIg}}\""))
	run(t, hidden("secret", "client_secret: '{{vkyzwloIUpBEGCFuAYd1}}'", "SECRET=\"{{"+hex40[:32]+"}}\""))
	run(t, hidden("url-password", "https://user:{{passw0rd}}@example.com"))
}

// TestMoreServices: keys whose first letters or lengths tell them.
func TestMoreServices(t *testing.T) {
	base32 := "SUAKQ7RZPX2MT4VBLSCWYHD3FGJNAEUOXWKZMVNPRT5YBLCHSDQGIEJKTO"
	for kind, key := range map[string]string{
		"docker":     j("SWM", "TKN-1-", "q7rkzpxmtvbslcwyhdfgjnaeuoxwkzmvnprtyblchsdqg4jkto", "-", "x8kz2mv5np7rt4yb9lc1hs6dq"),
		"akamai":     j("ak", "ab-", "q7rkzpx9mt4vbslc", "-", "wyhd3fgjnaeuoxwk"),
		"clojars":    j("CLO", "JARS_", hex64[:60]),
		"braintree":  j("access", "_token$production$", "q7rkzpx9mt4vbslc", "$", hex40[:32]),
		"nuget":      j("oy", "2", "q7rkzpx9mt4vbslcwyhd3fgjnaeuoxwkzmvnprtyblc"),
		"nkey":       base32,
		"mailgun":    j(hex40[:32], "-", hex40[:8], "-", hex40[8:16]),
		"salesforce": j("3M", "VG", alnum64),
		"github":     j("gh", "s_", alnum36, ".", alnum36, ".", alnum36),
		"azure":      j(alnum36, alnum36[:16], "JQQ", "J99", alnum36[:26]),
		"together":   j("tgp", "_v1_", alnum36, "_", alnum36[:6]),
		"contentful": j("CF", "PAT-", alnum36, alnum36[:8]),
		"elevenlabs": j("sk", "_", hex64[:48]),
		"newrelic":   j("NR", "II-", alnum36),
	} {
		run(t, hidden(kind, "x = {{"+key+"}} y", `"{{`+key+`}}"`))
	}
}
