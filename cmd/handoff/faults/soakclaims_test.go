//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// The claims are what was acknowledged, and what was asked for.
type claims struct {
	*life
	mu     sync.Mutex
	asked  map[string]string // id → body of what somebody began to store
	topics map[string]string // and its topic
	there  map[string]bool   // ids that a command with exit code 0 stored
	order  []string          // these, as they came
	marks  map[[2]string]bool
	tokens map[string]string // id → who resumed it with exit code 0
	begun  map[string]int    // how many began to resume an id
	unseen int               // documents that were begun whose ids only their receipts say
}

func newClaims() *claims {
	return &claims{life: newLife(), asked: make(map[string]string), topics: make(map[string]string), there: make(map[string]bool), marks: make(map[[2]string]bool),
		tokens: make(map[string]string), begun: make(map[string]int)}
}

func (c *claims) ask(topic, body string) (id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id = docID(topic, body)
	c.asked[id], c.topics[id] = body, topic
	return id
}

func (c *claims) stored(ids ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if !c.there[id] {
			c.there[id], c.order = true, append(c.order, id)
		}
	}
}

func (c *claims) marked(id, operator string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.marks[[2]string{id, operator}] = true
}

// pick returns an acknowledged id, or "" if there is none, and its body, or "" if only the receipt said the id.
func (c *claims) pick(chance *rand.Rand) (id, body string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.order) == 0 {
		return "", ""
	}
	id = c.order[chance.IntN(len(c.order))]
	return id, c.asked[id]
}

// A listed is a line of the list.
type listed struct {
	ID     string `json:"handoff_id"`
	From   string
	Topic  string
	ReadBy []struct{ Operator string } `json:"read_by"`
}

// lines reads what list printed.
func lines(text string) (map[string]listed, error) {
	all := make(map[string]listed)
	for line := range strings.Lines(text) {
		var row listed
		if err := json.Unmarshal([]byte(line), &row); err != nil || !strings.HasSuffix(line, "\n") {
			return all, fmt.Errorf("a torn line: %q, %v", line, err)
		}
		if _, twice := all[row.ID]; twice {
			return all, fmt.Errorf("%s is listed twice", row.ID)
		}
		all[row.ID] = row
	}
	return all, nil
}

// lack says what of the claims is not in the list.
func (c *claims) lack(there map[string]bool, marks map[[2]string]bool, list map[string]listed) (faults []string) {
	for id := range there {
		if _, ok := list[id]; !ok {
			faults = append(faults, fmt.Sprintf("%s (%s) is acknowledged and not listed", id, c.topics[id]))
		}
	}
	for mark := range marks {
		if !c.isFreed(mark[0]) && !slices.ContainsFunc(list[mark[0]].ReadBy, func(r struct{ Operator string }) bool { return r.Operator == mark[1] }) {
			faults = append(faults, fmt.Sprintf("%s is acknowledged as read by %s, and not listed so", mark[0], mark[1]))
		}
	}
	return faults
}

// look lists all, and says what of that is missing which was acknowledged before.
func (w *worker) look() {
	w.mu.Lock()
	there, marks := maps.Clone(w.there), maps.Clone(w.marks)
	w.mu.Unlock()
	args := []string{"list", "--all", "--json"}
	r := w.run("", args...)
	if !w.done(r, args) {
		return
	}
	list, err := lines(r.stdout)
	if err != nil {
		w.fault("%v", err)
	}
	for _, f := range w.lack(there, marks, list) {
		w.fault("%s", f)
	}
}

// atTheEnd recovers what was interrupted last, and compares the store with the claims.
func (r *round) atTheEnd() {
	w := r.worker(1, workers+1)
	w.isTame = true
	w.write()
	w.look()
	repair := words("doctor --repair") // of which a part is the checkpoint that takes away what killed commands have left
	w.done(w.run("", repair...), repair)
	warnings, err := w.run("", "verify", "--json").warnings()
	warnings = slices.DeleteFunc(warnings, func(w warning) bool { return strings.HasPrefix(w.Problem, "first sight: ") })
	if err != nil || len(warnings) > 0 {
		w.fault("verify warns of %v, %v", warnings, err)
	}
	list, err := lines(w.run("", "list", "--all", "--json").stdout)
	if err != nil {
		w.fault("%v", err)
	}
	unasked := 0
	for id, row := range list {
		if _, isAsked := r.asked[id]; !isAsked && !r.there[id] {
			if unasked++; row.From == "ann" {
				w.fault("nobody asked for %s (%s)", id, row.Topic)
			}
		}
	}
	if unasked > r.unseen {
		w.fault("%d handoffs are listed that nobody asked for", unasked-r.unseen)
	}
	for _, row := range list {
		w.bodyOf(row)
	}
	r.ledger(w)
	r.deeds(w)
}

// bodyOf compares a file with what was asked to be stored.
func (w *worker) bodyOf(row listed) {
	body := w.asked[row.ID]
	paths, _ := filepath.Glob(filepath.Join(w.dir, "handoffs", "20*-"+row.Topic+"*.md"))
	found := 0
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		if strings.Contains(string(text), row.ID) && strings.HasSuffix(string(text), "\n---\n\n"+body) {
			found++
		}
	}
	if body != "" && found != 1 {
		w.fault("%d files hold %s as it was written", found, row.ID)
	}
	if w.IntN(20) == 0 {
		w.read(row.ID, body)
	}
}

// ledger compares the consumed tokens with the claims.
func (r *round) ledger(w *worker) {
	v := look(r.dir)
	for id := range r.tokens {
		if v.tokens[id] != 1 {
			w.fault("the token of %s is %d times in the ledger", id, v.tokens[id])
		}
		if w.IntN(10) == 0 {
			if again := w.run("", resumeOf(id, "late")...); again.code != 11 {
				w.fault("%s is resumed once more, exit code %d: %s", id, again.code, again.stderr)
			}
		}
	}
	for id, n := range v.tokens {
		if r.begun[id] == 0 || n != 1 {
			w.fault("the token of %s is %d times in the ledger, and %d began to resume it", id, n, r.begun[id])
		}
	}
}
