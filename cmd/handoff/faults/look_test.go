//go:build linux

package faults_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// doc is the text of a document, and docID its id by the definition: the SHA-256 of its canonical JSON,
// which for such plain text is what encoding/json makes of sorted keys.
func doc(topic string) string {
	return "---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: " + topic + "\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody of " + topic + "\n"
}

func docID(topic, body string) string {
	text, err := json.Marshal(map[string]any{"body": body, "from": "ann", "references": []string{}, "schema_version": "1.0",
		"tags": []string{}, "to": "ben", "topic": topic, "ts_utc": "2026-05-07T12:00:00Z"})
	if err != nil {
		panic(err)
	}
	return "sha256:" + hash(text)
}

func idOf(topic string) string {
	_, body, _ := strings.Cut(doc(topic), "\n---\n")
	if slices.Contains(words(large), topic) {
		_, body, _ = strings.Cut(largeDoc(topic), "\n---\n")
	}
	return docID(topic, body)
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// A view is everything that lies in a store, and what is wrong with it.
type view struct {
	rows   map[string]string // id → file, over all index files
	marks  map[string]bool   // id and operator
	tokens map[string]int    // handoffs that were resumed → how often
	acts   map[string]int    // what the ledger says was done with handoffs, act and id → how often
	events map[string]int    // type and id → how often
	aside  map[string]bool   // handoffs that a repair found lost
	anew   map[string]int    // handoffs that a repair wrote a new event for → how often
	files  map[string]bool   // handoff files that no row lists
	staged []string          // unfinished files
	shed   []string          // of these, what may wait for a checkpoint
	index  int               // index files
	shown  string            // the text of the index files, and names and hashes of all other files but the logs
	faults []string          // what must never be so
	torn   bool              // the audit log or the ledger ends in half a line
	pinned bool              // there are keys of operators
}

func (v *view) fault(format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

// look reads the store in dir.
func look(dir string) *view {
	v := &view{rows: make(map[string]string), marks: make(map[string]bool), events: make(map[string]int), files: make(map[string]bool),
		tokens: make(map[string]int), acts: make(map[string]int), aside: make(map[string]bool), anew: make(map[string]int)}
	v.names(filepath.Join(dir, "handoffs"))
	v.names(filepath.Join(dir, ".run"))
	v.indexes(filepath.Join(dir, "handoffs"))
	v.log(filepath.Join(dir, ".run", "handoff-events.jsonl"))
	v.ledger(filepath.Join(dir, ".run", "consumed-tokens.jsonl"))
	v.others(filepath.Join(dir, "handoffs"))
	v.others(filepath.Join(dir, ".run"))
	_, err := os.Stat(filepath.Join(dir, ".run", "operator-keys.json"))
	v.pinned = err == nil
	return v
}

var unfinished = regexp.MustCompile(`^\.tmp-|^journal\.new$|^journal-[0-9a-f]{16}$|^\..*(\.md|\.jsonl?|machine-fingerprint|life\.cache)\d+$`)

// shedding is what may stay until a checkpoint that comes an hour later: what a command that was killed had prepared for the change that it did not
// make, the spools of records that the journal still has, and what says that a checkpoint did not end.
var shedding = regexp.MustCompile(`^\.tmp-|^journal\.new$|^journal-[0-9a-f]{16}$|^\.(20.*\.md|INDEX.*\.md|machine-fingerprint|tombstones|life\.cache|.*\.jsonl?)\d+$`)

func (v *view) names(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		switch name := e.Name(); {
		case shedding.MatchString(name):
			v.shed = append(v.shed, name)
		case unfinished.MatchString(name):
			v.staged = append(v.staged, name)
		case strings.HasPrefix(name, "20") && strings.HasSuffix(name, ".md"):
			v.files[name] = true
		}
	}
}

var rowShape = regexp.MustCompile(`^\| (sha256:[0-9a-f]{64}) \| (20[0-9a-z-]+\.md) \| ann \| ben \| ([a-z0-9-]+) \| 2026-05-07T12:00:00Z \| ((?:ben:\S+Z)?) \|$`)

func (v *view) indexes(dir string) {
	paths, _ := filepath.Glob(filepath.Join(dir, "INDEX*.md"))
	v.index = len(paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		v.shown += string(text)
		if err != nil || len(text) == 0 || text[len(text)-1] != '\n' || !strings.HasPrefix(string(text), "# Handoff Index\n\n") {
			v.fault("%s is no whole index, %v", filepath.Base(path), err)
			continue
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "| sha256") {
				v.row(dir, strings.TrimSuffix(line, "\n"), filepath.Base(path))
			}
		}
	}
	for _, file := range v.rows {
		delete(v.files, file)
	}
}

func (v *view) row(dir, line, file string) {
	m := rowShape.FindStringSubmatch(line)
	if m == nil {
		v.fault("a torn row: %s", line)
		return
	}
	if known := v.rows[m[1]]; known != "" && known != m[2] {
		v.fault("%s is listed as two files", m[1])
	}
	v.rows[m[1]] = m[2]
	if m[4] != "" {
		v.marks[m[1]+" ben"] = true
	}
	text, err := os.ReadFile(filepath.Join(dir, m[2]))
	if err != nil {
		v.fault("%s lists a file that is not there: %v", file, err)
		return
	}
	head, body, _ := strings.Cut(string(text), "\n---\n\n")
	if docID(m[3], body) != m[1] || !strings.Contains(head, "handoff_id: '"+m[1]+"'") {
		v.fault("%s is not the document that %s lists", m[2], file)
	}
}

// others takes down what else lies in dir.
func (v *view) others(dir string) {
	filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) == ".jsonl" || strings.HasPrefix(e.Name(), "INDEX") {
			return nil
		}
		text, _ := os.ReadFile(path)
		switch e.Name() {
		case "journal":
			text = fmt.Append(nil, recordsIn(text)) // all else of it is other bytes each time
		case "journal.new", "machine-fingerprint":
			text = nil
		}
		v.shown += path[len(filepath.Dir(dir)):] + " " + hash(text) + "\n"
		return nil
	})
}

// recordsIn counts the records of a journal, as far as their heads say.
func recordsIn(text []byte) (n int) {
	for at := 0; at+8 <= len(text); at += 4096 {
		if string(text[at:at+8]) == "handoffR" {
			n++
		}
	}
	return n
}

// isSettled says that no change was left halfway.
func (v *view) isSettled() bool {
	return !v.torn && len(v.staged)+len(v.files)+len(v.faults) == 0
}

var varies = regexp.MustCompile(`(\.tmp-|\.md|journal-)[0-9a-f]+|ben:[^ |,]+Z`)

// shape tells stores apart: all but the times in INDEX.md and in events, and random names.
func (v *view) shape() string {
	return varies.ReplaceAllString(v.shown, "") + fmt.Sprint(v.events, v.tokens, v.acts, v.aside, v.anew, v.torn, v.faults)
}

func (v *view) ledger(path string) {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			v.torn = true
			return
		}
		var c struct {
			ID    string `json:"handoff_id"`
			Token string `json:"token"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil || c.ID == "" {
			v.fault("the ledger has a line that is no token: %.40q", line)
		}
		if _, act, isAct := strings.Cut(c.Token, "#"); isAct {
			act, _, _ = strings.Cut(act, ".")
			v.acts[act+" "+c.ID]++
			continue
		}
		v.tokens[c.ID]++
	}
}

func (v *view) log(path string) {
	text, _ := os.ReadFile(path)
	prev := "GENESIS"
	for line := range strings.Lines(string(text)) {
		if v.torn = !strings.HasSuffix(line, "\n"); v.torn {
			return
		}
		line = strings.TrimSuffix(line, "\n")
		var e struct {
			Type    string `json:"event_type"`
			Prev    string `json:"prev_hash"`
			Payload struct {
				ID          string   `json:"handoff_id"`
				Imported    []string `json:"handoff_ids"`
				Quarantined []string `json:"quarantined"`
				Superseded  []string `json:"superseded"`
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			v.fault("the audit log has a line that is not an event: %.40q", line)
			return
		}
		if e.Prev != prev {
			v.fault("the chain of the audit log is broken at a %s", e.Type)
		}
		prev = hash([]byte(line))
		v.events[strings.TrimSpace(e.Type+" "+e.Payload.ID)]++
		if e.Type == "handoff.import" {
			for _, id := range append(e.Payload.Imported, e.Payload.ID) { // in another replica
				if id != "" {
					v.events["handoff.write "+id]++
				}
			}
		}
		for _, id := range e.Payload.Quarantined {
			v.aside[id] = true
		}
		for _, id := range e.Payload.Superseded {
			v.anew[id]++
		}
	}
}

// clean says what is not as it must be when no change is under way.
func (v *view) clean() (faults []string) {
	faults = v.faults
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if len(v.staged) > 0 {
		add("%v was left", v.staged)
	}
	if v.torn {
		add("the audit log or the ledger ends in half a line")
	}
	for file := range v.files {
		add("%s is in no index", file)
	}
	for id := range v.rows {
		if n := v.events["handoff.write "+id]; n != 1+v.anew[id] {
			add("%s has %d write events", id, n)
		}
		n, marked := v.events["handoff.mark_read "+id]-v.events["handoff.mark_unread "+id], v.marks[id+" ben"]
		if n > 1 || (n == 1) != marked {
			add("%s has %d mark events, and its row is marked: %v", id, n, marked)
		}
	}
	for key := range v.events {
		if kind, id, _ := strings.Cut(key, " "); kind == "handoff.write" && v.rows[id] == "" && !v.aside[id] {
			add("the audit log has a write of %s, which no index lists", id)
		} else if kind == "handoff.resume" && v.tokens[id] == 0 {
			add("the audit log has a resume of %s, which the ledger lacks", id)
		}
	}
	for _, act := range words("take release done archive unarchive") {
		for id := range v.rows {
			if n, events := v.acts[act+" "+id], v.events["handoff."+act+" "+id]; n != events || n > 1 {
				add("the ledger has %d of %s of %s, the log %d", n, act, id, events)
			}
		}
	}
	for id, n := range v.tokens {
		if events := v.events["handoff.resume "+id]; n != 1 || events != 1 {
			add("%s was resumed %d times, with %d events", id, n, events)
		}
	}
	if n := v.events["operators.trust"]; (n == 1) != v.pinned || n > 1 {
		add("%d events of trust, and keys are pinned: %v", n, v.pinned)
	}
	if n := v.events["index.rotate"]; n < v.index-1 || n > max(0, v.index-1) {
		add("%d rotation events, %d index files", n, v.index)
	}
	return faults
}
