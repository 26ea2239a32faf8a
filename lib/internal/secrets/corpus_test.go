package secrets_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

// A sample is an example of a rule, made at run time.
type sample struct {
	rule  string
	block int // of rules.txt
	text  string
}

// examples returns the examples of rules.txt, those that match or those that must not.
func examples(seed uint64, kind string) (all []sample) {
	src, err := os.ReadFile("rules.txt")
	if err != nil {
		panic(err)
	}
	m := maker{rand.New(rand.NewPCG(seed, 1))}
	lines := strings.NewReplacer(`\\`, `\`, `\n`, "\n")
	rule, block := "", -1
	for line := range strings.Lines(string(src)) {
		key, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "rule":
			rule, block = text, block+1
		case kind:
			all = append(all, sample{rule, block, m.expand(lines.Replace(text))})
		}
	}
	return all
}

// made returns one sample of every form.
func made(seed uint64) []sample { return examples(seed, "yes") }

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
	for seed := range seeds(8) {
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

// Every rule has an example that it meets itself, and one that none meets.
func TestEveryRuleHasExamples(t *testing.T) {
	if err := secrets.CheckTable(); err != nil {
		t.Fatal(err)
	}
	met, spared := make(map[int]bool), make(map[int]bool)
	for _, s := range made(1) {
		if secrets.Meets(s.block, s.text) {
			met[s.block] = true
		}
	}
	for _, s := range examples(1, "no") {
		spared[s.block] = true
		for name, frame := range frames {
			if found := secrets.Scan(frame(s.text)); len(found) > 0 {
				t.Errorf("%s %s: %q is found: %v", s.rule, name, s.text, found)
			}
		}
	}
	for block, rule := range secrets.Blocks() {
		if !met[block] || !spared[block] {
			t.Errorf("%s, block %d of rules.txt, lacks an example that it meets, or one that it must not", rule, block)
		}
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
