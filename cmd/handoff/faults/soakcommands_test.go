//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// acts are what workers do, with how often.
var acts = []struct {
	often int
	do    func(*worker)
}{
	{24, (*worker).write}, {6, (*worker).batch}, {4, (*worker).again}, {16, (*worker).mark}, {10, (*worker).resume},
	{4, (*worker).record}, {3, (*worker).edit},
	{8, (*worker).look}, {8, func(w *worker) { w.read(w.pick(w.Rand)) }},
	{2, plain(0, "surface", "ben")}, {2, plain(0, "hook", "session-start")}, {1, plain(0, "init")},
	{1, plain(0, "machine-fingerprint", "regenerate", "--yes", "--operator", "ann", "--reason", "soak")},
	{1, plain(0, "doctor", "--repair")}, {1, plain(0, "doctor", "--rebuild-index")},
	{1, plain(0, "verify")}, {1, plain(0, "verify", "--log")}, {1, plain(0, "log", "--head")}, {1, plain(0, "doctor")},
	{1, plain(0, "list", "--unread", "--to", "ben")}, {1, plain(0, "search", "body")}, {1, plain(0, "onboard")},
	{6, deeds("take", 11)}, {3, deeds("release", 11)}, {4, deeds("done", 11)}, {3, (*worker).next}, {3, related("reply")}, {2, related("supersede")},
	{3, (*worker).putAway}, {2, deeds("unarchive")}, {2, (*worker).sign},
	{1, plain(0, "status")}, {1, plain(0, "page", "-o", "site")},
	{1, plain(0, "list", "--state", "taken")}, {1, plain(0, "next", "--operator", "ben")}, {1, plain(0, "whoami")},
	{1, plain(0, "machine-fingerprint", "show")}, {1, plain(0, "mcp")}, {2, (*worker).askAbout},
}

// plain is a command that may be given at any time, and has one exit code.
func plain(code int, args ...string) func(*worker) {
	return func(w *worker) { w.done(w.run("", args...), args, code) }
}

func (w *worker) one() {
	sum := 0
	for _, act := range acts {
		sum += act.often
	}
	n := w.IntN(sum)
	for _, act := range acts {
		if n -= act.often; n < 0 {
			act.do(w)
			return
		}
	}
}

// topic names something of this worker. Some topics come twice.
func (w *worker) topic() string { return fmt.Sprintf("t%d-%d", w.number, w.count-w.IntN(2)) }

const soakTS = "2026-05-07T12:00:00Z"

// write stores a document whose id is known before.
func (w *worker) write() {
	topic, body := w.topic(), fmt.Sprintf("body %d of %d\n%s", w.count, w.number, strings.Repeat("more of it\n", w.IntN(100)))
	id := w.ask(topic, body)
	args := []string{"write", "-", "--from", "ann", "--to", "ben", "--topic", topic, "--ts", soakTS}
	if r := w.run(body, args...); w.done(r, args) {
		if !strings.Contains(r.stdout, id) {
			w.fault("the receipt of %s says %s", id, r.stdout)
		}
		w.stored(id)
	}
}

// batch stores documents together.
func (w *worker) batch() {
	dir := filepath.Join(w.dir, fmt.Sprintf("batch-%d", w.number))
	defer os.RemoveAll(dir)
	var ids []string
	for i := range 2 + w.IntN(4) {
		topic := fmt.Sprintf("b%d-%d-%d", w.number, w.count, i)
		mustWrite(w.t, filepath.Join(dir, topic+".md"), doc(topic))
		ids = append(ids, w.ask(topic, "body of "+topic+"\n"))
	}
	args := []string{"write", dir}
	if r := w.run("", args...); w.done(r, args) {
		w.stored(ids...)
	}
}

// again stores what is there.
func (w *worker) again() {
	id, body := w.pick(w.Rand)
	if body == "" {
		return
	}
	w.mu.Lock()
	topic := w.topics[id]
	w.mu.Unlock()
	args := []string{"write", "-", "--from", "ann", "--to", "ben", "--topic", topic, "--ts", soakTS}
	if r := w.run(body, args...); w.done(r, args) && !strings.Contains(r.stdout, id) {
		w.fault("%s is not known: %s", id, r.stdout)
	}
}

func (w *worker) mark() {
	id, _ := w.pick(w.Rand)
	if id == "" {
		return
	}
	operator := []string{"ben", "cat", "dan"}[w.IntN(3)]
	args := []string{"mark-read", id, operator}
	if w.done(w.run("", args...), args) {
		w.marked(id, operator)
	}
}

func resumeOf(id, operator string) []string {
	return []string{"resume", id, "--operator", operator, "--accept", "operational", "--reason", "soak", "--max-age", "100000h"}
}

// resume consumes the token of a handoff, unless somebody did before.
func (w *worker) resume() {
	id, body := w.pick(w.Rand)
	if body == "" {
		return
	}
	operator := fmt.Sprintf("op%d", w.number)
	w.mu.Lock()
	w.begun[id]++
	w.life.asked[deed{"take", id, operator}]++ // what somebody has given back is taken again with its token
	by := w.tokens[id]
	w.mu.Unlock()
	args := resumeOf(id, operator)
	r := w.run("", args...)
	ok := w.done(r, args, 11)
	w.mu.Lock()
	now := w.tokens[id]
	isFree := w.begun[id] == 1 && now == "" && !w.tried[id] // who began beside it may have won before it says so
	if ok {
		w.tokens[id] = operator
		w.marks[[2]string{id, operator}] = true
	}
	w.mu.Unlock()
	if ok && by != operator && now != "" && now != operator {
		w.fault("%s is resumed by %s and by %s", id, now, operator)
	}
	if r.code == 11 && isFree {
		w.fault("%s cannot be resumed, and nobody did: %s%s", id, r.stdout, r.stderr)
	}
}

// receipt takes down what a command stored whose id was not known before, and returns it.
func (w *worker) receipt(r result) (id string) {
	var said struct {
		ID string `json:"handoff_id"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &said); err != nil || said.ID == "" {
		w.fault("a receipt says %s", r.stdout)
		return ""
	}
	w.stored(said.ID)
	return said.ID
}

// record stores a run record.
func (w *worker) record() {
	w.store("create", fmt.Sprintf("task-%d-%d", w.number, w.count), "--summary", "Did it.", "--agent", "agent:soak", "--from", "runner", "--to", "ben", "--topic", w.topic())
}

// edit stores what was typed in an editor.
func (w *worker) edit() {
	w.store("new", "--from", "editor", "--to", "ben", "--topic", w.topic())
}

func (w *worker) store(args ...string) (id string) { return w.storeText("", args...) }

func (w *worker) storeText(text string, args ...string) (id string) {
	w.mu.Lock()
	w.unseen++
	w.mu.Unlock()
	if r := w.run(text, args...); w.done(r, args) {
		id = w.receipt(r)
	}
	return id
}

// read prints a body. What is known of it must be in it.
func (w *worker) read(id, body string) {
	if id == "" {
		return
	}
	args := []string{"read", id}
	if r := w.run("", args...); w.done(r, args) && !strings.HasSuffix(r.stdout, body) {
		w.fault("%s reads %q", id, r.stdout)
	}
}

// askAbout gives the commands that say something of one handoff.
func (w *worker) askAbout() {
	id, _ := w.pick(w.Rand)
	if id == "" {
		return
	}
	args := [][]string{{"check", id}, {"verify", id}, {"read", "--agent", id}, {"thread", id}, {"show", id}}[w.IntN(5)]
	w.done(w.run("", args...), args, 2, 10, 11) // most carry no record to show
}
