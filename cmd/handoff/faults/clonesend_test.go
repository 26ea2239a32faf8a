//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// state is what a clone has that all must have: who has read which handoff and when, what has become of it, and who did
// that.
type state struct {
	Marks  map[string][]string
	States map[string]string
	Ledger map[string]string
}

func (c *crowd) state(w *worker) state {
	s := state{make(map[string][]string), make(map[string]string), make(map[string]string)}
	r := w.run("", "list", "--all", "--json")
	for line := range strings.Lines(r.stdout) {
		var row struct {
			ID     string `json:"handoff_id"`
			State  string
			ReadBy []map[string]string `json:"read_by"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			w.fault("list says %q: %v", line, err)
		}
		s.Marks[row.ID], s.States[row.ID] = []string{}, row.State
		for _, m := range row.ReadBy {
			s.Marks[row.ID] = append(s.Marks[row.ID], fmt.Sprint(m))
		}
		slices.Sort(s.Marks[row.ID])
	}
	ledger, _ := os.ReadFile(filepath.Join(w.dir, ".run", "consumed-tokens.jsonl"))
	for line := range strings.Lines(string(ledger)) {
		var t struct {
			Token    string
			Operator string `json:"operator_id"`
		}
		if err := json.Unmarshal([]byte(line), &t); err != nil || s.Ledger[t.Token] != "" {
			w.fault("the ledger has the line %q", line)
		}
		s.Ledger[t.Token] = t.Operator
	}
	return s
}

// end compares all clones with each other and with what was acknowledged.
func (c *crowd) end() {
	c.tame(func(w *worker) { // a change removes what a killed command has left
		w.write()
		c.share(w)
	})
	for range 2 {
		c.tame(c.share)
	}
	var want state
	for i, w := range c.all {
		w.isTame = true
		now := c.state(w)
		if i == 0 {
			want = now
		}
		if diff := cmp.Diff(want, now); diff != "" {
			w.fault("it has not what the first one has (-, +):\n%s", diff)
		}
		clean := `"faults":[],"warnings":[]`
		if c.tracked {
			clean = `"faults":[]` // git may have joined the rows of two branches that both have marks
		}
		if verify := w.run("", "verify", "--json"); verify.code != 0 || !strings.Contains(verify.stdout, clean) {
			w.fault("verify has exit code %d: %s%s", verify.code, verify.stdout, verify.stderr)
		}
		w.look()
		for id, operator := range c.winners {
			if now.Ledger[id] != operator {
				w.fault("%s was resumed by %s, and the ledger says %q", id, operator, now.Ledger[id])
			}
		}
		for _, f := range c.life.lacks(now) {
			w.fault("%s", f)
		}
	}
}

func (c *crowd) git(args ...string) string {
	return strings.TrimSpace(must(c.t, c.hub, append([]string{"git"}, args...)...))
}

// rewrite has the hub hold another history of a writer for a while. Who knows the true one takes nothing of it, and goes on with
// the others.
func (c *crowd) rewrite() {
	c.tame(c.share)
	for _, ref := range strings.Fields(c.git("for-each-ref", "--count=1", "--format=%(refname)", "refs/handoff/writers")) {
		true := c.git("rev-parse", ref)
		c.git("update-ref", ref, c.git("commit-tree", "-m", "forged", ref+"^{tree}"))
		c.each(func(w *worker) {
			args := []string{"sync", "--fetch-only"}
			if r := w.run("", args...); w.done(r, args, 4, 6) {
				w.fault("a writer with another history is believed: %s%s", r.stdout, r.stderr)
			}
		})
		c.git("update-ref", ref, true)
	}
}

// copy copies a clone with its state directory. The copy is found out, and a bundle brings what was written in it to the others.
func (c *crowd) copy() {
	w := c.all[0]
	c.tame(c.share)
	dir := w.dir + "-copy"
	must(c.t, c.hub, "cp", "-a", w.dir, dir)
	w.isTame = true
	w.write() // else the copy is as good as the original
	c.tame(c.share)
	w.isTame = true
	defer func() { w.isTame = false }()
	r := &round{program: c.program, claims: newClaims(), t: c.t, dir: dir, ended: make(map[string]int)}
	twin := r.worker(1, len(c.all))
	twin.isTame = true
	if w.host != "" {
		twin.host = "elsewhere"
		if r := twin.run("x", "write", "-", "--from", "ann", "--to", "ben", "--topic", "elsewhere"); r.code != 6 {
			w.fault("the state directory is used on another host: %d %s", r.code, r.stderr)
		}
		twin.host = w.host
	}
	refused := []string{"write", "-", "--from", "ann", "--to", "ben", "--topic", "copied"}
	if r := twin.run("x", refused...); r.code != 6 {
		w.fault("a copy in another place is believed: %d %s", r.code, r.stderr)
	}
	regenerate := words("machine-fingerprint regenerate --yes --operator ann --reason copied")
	twin.done(twin.run("", regenerate...), regenerate)
	if twin.write(); len(twin.order) == 0 {
		w.faults = append(w.faults, append(r.faults, "the copy stores nothing")...)
		return
	}
	isItself := writerOf(dir) != writerOf(w.dir)
	if again := twin.run("", "sync"); again.code != map[bool]int{true: 0, false: 6}[isItself] {
		w.fault("the copy, which is a writer of its own: %v, is not found out: %d %s", isItself, again.code, again.stderr)
	}
	bundle := filepath.Join(dir, "bundle.jsonl")
	for _, args := range [][]string{{"export", twin.order[0], "-o", bundle}, {"import", bundle}} {
		by := twin
		if args[0] == "import" {
			by = w
		}
		by.done(by.run("", args...), args)
	}
	c.stored(twin.order...)
	w.faults = append(w.faults, r.faults...)
}

// writerOf is the id of a state directory among those that exchange handoffs.
func writerOf(dir string) string {
	text, _ := os.ReadFile(filepath.Join(dir, ".run", "machine-fingerprint"))
	return string(regexp.MustCompile(`"writer":"[^"]*"`).Find(text))
}
