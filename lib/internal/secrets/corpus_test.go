package secrets_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

const (
	digits  = "0123456789"
	lower   = "abcdefghijklmnopqrstuvwxyz0123456789"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	base62  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	base64s = base62 + "+/"
	urlSafe = base62 + "_-"
	hex     = "0123456789abcdef"
	base32  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// A sample is a credential made at run time, so that none stands in the repository.
type sample struct{ rule, text string }

// A maker makes the parts of samples from a generator: the same seed makes the same samples.
type maker struct{ *rand.Rand }

// r returns n characters of an alphabet.
func (m maker) r(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.IntN(len(alphabet))]
	}
	return string(b)
}

// made returns one sample of every form.
func made(seed uint64) []sample {
	m := maker{rand.New(rand.NewPCG(seed, 1))}
	var all []sample
	for _, part := range []func() []sample{m.keys, m.clouds, m.forges, m.models, m.services, m.messages, m.headers, m.logins, m.named} {
		all = append(all, part()...)
	}
	return all
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

// seeds are so many, or one where little time is wanted: nothing here runs at the same time.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return 1
	}
	return n
}

func TestMisses(t *testing.T) {
	samples, misses := 0, 0
	for seed := range seeds(20) {
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
	if err := secrets.CompileAll(); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range made(1) {
		texts = append(texts, s.text)
	}
	for _, unmet := range secrets.Unmet(texts) {
		t.Errorf("no sample of %s", unmet)
	}
}

func TestFalsePositives(t *testing.T) {
	clean, wrong := 0, 0
	for _, line := range cleanLines(t) {
		clean++
		forms := []string{line}
		for _, frame := range frames {
			forms = append(forms, frame(line))
		}
		for name, hide := range hiders {
			if name != "coloured, escape lost" { // what is left of a password and the end of the colour looks like one
				forms = append(forms, hide(line))
			}
		}
		for _, text := range forms {
			if found := secrets.Scan(text); len(found) != 0 {
				wrong++
				t.Errorf("%q: found %v", text, found)
			}
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
