//go:build linux

package faults_test

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
)

// A deed is what somebody did with a handoff: take, release, done, archive, unarchive, sign.
type deed struct{ act, id, operator string }

// A life is what became of handoffs.
type life struct {
	asked map[deed]int    // how often somebody began it
	done  map[deed]int    // how often a command with exit code 0 said that it had done it
	tried map[string]bool // ids that somebody began to do something with
	freed map[string]bool // ids that somebody began to release or reopen: from then on they may be unread again
}

func newLife() *life {
	return &life{asked: make(map[deed]int), done: make(map[deed]int), tried: make(map[string]bool), freed: make(map[string]bool)}
}

// prepare gives a round its operators, and ann's key.
func (r *round) prepare() {
	public, err := publicKey()
	text := operator("ann", "[]", public)
	for i := range workers + 2 {
		text += operator(fmt.Sprint("op", i), "[archive]", "")
	}
	for _, name := range words("ben cat dan runner editor late reader writer") {
		text += operator(name, "[]", "")
	}
	private, keyErr := ssh.MarshalPrivateKey(key, "")
	if err := errors.Join(err, keyErr, withOperators(r.dir, text), os.WriteFile(filepath.Join(r.dir, "key"), pem.EncodeToMemory(private), 0o600)); err != nil {
		r.t.Fatal(err)
	}
	mustWrite(r.t, filepath.Join(r.dir, "working.json"), `{"themes":["price","trust"]}`)
	mustWrite(r.t, filepath.Join(r.dir, ".handoff.yaml"), "index_max_rows: 60\n")
}

// try gives a command that does a deed, and takes down what it says.
func (w *worker) try(act, operator string, codes []int, more ...string) {
	id, _ := w.pick(w.Rand)
	if id == "" {
		return
	}
	d := deed{act, id, operator}
	w.mu.Lock()
	w.life.asked[d]++
	w.tried[id] = true
	w.freed[id] = w.freed[id] || act == "release"
	w.mu.Unlock()
	args := append(append(verb(act), id, "--operator", operator), more...)
	if r := w.run("", args...); w.done(r, args, codes...) && !strings.Contains(r.stdout, `"status":"existing"`) {
		w.did(d)
	}
}

func (w *worker) did(d deed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life.done[d]++
}

// deeds do something with a handoff, which others may do at the same time.
func deeds(act string, codes ...int) func(*worker) {
	return func(w *worker) {
		w.try(act, fmt.Sprint("op", w.number), codes, map[bool][]string{true: {"--session", "s"}}[act == "take" && w.IntN(4) == 0]...)
	}
}

// verb returns the command of an act.
func verb(act string) []string {
	if act == "unarchive" {
		return words("archive --undo")
	}
	return []string{act}
}

// putAway archives few, so that most are there to the end.
func (w *worker) putAway() {
	if w.IntN(4) == 0 {
		w.try("archive", fmt.Sprint("op", w.number), []int{2}) // somebody has taken it
	}
}

// next takes whatever is next of the answers.
func (w *worker) next() {
	args := []string{"next", "--take", "--operator", "dan", "--json"}
	r := w.run("", args...)
	if !w.done(r, args) || r.stdout == "" {
		return
	}
	var said struct {
		ID string `json:"handoff_id"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &said); err != nil || said.ID == "" {
		w.fault("next says %s", r.stdout)
	}
}

// related answers a handoff, or puts a new one in its place.
func related(act string) func(*worker) {
	return func(w *worker) {
		if id, _ := w.pick(w.Rand); id != "" {
			w.storeText(fmt.Sprintf("%d of %d\n", w.count, w.number), act, id, "-", "--from", "ben", "--to", "dan")
		}
	}
}

// sign signs what ann wrote.
func (w *worker) sign() {
	id, body := w.pick(w.Rand)
	if body == "" {
		return
	}
	args := []string{"sign", id, "--key", "key"}
	if r := w.run("", args...); w.done(r, args) {
		w.did(deed{"sign", id, "ann"})
	}
}

func (c *claims) isFreed(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freed[id]
}
