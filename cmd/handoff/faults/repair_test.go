//go:build linux

package faults_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// edited returns a function that changes one file of a store. A change that changes nothing is an error.
func edited(name string, change func([]byte) []byte) func(string) error {
	return func(dir string) error {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		after := change(bytes.Clone(text))
		if bytes.Equal(text, after) {
			return errors.New(name + " was not damaged")
		}
		return os.WriteFile(path, after, 0o600)
	}
}

func removed(name string) func(string) error {
	return func(dir string) error { return os.RemoveAll(filepath.Join(dir, name)) }
}

const (
	indexFile = "handoffs/INDEX.md"
	logFile   = ".run/handoff-events.jsonl"
)

var tear = edited(logFile, func(text []byte) []byte { return append(text, `{"event_type":"handoff.wr`...) })

// without returns a change that takes out the lines with the text.
func without(part string) func([]byte) []byte {
	return func(text []byte) (kept []byte) {
		for line := range bytes.Lines(text) {
			if !bytes.Contains(line, []byte(part)) {
				kept = append(kept, line...)
			}
		}
		return kept
	}
}

func replaced(old, with string) func([]byte) []byte {
	return func(text []byte) []byte { return bytes.Replace(text, []byte(old), []byte(with), 1) }
}

// resumes are the scenarios in which a token is consumed.
func resumes(three [][]string) []scenario {
	resume := func(topic string) []string {
		return []string{"resume", idOf(topic), "--operator", "ben", "--accept", "operational", "--reason", "test"}
	}
	return []scenario{
		{name: "resume", prepare: three, command: resume("a"), mark: "a", token: "a", isOnce: true},
		{name: "resume of another", prepare: append(three, resume("b")), command: resume("a"), mark: "a", token: "a", isOnce: true},
		{name: "recovery of a resume", prepare: three, crashes: []crash{{beforeTable, resume("a")}}, command: words("write d.md"), adds: words("d"), mark: "a", token: "a"},
		{name: "recovery of no resume", prepare: three, crashes: []crash{{beforeRecord, resume("a")}}, command: resume("a"), mark: "a", token: "a", isOnce: true},
		{name: "repair of a lost ledger", prepare: append(three, resume("a")), damage: removed(".run/consumed-tokens.jsonl"), command: words("doctor --repair"), mark: "a", token: "a"},
	}
}

// takings are the scenarios in which a handoff is taken, given back and ended.
func takings(three [][]string) []scenario {
	act := func(name, topic string) []string { return []string{name, idOf(topic), "--operator", "ben"} }
	taken := append(three, act("take", "a"))
	repair := words("doctor --repair")
	return []scenario{
		{name: "take", prepare: three, command: act("take", "a"), mark: "a", act: "take a"},
		{name: "release", prepare: taken, command: act("release", "a"), act: "release a"},
		{name: "done", prepare: taken, command: act("done", "a"), act: "done a"},
		{name: "archive", prepare: three, command: act("archive", "a"), act: "archive a"},
		{name: "recovery of a take", prepare: three, crashes: []crash{{beforeLedger, act("take", "a")}}, command: words("write d.md"), adds: words("d"), mark: "a", act: "take a"},
		{name: "recovery of no take", prepare: three, crashes: []crash{{beforeRecord, act("take", "a")}}, command: act("take", "a"), mark: "a", act: "take a"},
		{name: "recovery of a release", prepare: taken, crashes: []crash{{beforeEvent, act("release", "a")}}, command: act("release", "a"), act: "release a"},
		{name: "repair of a ledger without acts", prepare: append(taken, act("release", "a"), act("done", "a")), damage: removed(".run/consumed-tokens.jsonl"), command: repair},
	}
}

// repairs are the scenarios in which the doctor mends a store.
func repairs(three, archived [][]string) []scenario {
	marked := append(three, []string{"mark-read", idOf("a"), "ben"})
	repair, rebuild := words("doctor --repair"), words("doctor --rebuild-index")
	return []scenario{
		{name: "repair of a lost row", prepare: three, damage: edited(indexFile, without("| b |")), command: repair, adds: words("b")},
		{name: "repair of a lost mark", prepare: marked, damage: edited(indexFile, replaced("| ben:", "|| ben:")), command: repair, mark: "a"},
		{name: "repair of a document that the journal has", prepare: three, damage: edited("handoffs/2026-05-07-ann-ben-c.md", replaced("body", "Body")), command: repair, adds: words("c")},
		{name: "repair of a damaged document", prepare: append(three, repair), damage: edited("handoffs/2026-05-07-ann-ben-c.md", replaced("body", "Body")), command: repair, loses: "c"},
		{name: "repair of a broken chain", prepare: marked, damage: edited(logFile, replaced(`"topic":"b"`, `"topic":"x"`)), command: repair, mark: "a"},
		{name: "repair of a damaged journal", prepare: marked, damage: edited(".run/journal", replaced("handoffC", "nonsense")), command: repair, mark: "a"},
		{name: "repair of a lost journal", prepare: marked, damage: removed(".run/journal"), command: repair, mark: "a"},
		{name: "repair of a lost archive", settings: "index_max_rows: 2\n", prepare: archived, damage: removed("handoffs/INDEX-0001.md"), command: repair, adds: words("a")},
		{name: "rebuilt index", prepare: marked, damage: removed(indexFile), command: rebuild, adds: words("a b c"), mark: "a"},
	}
}
