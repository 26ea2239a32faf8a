package secrets_test

import (
	"bufio"
	"encoding/base64"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

const (
	base62  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	base64s = base62 + "+/"
	urlSafe = base62 + "_-"
	hex     = "0123456789abcdef"
	base32  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// A sample is a credential made at run time, so that none stands in the repository.
type sample struct{ rule, text string }

// made returns one sample of every form, from a generator: the same seed makes the same samples.
func made(seed uint64) []sample {
	random := rand.New(rand.NewPCG(seed, 1))
	r := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(b)
	}
	pem := func(kind string) string {
		var b strings.Builder
		b.WriteString("-----BEGIN " + kind + "-----\n")
		for range 12 {
			b.WriteString(r(base64s, 64) + "\n")
		}
		return b.String() + r(base64s, 22) + "==\n-----END " + kind + "-----"
	}
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return []sample{
		{"private-key", pem("PRIVATE KEY")},
		{"private-key", pem("RSA " + "PRIVATE KEY")},
		{"private-key", pem("OPENSSH " + "PRIVATE KEY")},
		{"private-key", "\"private_key\": \"" + strings.ReplaceAll(pem("PRIVATE KEY"), "\n", `\n`) + `\n"`},
		{"private-key", strings.Replace(pem("EC "+"PRIVATE KEY"), "KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"+r("ABCDEF0123456789", 32)+"\n\n", 1)},
		{"private-key", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 2\n" + r(base64s, 64) + "\n" + r(base64s, 64) + "\n"},
		{"age-key", "AGE-SECRET-KEY-1" + r("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)},
		{"aws-access-key-id", "AKIA" + r(base32, 16)},
		{"aws-access-key-id", "export AWS_ACCESS_KEY_ID=ASIA" + r(base32, 16)},
		{"aws-secret-access-key", "aws_secret_access_key = " + r(base64s, 40)},
		{"aws-secret-access-key", `"SecretAccessKey": "` + r(base64s, 40) + `"`},
		{"aws-session-token", "AWS_SESSION_TOKEN=" + r(base64s, 340) + "=="},
		{"github-token", "ghp_" + r(base62, 36)},
		{"github-token", "token: gho_" + r(base62, 36)},
		{"github-token", "https://x-access-token:ghs_" + r(base62, 36) + "@github.com/o/p"},
		{"github-token", "github_pat_" + r(base62, 22) + "_" + r(base62, 59)},
		{"gitlab-token", "glpat-" + r(base62, 20)},
		{"gitlab-token", "glrt-" + r(urlSafe, 26) + r(base62, 1)},
		{"slack-token", "xoxb-" + r(hex[:10], 12) + "-" + r(hex[:10], 12) + "-" + r(base62, 24)},
		{"slack-token", "xapp-1-A" + r(base32, 10) + "-" + r(hex[:10], 13) + "-" + r(hex, 64)},
		{"slack-webhook", "https://hooks.slack.com/services/T" + r(base32, 8) + "/B" + r(base32, 8) + "/" + r(base62, 24)},
		{"stripe-key", "sk_live_" + r(base62, 24)},
		{"stripe-key", "rk_live_" + r(base62, 99)},
		{"stripe-key", "whsec_" + r(base62, 32)},
		{"anthropic-key", "sk-ant-api03-" + r(urlSafe, 92) + r(base62, 1)},
		{"openai-key", "sk-proj-" + r(urlSafe, 123) + r(base62, 1)},
		{"openai-key", "OPENAI_API_KEY=sk-" + r(base62, 20) + "T3Blbk" + "FJ" + r(base62, 20)},
		{"openai-key", "sk-" + r(base62, 48)},
		{"google-api-key", "AIza" + r(urlSafe, 34) + r(base62, 1)},
		{"google-oauth", "GOCSPX-" + r(urlSafe, 27) + r(base62, 1)},
		{"google-oauth", "ya29." + r(urlSafe, 150) + r(base62, 1)},
		{"azure-key", "AccountName=a;AccountKey=" + r(base64s, 86) + "==;EndpointSuffix=core.windows.net"},
		{"azure-key", "SharedAccessKeyName=n;SharedAccessKey=" + r(base64s, 43) + "="},
		{"azure-key", "client_secret=" + r(base62, 3) + "8Q~" + r(base62, 33)},
		{"service-token", "PMAK-" + r(hex, 24) + "-" + r(hex, 34)},
		{"service-token", "lin_api_" + r(base62, 40)},
		{"service-token", "sha256~" + r(urlSafe, 42) + r(base62, 1)},
		{"service-token", r(base62, 14) + ".atlasv1." + r(base62, 66)},
		{"service-token", "sntryu_" + r(hex, 64)},
		{"service-token", "pul-" + r(hex, 40)},
		{"service-token", "pat" + r(base62, 14) + "." + r(hex, 64)},
		{"service-token", "sbp_" + r(hex, 40)},
		{"gitlab-token", "GR1348941" + r(base62, 20)},
		{"gitlab-token", "gloas-" + r(urlSafe, 63) + r(base62, 1)},
		{"model-provider-key", "ABSK" + r(base64s, 131) + r(base62, 1) + "="},
		{"npm-token", "//registry.npmjs.org/:_authToken=npm_" + r(base62, 36)},
		{"pypi-token", "pypi-AgEIcHlwaS5vcmc" + r(urlSafe, 150) + r(base62, 1)},
		{"huggingface-token", "hf_" + r(base62[:52], 34)},
		{"model-provider-key", "gsk_" + r(base62, 52)},
		{"model-provider-key", "r8_" + r(base62, 37)},
		{"sendgrid-key", "SG." + r(urlSafe, 22) + "." + r(urlSafe, 42) + r(base62, 1)},
		{"twilio-key", "SK" + r(hex, 32)},
		{"twilio-key", "TWILIO_AUTH_TOKEN=" + r(hex, 32)},
		{"digitalocean-token", "dop_v1_" + r(hex, 64)},
		{"databricks-token", "dapi" + r(hex, 32)},
		{"docker-token", "dckr_pat_" + r(urlSafe, 26) + r(base62, 1)},
		{"shopify-token", "shpat_" + r(hex, 32)},
		{"vault-token", "hvs." + r(urlSafe, 90) + r(base62, 1)},
		{"rubygems-key", "rubygems_" + r(hex, 48)},
		{"grafana-token", "glsa_" + r(base62, 32) + "_" + r(hex, 8)},
		{"telegram-token", r(hex[1:10], 10) + ":AA" + r(urlSafe, 32) + r(base62, 1)},
		{"jwt", part(`{"alg":"RS256","typ":"JWT"}`) + "." + part(`{"sub":"`+r(base62, 8)+`","iat":1700000000}`) + "." + r(urlSafe, 85) + r(base62, 1)},
		{"jwt", "Authorization: Bearer " + part(`{"alg":"HS256"}`) + "." + part(`{"user":"`+r(base62, 8)+`"}`) + "." + r(urlSafe, 42) + r(base62, 1)},
		{"authorization-basic", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("deploy:"+r(base62, 14)))},
		{"authorization-bearer", "Authorization: Bearer " + r(base62, 40)},
		{"authorization-bearer", "curl -H 'authorization: bearer " + r(hex, 48) + "'"},
		{"url-password", "postgres://app:" + r(base62, 12) + "@db.internal:5432/app"},
		{"url-password", "redis://:" + r(base62, 16) + "@cache/0"},
		{"url-password", "amqp://guest:p-" + r(base62, 10) + "%21@mq"},
	}
}

// frames are the places where a credential stands in a handoff.
var frames = map[string]func(string) string{
	"alone":       func(s string) string { return s },
	"in prose":    func(s string) string { return "The key is " + s + ", please rotate it.\n" },
	"in a list":   func(s string) string { return "# Notes\n\n- `" + s + "`\n- next\n" },
	"after lines": func(s string) string { return strings.Repeat("ä line\n", 50) + s + "\n" },
	"in JSON": func(s string) string {
		return `{"note":"first\n` + strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(s) + `\nlast"}`
	},
}

func TestMisses(t *testing.T) {
	samples, misses := 0, 0
	for seed := range uint64(20) {
		for _, s := range made(seed) {
			for name, frame := range frames {
				samples++
				found := secrets.Scan(frame(s.text))
				if len(found) != 1 || found[0].Rule != s.rule {
					misses++
					t.Errorf("%s %s (seed %d): found %v", s.rule, name, seed, found)
				}
			}
		}
	}
	t.Logf("%d credentials of %d rules, %d misses", samples, len(secrets.Rules()), misses)
	if samples == 0 || misses != 0 {
		t.Fail()
	}
}

func TestEveryRuleHasASample(t *testing.T) {
	covered := map[string]bool{}
	for _, s := range made(1) {
		covered[s.rule] = true
	}
	for _, name := range secrets.Rules() {
		if !covered[name] {
			t.Errorf("no sample of %s", name)
		}
	}
}

func TestFalsePositives(t *testing.T) {
	clean, wrong := 0, 0
	for _, line := range cleanLines(t) {
		clean++
		if found := secrets.Scan(line); len(found) != 0 {
			wrong++
			t.Errorf("%q: found %v", line, found)
		}
	}
	t.Logf("%d clean lines, %d false positives", clean, wrong)
	if clean < 50 || wrong != 0 {
		t.Fail()
	}
}

func cleanLines(t testing.TB) []string {
	f, err := os.Open("testdata/good.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if !strings.HasPrefix(s.Text(), "#") {
			lines = append(lines, s.Text())
		}
	}
	return lines
}
