package secrets_test

import (
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"slices"
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
	return []sample{
		{"password", "DB_PASSWORD=" + m.password()},
		{"password", "export PGPASSWORD='" + m.password() + "'"},
		{"password", `"smtp_password": "` + m.password() + `"`},
		{"password", "  password: " + m.password()},
		{"password", "Server=db;User Id=app;Password=" + m.password() + ";Encrypt=True"},
		{"password", "<add key=\"x\"/><password>" + m.password() + "</password>"},
		{"password", "MYSQL_PWD=" + m.password()},
		{"password", "passphrase: `" + m.password() + "`"},
		{"password", "mount --password " + m.password()},
		{"password", "sshpass -p '" + m.password() + "' ssh host"},
		{"netrc-password", "machine api.example.org\n  login deploy\n  password " + m.password()},
		{"netrc-password", "machine api.example.org login deploy password " + m.password()},
		{"pgpass-password", "db.internal:5432:app:deploy:" + m.password()},
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

// base58Check returns bytes as Bitcoin writes keys: with a checksum, in an alphabet without 0, O, I and l.
func base58Check(body []byte) string {
	once := sha256.Sum256(body)
	twice := sha256.Sum256(once[:])
	n := new(big.Int).SetBytes(append(body, twice[:4]...))
	var text []byte
	for digit := new(big.Int); n.Sign() > 0; {
		n.DivMod(n, big.NewInt(58), digit)
		text = append(text, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit.Int64()])
	}
	slices.Reverse(text)
	return string(text)
}

func (m maker) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.IntN(256))
	}
	return b
}

func (m maker) password() string {
	return m.r(base62[:52], 4) + m.r(digits, 2) + m.r("!#?^~", 1) + m.r(base62, 3) + m.r(digits, 1) + m.r(base62[:52], 2)
}

func (m maker) logins() []sample {
	r := m.r
	const crypt, django = base62 + "./", "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)"
	return []sample{
		{"extended-private-key", base58Check(append([]byte{0x04, 0x88, 0xad, 0xe4, 0}, m.bytes(73)...))},
		{"extended-private-key", "tprv in use: " + base58Check(append([]byte{0x04, 0x35, 0x83, 0x94, 0}, m.bytes(73)...))},
		{"wallet-key", base58Check(append([]byte{0x80}, m.bytes(32)...))},
		{"wallet-key", base58Check(append(append([]byte{0x80}, m.bytes(32)...), 1))},
		{"password-hash", "ann:$2y$05$" + r(crypt, 53)},
		{"password-hash", "ann:$apr1$" + r(crypt, 8) + "$" + r(crypt, 22)},
		{"password-hash", "ann:{SHA}" + r(base64s, 27) + "="},
		{"password-hash", "root:$6$" + r(crypt, 16) + "$" + r(crypt, 86) + ":19700:0:99999:7:::"},
		{"password-hash", "root:$6$rounds=5000$" + r(crypt, 16) + "$" + r(crypt, 86) + ":19700:0:99999:7:::"},
		{"password-hash", "root:$y$j9T$" + r(crypt, 22) + "$" + r(crypt, 43) + ":19700:0:99999:7:::"},
		{"django-secret-key", "SECRET_KEY = 'django-insecure-" + r(django, 49) + "a'"},
		{"django-secret-key", "SECRET_KEY = '" + r(django[:36], 20) + r(django[36:], 10) + r(django, 19) + "a'"},
		{"mysql-password", "mysql -u root -p" + m.password() + " app"},
		{"mysql-password", "mysqldump -h db.internal --user=app -p'" + m.password() + "' app >dump.sql"},
		{"password", "psk=" + r(hex, 64)},
		{"password", "network={ ssid=\"home\" psk=\"" + m.password() + "\" }"},
		{"password", "wpa_psk: " + m.password()},
	}
}
