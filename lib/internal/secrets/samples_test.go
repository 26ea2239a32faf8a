package secrets_test

import (
	"encoding/base64"
	"strings"
)

func (m maker) pem(kind string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "-----\n")
	for range 12 {
		b.WriteString(m.r(base64s, 64) + "\n")
	}
	return b.String() + m.r(base64s, 22) + "==\n-----END " + kind + "-----"
}

// tail returns n characters, the last of which is a letter or a digit.
func (m maker) tail(n int) string { return m.r(urlSafe, n-1) + m.r(base62, 1) }

func (m maker) uuid() string {
	return m.r(hex, 8) + "-" + m.r(hex, 4) + "-4" + m.r(hex, 3) + "-a" + m.r(hex, 3) + "-" + m.r(hex, 12)
}

func part(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

func (m maker) keys() []sample {
	r := m.r
	openvpn := "-----BEGIN OpenVPN Static " + "key V1-----\n" + strings.Repeat(r(hex, 32)+"\n"+r(hex, 32)+"\n", 8) + "-----END OpenVPN Static " + "key V1-----"
	return []sample{
		{"private-key", m.pem("PRIVATE KEY")},
		{"private-key", m.pem("RSA " + "PRIVATE KEY")},
		{"private-key", m.pem("OPENSSH " + "PRIVATE KEY")},
		{"private-key", m.pem("EC " + "PRIVATE KEY")},
		{"private-key", m.pem("ENCRYPTED " + "PRIVATE KEY")},
		{"private-key", strings.Replace(m.pem("PGP "+"PRIVATE KEY BLOCK"), "-----\n", "-----\n\n", 1)},
		{"private-key", strings.NewReplacer("-----BEGIN", "---- BEGIN", "-----END", "---- END", "-----", " ----").Replace(m.pem("SSH2 ENCRYPTED " + "PRIVATE KEY"))},
		{"private-key", "\"private_key\": \"" + strings.ReplaceAll(m.pem("PRIVATE KEY"), "\n", `\n`) + `\n"`},
		{"private-key", strings.Replace(m.pem("EC "+"PRIVATE KEY"), "KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"+r("ABCDEF0123456789", 32)+"\n\n", 1)},
		{"private-key", openvpn},
		{"private-key", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 2\n" + r(base64s, 64) + "\n" + r(base64s, 64) + "\n"},
		{"private-key", "client-key-data: " + base64.StdEncoding.EncodeToString([]byte(m.pem("RSA "+"PRIVATE KEY")+"\n"))},
		{"private-key", `{"kty":"EC","crv":"P-256","x":"` + m.tail(43) + `","y":"` + m.tail(43) + `","d":"` + m.tail(43) + `"}`},
		{"age-key", "AGE-SECRET-KEY-1" + r("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)},
		{"wireguard-key", "[Interface]\nPrivateKey = " + r(base64s, 42) + r("AEIMQUYcgkosw048", 1) + "="},
		{"wireguard-key", "PresharedKey=" + r(base64s, 42) + r("AEIMQUYcgkosw048", 1) + "="},
	}
}

func (m maker) headers() []sample {
	r := m.r
	return []sample{
		{"jwt", part(`{"alg":"RS256","typ":"JWT"}`) + "." + part(`{"sub":"`+r(base62, 8)+`","iat":1700000000}`) + "." + m.tail(86)},
		{"jwt", "Authorization: Bearer " + part(`{"alg":"HS256"}`) + "." + part(`{"user":"`+r(base62, 8)+`"}`) + "." + m.tail(43)},
		{"authorization-basic", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("deploy:"+r(base62, 14)))},
		{"authorization-basic", `{"auths":{"ghcr.io":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("deploy:"+r(base62, 20))) + `"}}}`},
		{"authorization-basic", "_auth=" + base64.StdEncoding.EncodeToString([]byte("deploy:"+r(base62, 20)))},
		{"authorization-bearer", "Authorization: Bearer " + r(base62, 40)},
		{"authorization-bearer", "curl -H 'authorization: bearer " + r(hex, 48) + "'"},
		{"authorization-bearer", "Authorization: Token " + r(hex, 40)},
		{"url-password", "postgres://app:" + r(base62, 12) + "@db.internal:5432/app"},
		{"url-password", "redis://:" + r(base62, 16) + "@cache/0"},
		{"url-password", "amqp://guest:p-" + r(base62, 10) + "%21@mq"},
		{"url-password", "mongodb+srv://app:" + r(base62, 16) + "@cluster0.mongodb.net/app"},
		{"url-password", "https://deploy:" + r(base62, 20) + "@git.example.org/app.git"},
	}
}

func (m maker) named() []sample {
	r := m.r
	password := func() string {
		return r(base62[:52], 4) + r(digits, 2) + r("!#?^~", 1) + r(base62, 3) + r(digits, 1) + r(base62[:52], 2)
	}
	return []sample{
		{"password", "DB_PASSWORD=" + password()},
		{"password", "export PGPASSWORD='" + password() + "'"},
		{"password", `"smtp_password": "` + password() + `"`},
		{"password", "  password: " + password()},
		{"password", "Server=db;User Id=app;Password=" + password() + ";Encrypt=True"},
		{"password", "<add key=\"x\"/><password>" + password() + "</password>"},
		{"password", "MYSQL_PWD=" + password()},
		{"password", "passphrase: `" + password() + "`"},
		{"password", "mount --password " + password()},
		{"password", "sshpass -p '" + password() + "' ssh host"},
		{"netrc-password", "machine api.example.org\n  login deploy\n  password " + password()},
		{"netrc-password", "machine api.example.org login deploy password " + password()},
		{"pgpass-password", "db.internal:5432:app:deploy:" + password()},
		{"curl-user", "curl -u deploy:" + r(base62, 20) + " https://api.example.org"},
		{"named-secret", "APP_SECRET_KEY=" + r(base62, 32)},
		{"named-secret", "api_key = \"" + r(hex, 32) + "\""},
		{"named-secret", `"client_secret": "` + m.tail(40) + `"`},
		{"named-secret", "X-Auth-Token: " + r(base62, 40)},
		{"named-secret", "ENCRYPTION_KEY=" + r(base64s, 43) + "="},
		{"named-secret", "os.Setenv(\"WEBHOOK_SECRET\", \"" + r(hex, 40) + "\")"},
		{"named-secret", "https://api.example.org/v1/things?api_key=" + r(hex, 32)},
		{"named-secret", "AZURE_DEVOPS_EXT_PAT=" + r(lower, 52)},
		{"named-secret", "APP_KEY=base64:" + r(base64s, 43) + "="},
		{"named-secret", "tool --api-key " + r(base62, 40)},
	}
}
