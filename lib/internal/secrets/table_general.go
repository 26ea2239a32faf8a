package secrets

// alphabets, as the documents of providers name them
const (
	alnum  = `[A-Za-z0-9]`
	safe   = `[A-Za-z0-9_-]`
	lhex   = `[0-9a-f]`
	xhex   = `[0-9a-fA-F]`
	b64    = `[A-Za-z0-9+/]`
	base58 = `[1-9A-HJ-NP-Za-km-z]`
	crypt  = `[./A-Za-z0-9]`           // of crypt(3)
	django = `[a-z0-9!@#$%^&*(\-_=+)]` // as startproject makes it
	uuid   = xhex + `{8}-` + xhex + `{4}-` + xhex + `{4}-` + xhex + `{4}-` + xhex + `{12}`
)

// gap is white space, also as it is written inside a JSON string, and the margin of a line in a quotation, a
// list, a diff, a comment or a log; keyLines are the lines of a key in
// base64, the last two of which may be short.
const (
	gap      = `(?:\s|\\+[rn]|\n[ \t]{0,8}(?:[>|#;*+-]{1,3}|//))`
	line     = `[A-Za-z0-9+/=]`
	keyLines = line + `{40,}(?:` + gap + `+` + line + `{40,})*(?:` + gap + `+` + line + `{1,80}){0,2}`
)

// assign is what stands between a name and its value in shell, INI, YAML, JSON, XML, Markdown and
// arguments of a call. nounOfSecret ends the name of a secret that begins with the name of a provider.
const (
	quote        = "\\\\{0,7}[\"'`]?"
	is           = `(?:` + quote + `[*_]{0,2}\s{0,3}(?::?=>?|:|>)[*_]{0,2}\s{0,3}|\\{0,7}["'],\s{0,3})`
	assign       = is + quote
	nounOfSecret = `(?:[\w .-]{0,16}(?:key|token|secret|pass|password|auth|login|pat|credential))?s?`
)

// keyRules know private keys, by the form that the programs write that make them.
var keyRules = []*rule{
	{name: "private-key", keywords: []string{"-----BEGIN", "---- BEGIN"}, good: keyMaterial,
		pattern: `(-----? ?BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)? ?-----?` + gap + `*(?:[A-Z][A-Za-z-]{3,10}: [^\n\\]{0,128}` + gap + `+){0,4}` + keyLines +
			`(?:` + gap + `*-----? ?END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)? ?-----?)?)`},
	{name: "private-key", keywords: []string{"-----BEGIN OpenVPN"}, good: keyMaterial,
		pattern: `(-----BEGIN OpenVPN [A-Za-z0-9 -]{0,32}-----(?:` + gap + `+` + lhex + `{32}){2,31}(?:` + gap + `+-----END OpenVPN [A-Za-z0-9 -]{0,32}-----)?)`},
	{name: "private-key", keywords: []string{"PuTTY-User-Key-File-"}, good: keyMaterial,
		pattern: `(PuTTY-User-Key-File-[\s\S]*?Private-Lines: \d+` + gap + `+` + keyLines + `)`},
	{name: "private-key", keywords: []string{"LS0tLS1CRUdJTi"}, good: keyInBase64, pattern: `(LS0tLS1CRUdJTi` + b64 + `{100,}={0,2})`},
	{name: "private-key", keywords: []string{"\"kty"}, worth: hasMemberD, bits: 4, pattern: `"kty\\{0,7}"[^{}]*?"d\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"([A-Za-z0-9_-]{40,900})\\{0,7}"`},
	{name: "age-key", keywords: []string{"AGE-SECRET-KEY-1"}, bits: 3, rest: `[02-9AC-HJ-NP-Z]{58}`},
	{name: "extended-private-key", keywords: []string{"xprv", "yprv", "zprv", "tprv", "uprv", "vprv"},
		good: base58Check, rest: base58 + `{107}`},
	{name: "wallet-key", keywords: []string{"5[HJK][1-9A-Za-z]", "K[w-z][1-9A-Za-z]", "L[1-5][1-9A-Za-z]"},
		good:    base58Check,
		pattern: `([5KL]` + base58 + `{50,51})`},
	{name: "wireguard-key", keywords: []string{"privatekey", "presharedkey", "private_key", "preshared_key"}, fold: true, bits: 4, value: `(` + b64 + `{42}[AEIMQUYcgkosw048]=)`},
}

// headerRules know what travels in the head of a request or in a URL, by the RFC that says how.
var headerRules = []*rule{
	{name: "jwt", keywords: []string{"eyJ"}, good: webToken,
		pattern: `(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{16,})`},
	{name: "authorization-basic", keywords: []string{"basic "}, fold: true, worth: longWord, good: userPassword,
		pattern: `(?i:basic) +([A-Za-z0-9+/]{8,}={0,2})`},
	{name: "authorization-basic", keywords: []string{"\"auth", "_auth"}, good: userPassword,
		pattern: `["_]auth` + assign + `([A-Za-z0-9+/]{8,}={0,2})`},
	{name: "authorization-bearer", keywords: []string{"bearer "}, fold: true, good: opaque,
		pattern: `(?i:bearer) +([A-Za-z0-9._~+/-]{20,}=*)`},
	{name: "authorization-bearer", keywords: []string{"authorization"}, fold: true, worth: assigned, good: opaque,
		pattern: `(?i:authorization)` + assign + `(?i:token|apikey|api-key|key|ssws) +(?:token=)?"?([A-Za-z0-9._~+/-]{20,}=*)`},
	{name: "url-password", keywords: []string{"://"}, before: schemeByte, worth: hasUserinfo, good: realPassword,
		pattern: `[A-Za-z0-9+.-]{1,80}://[^\s/:@"'<>\\` + "`" + `]{0,128}:([^\s/@"'<>\\` + "`" + `]{3,256})@[A-Za-z0-9\[]`},
}

// loginRules know the lines of files that hold logins.
var loginRules = []*rule{
	{name: "password-hash", keywords: []string{":$2a$", ":$2b$", ":$2y$", ":$apr1$", ":$1$", ":$5$", ":$6$", ":$y$",
		":$gy$", ":$7$"}, before: loginByte, bits: 3.5,
		pattern: `[\w.@-]{1,64}:(\$(?:2[aby]\$\d\d\$` + crypt + `{53}|(?:apr1|1)\$` + crypt + `{1,8}\$` + crypt + `{22}|[56]\$(?:rounds=\d{1,9}\$)?` + crypt +
			`{1,16}\$(?:` + crypt + `{86}|` + crypt + `{43})|(?:g?y|7)\$` + crypt + `{1,16}\$` + crypt + `{1,86}\$` + crypt + `{43}))`},
	{name: "password-hash", keywords: []string{":{SHA}", ":{SSHA}"}, before: loginByte, bits: 3.5,
		pattern: `[\w.@-]{1,64}:(\{S{1,2}HA\}` + b64 + `{27,43}={0,2})`},
	{name: "django-secret-key", keywords: []string{"django-insecure-"}, bits: 3.5, rest: django + `{50}`},
	{name: "django-secret-key", keywords: []string{"secret_key"}, fold: true, worth: assigned, bits: 4,
		pattern: `(?i:secret_key)` + is + `["'](` + django + `{50})["']`},
	{name: "mysql-password", keywords: []string{"mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mysqlcheck ",
		"mariadb ", "mariadb-dump "}, good: strongPassword,
		pattern: `(?:mysql|mariadb)[a-z-]* [^\n|;&]{0,120}?-p["']?([^\s"'` + "`" + `\\]{6,128})`},
}

// namedRules know a secret by the name before it alone, and are content with values that look chosen
// at random.
var namedRules = []*rule{
	{name: "netrc-password", keywords: []string{"machine "}, good: strongPassword,
		pattern: `machine` + gap + `+[\w.:-]{1,128}` + gap + `+login` + gap + `+[^\s\\]{1,128}` + gap + `+password` + gap + `+([^\s"'\\]{6,128})`},
	{name: "pgpass-password", keywords: []string{":5432:", ":3306:"}, good: strongPassword,
		pattern: `:\d+:[\w*-]{1,63}:[\w*-]{1,63}:([^\s"']{6,128})`},
	{name: "curl-user", keywords: []string{" -u ", " --user ", " -U "}, good: strongPassword,
		pattern: ` (?:-[uU]|--user) ["']?[^\s"':]{1,64}:([^\s"']{6,128})`},
	{name: "password", keywords: []string{"password", "passwd", "passphrase", "_pwd", "pwd=", "pwd:", "_pass",
		"psk=", "psk:", "psk\"", "psk'", "psk ="}, fold: true, before: nameByte, worth: assigned, good: strongPassword,
		pattern: `[\w-]{0,80}?(?i:password|passwd|passphrase|pwd|_pass|psk)\d?` + is +
			`(?:\\{0,7}"([^"\\\n]{6,128})|'([^'\n]{6,128})|` + "`([^`\\n]{6,128})" + `|([^\s"'` + "`" + `\\<>;&,]{6,128}))`},
	{name: "password", keywords: []string{"--password ", "--passphrase ", "sshpass -p "}, good: strongPassword, pattern: `[a-z]* ?-?-[a-z]+ ["']?([^\s"']{6,128})`},
	{name: "named-secret", keywords: []string{"api_key", "apikey", "api-key", "secret", "token", "access_key", "access-key", "accesskey", "auth_key", "auth-key", "private_key",
		"encryption_key", "encryptionkey", "signing_key", "master_key", "app_key", "application_key", "application-key", "account_key", "license_key", "licensekey",
		"subscription_key", "subscription-key", "service_key", "hmac_key", "session_key", "_pat"},
		fold: true, before: nameByte, worth: assigned, good: secretValue,
		pattern: `[\w-]{0,80}?(?i:api[_-]?key|secret(?:[_-]?(?:key|token|value|access|base)){0,3}|token|(?:access|auth|private|encryption|signing|master|app|application|account|license|subscription|service|hmac|session)[_-]?key|_pat)` +
			assign + `((?:base64:)?[A-Za-z0-9_+/-][A-Za-z0-9._~+/-]{14,511}={0,2})`},
	{name: "named-secret", keywords: []string{"--token ", "--api-key ", "--secret ", "--access-token ", "--auth-token "}, good: opaque, pattern: `--[a-z-]+ ["']?([A-Za-z0-9._~+/-]{16,512}={0,2})`},
}
