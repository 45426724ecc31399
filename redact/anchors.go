package redact

// level says how much a word tells of what follows it.
type level int

const (
	// surely: what is assigned to a password is one, unless it plainly is not.
	surely level = iota
	// likely: what is assigned must look like a secret too.
	likely
	// alone: like surely, where the word is a whole part of a name
	// ("db_pass", not "compass").
	alone
	// aloneLikely: both.
	aloneLikely
)

// anchorTable returns every anchor.
func anchorTable() []anchor {
	table := services()
	add := func(kind string, check check, level level, texts ...string) {
		for _, text := range texts {
			table = append(table, anchor{text: text, kind: kind, check: check, level: level})
		}
	}
	add("password", checkAssigned, surely, list("passwordWords")...)
	for _, begin := range [...]string{"pass", "pas", "pss", "ps"} { // "password" with letters left out
		for _, end := range [...]string{"word", "wrd", "wod", "wd"} {
			add("password", checkAssigned, surely, begin+end)
		}
	}
	add("password", checkAssigned, alone, "pass", "pwd", "pw", "mdp")
	add("password", checkBehind, surely, "identified by", "_password by")
	add("cookie", checkBehind, likely, "_session=")
	add("api-key", checkJWK, surely, `"k"`, `"k\"`)
	add("password", checkAssigned, alone, "passcode", "kenncode", "clave")
	add("secret", checkAssigned, likely, "secret", "geheimnis", "credential", "secreto")
	add("api-key", checkAssigned, likely, list("keyWords")...)
	add("api-key", checkAssigned, aloneLikely, "key", "api")
	add("token", checkAssigned, likely, "token", "jeton")
	add("token", checkAssigned, aloneLikely, "auth", "bearer", "oauth", "jwt", "pat")
	add("basic", checkAuthorization, surely, "authorization:", "authorization\":", "authorization':", "authorization=")
	add("bearer", checkScheme, surely, "bearer ")
	add("basic", checkScheme, surely, "basic ")
	add("cookie", checkCookie, surely, "cookie:")
	add("password", checkCurl, surely, "-u ", "--user ", "-u\"", "-u'")
	add("url-password", checkURL, surely, "://")
	add("url-secret", checkQuery, surely, list("queryWords")...)
	add("jwt", checkJWT, surely, "eyj")
	add("private-key", checkPEM, surely, "-----begin")
	add("", checkSealed, surely, "enc[", "enc(", "{cipher}", "$ansible_vault;", "encrypteddata")
	add("code", checkG, surely, "g-")
	add("private-key", checkEncodedPEM, surely, "ls0tls1crudjti")
	return table
}
