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

// doc is the text of a document, and idOf its id by the definition: the SHA-256 of its canonical JSON, which for such
// plain text is what encoding/json makes of sorted keys.
func doc(topic string) string {
	return "---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: " + topic +
		"\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody of " + topic + "\n"
}

func docID(topic, body string) string {
	text, err := json.Marshal(map[string]any{"body": body, "from": "ann", "references": []string{},
		"schema_version": "1.0", "tags": []string{}, "to": "ben", "topic": topic, "ts_utc": "2026-05-07T12:00:00Z"})
	if err != nil {
		panic(err)
	}
	return "sha256:" + hash(text)
}

func idOf(topic string) string { return docID(topic, "body of "+topic+"\n") }

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// A view is what documents and log say, and what is wrong with them.
type view struct {
	stored map[string]bool // topics that the log has
	marks  map[string]bool // topics that ben has read
	takes  map[string]bool // topics that ben has
	ended  map[string]bool // topics that are done
	files  map[string]bool // topics of documents that verify
	rows   map[string]bool // topics in INDEX.md
	read   map[string]bool // those of them with a mark
	events map[string]int  // kind, topic and operator → how often
	staged []string        // unfinished files
	torn   bool            // the log ends in what is no complete change
	faults []string        // what must never be so
}

func (v *view) fault(format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

// look reads the store of a project.
func look(dir string) *view {
	v := &view{}
	for _, m := range []*map[string]bool{&v.stored, &v.marks, &v.takes, &v.ended, &v.files, &v.rows, &v.read} {
		*m = map[string]bool{}
	}
	v.events = map[string]int{}
	handoffs := filepath.Join(dir, "handoffs")
	entries, _ := os.ReadDir(handoffs)
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, ".tmp-"), strings.HasPrefix(name, ".INDEX.md") && name != ".INDEX.md.lock":
			v.staged = append(v.staged, name)
		case strings.HasPrefix(name, "20") && strings.HasSuffix(name, ".md"):
			v.document(filepath.Join(handoffs, name))
		case strings.HasPrefix(name, "INDEX"):
			v.index(filepath.Join(handoffs, name))
		}
	}
	v.log(filepath.Join(dir, ".run", "handoff-events.jsonl"))
	for topic := range v.stored {
		if !v.files[topic] {
			v.fault("the log has %s, and no document is there", topic)
		}
	}
	return v
}

func (v *view) document(path string) {
	text, err := os.ReadFile(path)
	head, body, _ := strings.Cut(string(text), "\n---\n\n")
	_, topic, _ := strings.Cut(head, "\ntopic: ")
	topic, _, _ = strings.Cut(strings.Trim(topic, "'"), "\n")
	topic = strings.Trim(topic, "'")
	switch id := docID(topic, body); {
	case err != nil || !strings.Contains(head, "handoff_id: '"+id+"'"):
		v.fault("%s does not verify", filepath.Base(path))
	case v.files[topic]:
		v.fault("two files hold %s", topic)
	default:
		v.files[topic] = true
	}
}

var row = regexp.MustCompile(`(?m)^\| sha256:[0-9a-f]{64} \| 20\S+\.md \| ann \| ben \| (\S+) \| \S+ \| (.*) \|$`)

// index reads a table, as far as it is whole: it can lag behind.
func (v *view) index(path string) {
	text, _ := os.ReadFile(path)
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		v.rows[m[1]] = true
		if strings.Contains(m[2], "ben:20") {
			v.read[m[1]] = true
		}
	}
}

// An event is a line of the log.
type event struct {
	Type    string `json:"event_type"`
	Prev    string `json:"prev_hash"`
	Payload struct {
		ID       string `json:"handoff_id"`
		Topic    string
		Operator string `json:"operator_id"`
		Batch    []int
		Lost     []string
		Moved    []string
	}
}

// log reads the complete changes of the log.
func (v *view) log(path string) {
	text, _ := os.ReadFile(path)
	prev, topics := "GENESIS", map[string]string{}
	var change []event
	for line := range strings.Lines(string(text)) {
		var e event
		line, isWhole := strings.CutSuffix(line, "\n")
		if err := json.Unmarshal([]byte(line), &e); !isWhole || err != nil || e.Prev != prev {
			v.torn = true
			break
		}
		prev = hash([]byte(line))
		if change = append(change, e); len(e.Payload.Batch) == 0 || e.Payload.Batch[0] == e.Payload.Batch[1] {
			for _, e := range change {
				v.add(e, topics)
			}
			change = nil
		}
	}
	v.torn = v.torn || len(change) > 0
}

func (v *view) add(e event, topics map[string]string) {
	id := e.Payload.ID
	if e.Payload.Topic != "" {
		topics[id] = e.Payload.Topic
	}
	topic := topics[id]
	v.events[strings.TrimSpace(strings.TrimPrefix(e.Type, "handoff.")+" "+topic+" "+e.Payload.Operator)]++
	switch e.Type {
	case "handoff.write", "handoff.import":
		v.stored[topic] = true
	case "handoff.prune":
		delete(v.stored, topic)
	case "handoff.repair":
		for _, id := range slices.Concat(e.Payload.Lost, e.Payload.Moved) {
			delete(v.stored, topics[id])
		}
	case "handoff.mark_read":
		v.marks[topic] = true
	case "handoff.take":
		v.takes[topic], v.marks[topic] = true, true
	case "handoff.done":
		v.ended[topic], v.marks[topic] = true, true
	}
}

// shape tells stores apart.
func (v *view) shape() string {
	return fmt.Sprint(v.events, v.files, v.rows, v.read, v.torn, len(v.staged) > 0, v.faults)
}

// clean says what is not as it must be after a command with exit code 0: what is derived is right too.
func (v *view) clean() []string {
	faults := slices.Clone(v.faults)
	if v.torn {
		faults = append(faults, "the log is torn")
	}
	if fmt.Sprint(v.rows) != fmt.Sprint(v.stored) || fmt.Sprint(v.read) != fmt.Sprint(v.marks) {
		faults = append(faults, fmt.Sprintf("INDEX.md has %v, marked %v, the log %v, marked %v", v.rows, v.read,
			v.stored, v.marks))
	}
	for what, n := range v.events {
		if n > 1 && strings.Contains(what, " ") {
			faults = append(faults, fmt.Sprintf("%d events %s", n, what))
		}
	}
	return faults
}
