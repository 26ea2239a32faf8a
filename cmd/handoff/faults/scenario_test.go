//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A scenario is a command on a store.
type scenario struct {
	name     string
	settings string                 // of .handoff.yaml
	prepare  [][]string             // commands that make the store
	crash    crash                  // a command that is killed then
	damage   func(dir string) error // is done to the store then
	command  []string
	adds     string // topics that the command publishes
	mark     string // the topic that is marked then
	act      string // what is done then with a topic, such as take a
	isRepair bool   // the store is damaged before
}

// A crash kills a command at the last call whose trace matches.
type crash struct {
	at      string
	command []string
}

// The calls of a change, in their order.
const (
	atBody  = `write\(\d+, "---`
	atLink  = `linkat\(.*"2026`
	atLines = `pwrite64\(`
	atSync  = `f(data)?sync\(` // the last is that of the log
	atTable = `renameat\(.*"INDEX\.md"`
)

const logFile, indexFile = ".run/handoff-events.jsonl", "handoffs/INDEX.md"

// edited changes a file of the store.
func edited(name string, edit func(string) string) func(dir string) error {
	return func(dir string) error {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(edit(string(text))), 0o600)
		}
		return err
	}
}

func removed(name string) func(dir string) error {
	return func(dir string) error { return os.RemoveAll(filepath.Join(dir, name)) }
}

// copied puts the document d in the store by hand.
func copied(dir string) error {
	head, body, _ := strings.Cut(doc("d"), "\n---\n")
	text := head + "\nhandoff_id: '" + idOf("d") + "'\n---\n\n" + body
	return os.WriteFile(filepath.Join(dir, "handoffs/2026-05-07-ann-ben-d.md"), []byte(text), 0o644)
}

// withoutThird returns a log without its third line, so that later ones do not continue the chain.
func withoutThird(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(slices.Delete(lines, 2, 3), "")
}

func scenarios() []scenario {
	three := [][]string{words("write in/a.md in/b.md in/c.md")}
	two := [][]string{words("write in/a.md"), words("write in/b.md")}
	write, batch, mark := words("write d.md"), words("write batch"), []string{"mark-read", idOf("a"), "ben"}
	take, done := []string{"take", idOf("a"), "--operator", "ben"}, []string{"done", idOf("a"), "--operator", "ben"}
	repair := words("verify --repair")
	return []scenario{
		{name: "first write", command: write, adds: "d"},
		{name: "write", prepare: three, command: write, adds: "d"},
		{name: "batch", prepare: three, command: batch, adds: "f g h i j"},
		{name: "mark-read", prepare: three, command: mark, mark: "a"},
		{name: "take", prepare: three, command: take, act: "take a"},
		{name: "done", prepare: append(three, take), command: done, act: "done a"},
		{name: "write again", prepare: append(three, write), command: write, adds: "d"},
		{name: "rotation", settings: "index_max_rows: 2\n", prepare: two, command: write, adds: "d"},
		{name: "edited index", prepare: three, command: write, adds: "d",
			damage: edited(indexFile, func(text string) string { return text + "\nAsk ann first.\n" })},
		{name: "no index", prepare: three, damage: removed(indexFile), command: write, adds: "d"},
		{name: "no pin", prepare: three, damage: removed("../home"), command: write, adds: "d"},
		{name: "torn log", prepare: three, command: write, adds: "d",
			damage: edited(logFile, func(text string) string { return text + `{"event_type":"handoff.wr` })},
		{name: "unlogged document", prepare: three, damage: copied, command: write, adds: "d"},
		{name: "after a killed write", prepare: three, crash: crash{atSync, write}, command: write, adds: "d"},
		{name: "after another killed write", prepare: three, crash: crash{atLines, words("write e.md")}, command: write,
			adds: "d"},
		{name: "after a killed first batch", crash: crash{atLines, batch}, command: batch, adds: "f g h i j"},
		{name: "after a killed mark", prepare: three, crash: crash{atSync, mark}, command: mark, mark: "a"},
		{name: "repair of a missing document", prepare: three, command: repair, isRepair: true,
			damage: removed("handoffs/2026-05-07-ann-ben-a.md")},
		{name: "repair of a changed document", prepare: three, command: repair, isRepair: true,
			damage: edited("handoffs/2026-05-07-ann-ben-a.md", func(text string) string { return text + "more\n" })},
		{name: "repair of a damaged log", prepare: append(two, mark), command: repair, isRepair: true,
			damage: edited(logFile, withoutThird)},
		{name: "repair of a lost log", prepare: three, command: repair, isRepair: true, damage: removed(logFile)},
	}
}

func scenarioOf(name string) scenario {
	for _, sc := range scenarios() {
		if sc.name == name {
			return sc
		}
	}
	panic("no scenario " + name)
}

// fill makes the store of the scenario in a site.
func (s site) fill(t *testing.T, sc scenario) {
	t.Helper()
	mustWrite(t, filepath.Join(s.dir, ".handoff.yaml"), sc.settings)
	for dir, topics := range map[string]string{"in": "a b c", "": "d e", "batch": "f g h i j"} {
		for _, topic := range words(topics) {
			mustWrite(t, filepath.Join(s.dir, dir, topic+".md"), doc(topic))
		}
	}
	for _, command := range sc.prepare {
		must(t, s.dir, append([]string{s.bin}, command...)...)
	}
	err := s.keep()
	if err == nil && sc.crash.command != nil {
		err = s.kill(sc.crash)
	}
	if err == nil && sc.damage != nil {
		err = sc.damage(s.dir)
	}
	if err = errors.Join(err, s.keep()); err != nil {
		t.Fatal(err)
	}
}

// kill rehearses a command and then kills it.
func (s site) kill(c crash) error {
	tr, err := s.calls(s.dir, c.command)
	if err = errors.Join(err, s.reset()); err != nil {
		return err
	}
	if r := s.strace(s.dir, withKill(tr.find(c.at)), c.command...); r.code == 0 {
		return fmt.Errorf("%v was not killed at %s", c.command, c.at)
	}
	return nil
}

// withKill is the injection that kills at a call that find has found.
func withKill(call string) string { return strings.Replace(call, ":", ":signal=KILL:", 1) }
