//go:build linux

package faults_test

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/seed-78daf238/handoff/lib/bundle"
)

// A deed is what somebody did with a handoff: take, release, done, archive, unarchive, sign.
type deed struct{ act, id, operator string }

// A life is what became of handoffs.
type life struct {
	asked  map[deed]int    // how often somebody began it
	done   map[deed]int    // how often a command with exit code 0 said that it had done it
	tried  map[string]bool // ids that somebody began to do something with
	away   map[string]bool // ids that somebody began to archive: from then on they may be pruned
	freed  map[string]bool // ids that somebody began to release or reopen: from then on they may be unread again
	saved  []string        // bundles of what was pruned
	synced bool            // there is a git remote
}

func newLife() *life {
	return &life{asked: make(map[deed]int), done: make(map[deed]int), tried: make(map[string]bool), away: make(map[string]bool), freed: make(map[string]bool)}
}

// prepare gives a round its operators, and ann's key. Every other one has a git remote.
func (r *round) prepare(seed uint64) {
	r.synced = *soakSync && seed%2 == 0
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
	settings := "index_max_rows: 60\n"
	if r.synced {
		needs(r.t, "git")
		hub := r.dir + "-hub"
		r.t.Cleanup(func() { os.RemoveAll(hub) })
		must(r.t, r.tmp, "git", "init", "-q", "--bare", "--template=", hub)
		must(r.t, r.dir, "git", "init", "-q", "--template=")
		must(r.t, r.dir, "git", "remote", "add", "origin", hub)
		settings += "git: synced\n"
	}
	mustWrite(r.t, filepath.Join(r.dir, ".handoff.yaml"), settings)
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
	w.claimed(id, operator)
	w.tried[id] = true
	w.away[id] = w.away[id] || act == "archive"
	w.freed[id] = w.freed[id] || act == "release"
	w.mu.Unlock()
	args := append(append(verb(act), id, "--operator", operator), more...)
	if r := w.run("", args...); w.done(r, args, codes...) && !strings.Contains(r.stdout, `"status":"existing"`) {
		w.did(d)
	}
}

// claimed says that a remote is to know who has it: what claims a handoff there takes it, and gives it back where it then fails.
func (c *claims) claimed(id, operator string) {
	if c.synced {
		c.life.asked[deed{"take", id, operator}]++
		c.life.asked[deed{"release", id, operator}]++
		c.freed[id] = true
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

// prune takes out what was archived, once a bundle has it; at times it is stored again.
func (w *worker) prune() {
	file := fmt.Sprintf("pruned-%d-%d.jsonl", w.number, w.count)
	args := []string{"prune", "--archived-for", "1ns", "--export", file, "--operator", "op1", "--yes"}
	w.mu.Lock()
	w.saved = append(w.saved, file)
	again := w.saved[w.IntN(len(w.saved))]
	w.mu.Unlock()
	if w.done(w.run("", args...), args, 2) && w.IntN(2) == 0 { // 2: somebody took one meanwhile
		args := []string{"import", again}
		w.done(w.run("", args...), args, 2, 6) // it is not there, or another command was killed while it wrote it
	}
}

// exported writes a bundle of all, which has all that was acknowledged before.
func (w *worker) exported() {
	w.mu.Lock()
	there := slices.Clone(w.order)
	w.mu.Unlock()
	args := []string{"export", "--all"}
	r := w.run("", args...)
	if !w.done(r, args) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range there {
		if !w.away[id] && strings.Count(r.stdout, `"id":"`+id+`"`) != 1 {
			w.faults = append(w.faults, "the bundle of all has not once "+id)
		}
	}
}

// imported stores a bundle of elsewhere.
func (w *worker) imported() {
	var text bytes.Buffer
	file := fmt.Sprintf("bundle-%d.jsonl", w.number)
	out, err := bundle.NewWriter(&text, bundle.Header{Created: soakTS})
	var topics, ids []string
	for i := range 1 + w.IntN(4) {
		topics = append(topics, fmt.Sprintf("i%d-%d-%d", w.number, w.count, i))
	}
	slices.SortFunc(topics, func(a, b string) int { return strings.Compare(idOf(a), idOf(b)) })
	for _, topic := range topics {
		id := w.ask(topic, "body of "+topic+"\n")
		ids = append(ids, id)
		if err == nil {
			err = out.Put(bundle.Line{Handoff: &bundle.Handoff{ID: id, Text: textOf(topic)}})
		}
	}
	if err = errors.Join(err, out.Close(), os.WriteFile(filepath.Join(w.dir, file), text.Bytes(), 0o600)); err != nil {
		w.fault("%v", err)
		return
	}
	args := []string{"import", file}
	if r := w.run("", args...); w.done(r, args) {
		w.stored(ids...)
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

// exchange gives what is new to the remote, and takes what is there.
func (w *worker) exchange() {
	if w.synced {
		plain(0, "sync")(w)
	}
}

var endOfBundle = regexp.MustCompile(`(?m)^\{"end":\{"handoffs":[0-9]+,"sha256":"[0-9a-f]{64}"\}\}$`)

// isSaved says whether a whole bundle beside the store has a handoff.
func (r *round) isSaved(id string) bool {
	return slices.ContainsFunc(r.saved, func(file string) bool {
		text, _ := os.ReadFile(filepath.Join(r.dir, file))
		return endOfBundle.Match(text) && bytes.Contains(text, []byte("handoff_id: '"+id+"'"))
	})
}

var gone = regexp.MustCompile(`(?:no handoff |: )(sha256:[0-9a-f]{64}) (?:in |was pruned)`)

// isGone says whether a command was refused since a handoff that somebody has archived was pruned.
func (w *worker) isGone(r result) bool {
	m := gone.FindStringSubmatch(r.stderr)
	return m != nil && w.isAway(m[1])
}

func (c *claims) isAway(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.away[id]
}

func (c *claims) isFreed(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freed[id]
}

// pruned says what is not there any more and in no bundle, or has no tombstone.
func (r *round) pruned(w *worker, list map[string]listed) {
	tombs, _ := os.ReadFile(filepath.Join(r.dir, ".run", "tombstones"))
	for id := range r.there {
		if _, isThere := list[id]; !isThere && (!r.isSaved(id) || !strings.Contains(string(tombs), id)) {
			w.fault("%s was pruned, and is in a bundle: %v", id, r.isSaved(id))
		}
	}
}
