//go:build linux

package faults_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

var (
	historyTime = flag.Duration("histories", 0, "how long each part of TestHistories goes on")
	historySeed = flag.Uint64("historyseed", 0, "what the first history of TestHistories begins with, as a failure names it")
)

// checkTime is how long a history may be checked. Nothing is said about one that needs longer.
const checkTime = time.Minute

// A scribe takes down when commands were called, when they ended, and what they said.
type scribe struct {
	t     *testing.T
	ids   []string
	all   []*worker
	begin time.Time
	mu    sync.Mutex
	ops   []porcupine.Operation

	times []string // when the command of each says that it did it
}

// Processes take, steal, finish, release and reopen handoffs at once, and many of them are killed or stopped. What they
// say fits one order of events, in which one shell has a handoff at a time.
func TestHistories(t *testing.T) {
	eachHistory(t, func(seed uint64) *scribe { return inStore(t, program{build(t), memory(t)}, seed, 6, 14) })
}

// eachHistory checks one history, or as many as there is time for.
func eachHistory(t *testing.T, make func(seed uint64) *scribe) {
	left := map[string]time.Duration{"ci": 4 * time.Second, "all": 5 * time.Minute}[os.Getenv("HANDOFF_FAULTS")]
	if *historyTime > 0 {
		left = *historyTime
	}
	seed := *historySeed
	if given := os.Getenv("HANDOFF_SEED"); seed == 0 && given != "" {
		sum := fnv.New32a()
		sum.Write([]byte(given))
		seed = uint64(sum.Sum32())
	} else if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1e9
	}
	count, commands, unknown := 0, 0, 0
	for end := time.Now().Add(left); ; seed++ {
		s := make(seed)
		if why := s.judge(); why != "" {
			t.Fatalf("-historyseed %d: %s", seed, why)
		}
		count, commands, unknown = count+1, commands+len(s.ops), unknown+s.unknown()
		if time.Now().After(end) {
			break
		}
	}
	t.Logf("%d histories to -historyseed %d with %d commands, of which %d never said what they did", count, seed, commands, unknown)
}

// inStore lets shells work on the handoffs of one store.
func inStore(t *testing.T, p program, seed uint64, shells, each int) *scribe {
	t.Helper()
	dir := p.newSite(t)
	defer os.RemoveAll(filepath.Dir(dir))
	r := &round{program: p, claims: newClaims(), t: t, dir: dir, ended: make(map[string]int)}
	s := &scribe{t: t, begin: time.Now()}
	for i := range shells {
		s.all = append(s.all, r.worker(seed, i))
	}
	s.store(s.all[0], 2)
	s.work(s.all, func(w *worker) {
		for range each {
			s.one(w, []string{"ann", "ben", "ben", "cleo"}[w.number%4])
		}
	})
	s.all[0].isTame = true
	s.list(s.all[0])
	s.ledgers()
	return s
}

// work lets all workers work at once.
func (s *scribe) work(all []*worker, do func(*worker)) {
	var each sync.WaitGroup
	for _, w := range all {
		each.Go(func() { do(w) })
	}
	each.Wait()
}

// store writes n handoffs from ann to ben.
func (s *scribe) store(w *worker, n int) {
	w.isTame = true
	for i := range n {
		topic := fmt.Sprintf("work%d", i)
		r := w.run("to do\n", "write", "-", "--from", "ann", "--to", "ben", "--topic", topic, "--ts", soakTS)
		if r.code != 0 {
			s.t.Fatal(r.stderr)
		}
		s.ids = append(s.ids, docID(topic, "to do\n"))
	}
	w.isTame = false
}

// one gives a command about one of the handoffs.
func (s *scribe) one(w *worker, operator string) {
	id := s.ids[w.IntN(len(s.ids))]
	by := shell{operator, []string{"", "s1", "s2"}[w.IntN(3)]}
	act := []string{"take", "take", "take", "take", "steal", "done", "release", "release", "list"}[w.IntN(9)]
	if operator == "ann" && w.IntN(3) == 0 {
		act = "undo"
	}
	if act == "list" {
		s.list(w)
		return
	}
	command := map[string][]string{"steal": {"take", id, "--steal", "--reason", "gone"}, "undo": {"done", id, "--undo"}}[act]
	if command == nil {
		command = []string{act, id}
	}
	lasts := int64(w.IntN(3))
	if act != "take" && act != "steal" || by.session == "" && lasts == 0 {
		lasts = 0
	} else if lasts > 0 {
		command = append(command, "--for", fmt.Sprint(lasts, "s"))
	} else {
		lasts = 7200 // of a session
	}
	command = append(command, "--operator", by.operator, "--json")
	if by.session != "" {
		command = append(command, "--session", by.session)
	}
	s.give(w, request{id: id, act: act, by: by, lasts: lasts}, command)
}

// give gives a command and takes down what came of it.
func (s *scribe) give(w *worker, r request, command []string) {
	call := time.Now()
	got := w.run("", command...)
	end := time.Now()
	r.from, r.to = call.Unix(), end.Unix()
	a, at := heard(got)
	if a.how == "" || a.how == "unknown" && got.code >= 0 {
		s.t.Errorf("%v: exit code %d: %s%s", command, got.code, got.stdout, got.stderr)
	}
	s.note(w, r, a, call, end, at)
}

// note takes down an operation. One whose end nobody knows of may take effect at any later time.
func (s *scribe) note(w *worker, r request, a answer, call, end time.Time, at string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	op := porcupine.Operation{ClientId: w.number, Input: r, Output: a, Call: int64(call.Sub(s.begin)), Return: int64(end.Sub(s.begin))}
	if a.how == "unknown" {
		op.Return = int64(never) << 20
	}
	s.ops, s.times = append(s.ops, op), append(s.times, at)
}

// heard is what a command said, and when it says that it did it.
func heard(got result) (a answer, at string) {
	var said struct {
		Status, Until string
		At            string `json:"ts_utc"`
		Error         struct {
			Message string
			Holder  *struct {
				Operator string
				Session  string `json:"session_id"`
				Done     bool
			}
		}
	}
	for line := range strings.Lines(got.stdout + got.stderr) {
		if strings.HasPrefix(line, "{") {
			_ = json.Unmarshal([]byte(strings.TrimSpace(line)), &said) // a torn line says nothing
		}
	}
	switch {
	case got.code == 0:
		a.how = said.Status
		if until, err := time.Parse(time.RFC3339, said.Until); err == nil {
			a.until = until.Unix()
		}
		if a.how == "changed" {
			at = said.At
		}
	case got.code == 11:
		a.how = "refused"
		if by := said.Error.Holder; by != nil && !strings.Contains(said.Error.Message, "no longer hold") {
			a.holder, a.isDone = shell{by.Operator, by.Session}, by.Done
		}
	default: // killed
		a.how = "unknown"
	}
	return a, at
}

// list lists all handoffs.
func (s *scribe) list(w *worker) {
	call := time.Now()
	got := w.run("", "list", "--all", "--json")
	end := time.Now()
	if got.code < 0 {
		return
	}
	for line := range strings.Lines(got.stdout) {
		var row struct {
			ID    string `json:"handoff_id"`
			State string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			s.t.Errorf("%v: %q", err, line)
		}
		how := map[string]string{"taken": "taken", "done": "done", "withdrawn": "done"}[row.State] // by the sender, unread
		if how == "" {
			how = "open"
		}
		s.note(w, request{id: row.ID, act: "list", from: call.Unix(), to: end.Unix()}, answer{how: how}, call, end, "")
	}
}

// kinds are the lines of ledgers by the commands that make them.
var kinds = map[string]string{"take": "take", "done": "done", "release": "release", "revoke": "release", "reopen": "undo", "resend": "undo"}

// ledgers tells for each acknowledged command the turns that the ledger has for it.
func (s *scribe) ledgers() {
	turns := make(map[string]map[string]bool)
	for _, w := range s.all {
		file, err := os.Open(filepath.Join(w.dir, ".run", "consumed-tokens.jsonl"))
		if err != nil {
			s.t.Fatal(err)
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			var line map[string]string
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				s.t.Error(err)
			}
			id, rest, _ := strings.Cut(line["token"], "#")
			kind, n, _ := strings.Cut(rest, ".")
			key := fmt.Sprint(id, kinds[kind], shell{line["operator_id"], line["session_id"]}, line["ts_utc"])
			if turns[key] == nil {
				turns[key] = make(map[string]bool)
			}
			turns[key][n] = true
		}
		file.Close()
	}
	for i, op := range s.ops {
		r, a := op.Input.(request), op.Output.(answer)
		if a.how != "changed" {
			continue
		}
		act := strings.Replace(r.act, "steal", "take", 1)
		has := turns[fmt.Sprint(r.id, act, r.by, s.times[i])]
		if len(has) == 0 {
			s.t.Errorf("%v at %s: no ledger has it", r, s.times[i])
		}
		a.turns = strings.Join(slices.Sorted(maps.Keys(has)), ",") + ","
		s.ops[i].Output = a
	}
}

func (s *scribe) unknown() (n int) {
	for _, op := range s.ops {
		if op.Output.(answer).how == "unknown" {
			n++
		}
	}
	return n
}

// judge says what does not fit the model, with the history of each handoff as far as one order of events explains it.
func (s *scribe) judge() string {
	got, info := check(s.ops)
	if got == porcupine.Unknown {
		s.t.Log("a history took too long to check")
	}
	if got != porcupine.Illegal {
		return ""
	}
	text := new(strings.Builder)
	longest := make(map[string]int)
	for _, part := range info.PartialLinearizationsOperations() {
		for _, order := range part {
			if len(order) > 0 {
				id := order[0].Input.(request).id
				longest[id] = max(longest[id], len(order))
			}
		}
	}
	for _, id := range s.ids {
		mine := slices.DeleteFunc(slices.Clone(s.ops), func(op porcupine.Operation) bool { return op.Input.(request).id != id })
		if longest[id] == len(mine) {
			continue
		}
		fmt.Fprintf(text, "%s: no order of events explains more than %d of %d commands\n", id, longest[id], len(mine))
		slices.SortFunc(mine, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
		for _, op := range mine {
			r, a := op.Input.(request), op.Output.(answer)
			fmt.Fprintf(text, "  %7.3f to %7.3f (%d to %d)  worker %d: %s by %s for %d: %+v\n", float64(op.Call)/1e9, min(float64(op.Return)/1e9, 9999), r.from, r.to, op.ClientId, r.act, r.by, r.lasts, a)
		}
	}
	return text.String()
}
