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

// A scenario is a command on a store. Its template is what the store looks like before.
type scenario struct {
	name     string
	settings string                 // of .handoff.yaml
	prepare  [][]string             // commands that make the template
	crashes  []crash                // commands that are killed after that, one after the other
	damage   func(dir string) error // is done to the template then
	failing  failure                // what fails in each run, besides the call that is swept
	command  []string
	adds     []string // topics that the command publishes
	mark     string   // the topic that is marked then
	token    string   // the topic whose token is consumed then
	act      string   // what is done then with the topic, such as take a
	loses    string   // the topic that was damaged, and goes aside
	isOnce   bool     // when the command was done before, it has exit code 11
	reads    bool     // the command changes nothing, and recovers nothing
	core     bool     // the short sweep looks at it closely
}

// frees reports whether the command gives a handoff back, which waits for its recipient then.
func (sc scenario) frees(id string) bool {
	topic, isRelease := strings.CutPrefix(sc.act, "release ")
	return isRelease && idOf(topic) == id
}

// A crash kills a command at the first system call whose trace matches.
type crash struct {
	at      string
	command []string
}

// A failure makes the first system call fail whose trace matches.
type failure struct{ at, errno string }

// The calls of a change, in their order. The record is the change: from its sync on it is made.
const (
	beforeRecord = `pwrite64\(\d+, "handoffR`
	beforeSync   = `fdatasync\(`
	beforeBodies = `(linkat|renameat2)\(.*"2026`
	beforeTable  = `renameat\(.*"INDEX\.md"`
	beforeLedger = `pwrite64\(\d+, "\{\\"token`
	beforeEvent  = `pwrite64\(\d+, "\{\\"event_type`
)

// The calls of a checkpoint.
const (
	beforeDraft   = `openat\(.*"journal\.new".*O_CREAT`
	beforeAnew    = `pwrite64\(\d+, "handoffC`
	beforeJournal = `renameat\(.*"journal\.new"`
)

// nameOf names a call of these for people.
func nameOf(at string) string {
	return map[string]string{beforeRecord: "the record", beforeSync: "its sync", beforeBodies: "the body", beforeTable: "the table", beforeEvent: "the event"}[at]
}

// many are the topics of a batch whose files are synced side by side, and large those of one that a spool has.
const (
	many  = "ka kb kc kd ke kf kg kh ki kj kk kl km kn ko kp kq kr ks kt"
	large = "la lb lc"
)

// largeDoc is a document of 20 kB.
func largeDoc(topic string) string { return doc(topic) + strings.Repeat("more of "+topic+"\n", 2000) }

func words(s string) []string { return strings.Fields(s) }

func scenarios() []scenario {
	three := [][]string{words("write in/a.md in/b.md in/c.md")}
	tracked := "git: tracked\n"
	synced := "git: synced\n"
	rotates := "index_max_rows: 2\n"
	two := [][]string{words("write in/a.md"), words("write in/b.md")}
	mark := []string{"mark-read", idOf("a"), "ben"}
	regenerate := words("machine-fingerprint regenerate --yes --operator ann --reason test")
	write, other := words("write d.md"), words("write e.md")
	list := []scenario{
		{name: "first write", command: write, adds: words("d")},
		{name: "write", prepare: three, command: write, adds: words("d"), core: true},
		{name: "write again", prepare: append(three, write), command: write, adds: words("d")},
		{name: "batch", prepare: three, command: words("write batch"), adds: words("f g h i j")},
		{name: "batch on many threads", prepare: three, command: words("write many"), adds: words(many)},
		{name: "mark-read", prepare: three, command: mark, mark: "a", core: true},
		{name: "mark-read in an archive", settings: rotates, prepare: append(two, write), command: mark, mark: "a"},
		{name: "mark-read in an archive of a synced store", settings: synced + rotates, prepare: append(two, write), command: mark, mark: "a"},
		{name: "rotation of a synced store", settings: synced + rotates, prepare: two, command: write, adds: words("d")},
		{name: "rotation", settings: rotates, prepare: two, command: write, adds: words("d")},
		{name: "regenerate", prepare: three, command: regenerate},
		{name: "begin of a replica", settings: tracked, prepare: three, damage: removed(".run"), command: write, adds: words("d")},
		{name: "recovery of a begin", settings: tracked, prepare: three, damage: removed(".run"), crashes: []crash{{beforeSync, write}}, command: write, adds: words("d")},
		{name: "surface", prepare: three, command: words("surface ben"), reads: true},
		{name: "torn log", prepare: three, damage: tear, command: write, adds: words("d")},
		{name: "batch of large documents", prepare: three, command: words("write large"), adds: words(large)},
		{name: "write after others were shown", prepare: append(three, words("surface ben")), command: write, adds: words("d")},
		{name: "checkpoint", prepare: append(three, mark), command: words("doctor --repair")},
		{name: "edited index", prepare: three, damage: edited(indexFile, func(text []byte) []byte { return append(text, "\nAsk ann first.\n"...) }), command: write, adds: words("d")},
		{name: "recovery of a beginning", crashes: []crash{{beforeJournal, write}}, command: write, adds: words("d")},
		{name: "recovery of a first write", crashes: []crash{{beforeEvent, write}}, command: other, adds: words("e")},
		{name: "recovery of a batch", prepare: three, crashes: []crash{{beforeBodies, words("write batch")}}, command: other, adds: words("e f g h i j")},
		{name: "recovery of a large batch", prepare: three, crashes: []crash{{beforeTable, words("write large")}}, command: other, adds: append(words(large), "e")},
		{name: "recovery of no large batch", prepare: three, crashes: []crash{{beforeRecord, words("write large")}}, command: words("write large"), adds: words(large)},
		{name: "recovery of a rotation", settings: rotates, prepare: two, crashes: []crash{{beforeTable, write}}, command: write, adds: words("d")},
		{name: "recovery of a rotation without archive", settings: rotates, prepare: two, crashes: []crash{{`(linkat|renameat2)\(.*"INDEX-`, write}}, command: write, adds: words("d")},
		{name: "recovery of a finished rotation", settings: rotates, prepare: two, crashes: []crash{{beforeAnew, write}}, command: write, adds: words("d")},
		{name: "recovery of a mark", prepare: three, crashes: []crash{{beforeEvent, mark}}, command: mark, mark: "a"},
		{name: "recovery of no mark", prepare: three, crashes: []crash{{beforeRecord, mark}}, command: mark, mark: "a"},
		{name: "recovery of a regenerate", prepare: three, crashes: []crash{{beforeEvent, regenerate}}, command: write, adds: words("d")},
		{name: "recovery of a recovery", prepare: three, crashes: []crash{{beforeTable, write}, {beforeAnew, write}, {beforeJournal, write}}, command: write, adds: words("d")},
		{name: "recovery of a checkpoint", prepare: append(three, mark), crashes: []crash{{beforeJournal, words("doctor --repair")}}, command: write, adds: words("d"), mark: "a"},
		{name: "recovery of a recovered event", prepare: three, crashes: []crash{{beforeEvent, write}, {beforeAnew, other}, {beforeEvent, other}}, command: other, adds: words("d e")},
	}
	list = append(list, resumes(three)...)
	list = append(list, takings(three)...)
	list = append(list, scenario{name: "trust", prepare: three, damage: keyed, command: words("operators trust ann --yes")})
	list = append(list, repairs(three, append(two, write))...)
	for _, at := range []string{beforeRecord, beforeSync, beforeBodies, beforeTable, beforeEvent} {
		list = append(list, scenario{name: "recovery at " + nameOf(at), prepare: three, crashes: []crash{{at, write}}, command: write, adds: words("d")})
	}
	for _, f := range []failure{{beforeSync, "EIO"}, {beforeBodies, "ENOSPC"}, {beforeTable, "EIO"}, {beforeEvent, "EIO"}} {
		list = append(list, scenario{name: "after " + f.errno + " at " + nameOf(f.at), prepare: three, failing: f, command: write, adds: words("d")})
	}
	return list
}

// template makes the store of the scenario in a project, with its crashes.
func (p program) template(dir string, sc scenario) error {
	if err := p.fill(dir, sc); err != nil {
		return err
	}
	for _, c := range sc.crashes {
		name, n, err := p.findCall(dir, c.at, c.command)
		if err != nil {
			return fmt.Errorf("%s: %w", sc.name, err)
		}
		if r := p.strace(dir, []string{fmt.Sprintf("%s:signal=KILL:when=%d", name, n)}, c.command...); r.code == 0 {
			return fmt.Errorf("%s: %v was not killed", sc.name, c.command)
		}
	}
	return nil
}

// store makes the store of the scenario in a site of its own.
func (p program) store(t *testing.T, sc scenario) (dir string) {
	t.Helper()
	dir = p.newSite(t)
	if err := p.template(dir, sc); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fill makes the store of the scenario in dir, without its crashes.
func (p program) fill(dir string, sc scenario) (err error) {
	put := func(path, text string) {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	put(filepath.Join(dir, ".handoff.yaml"), sc.settings)
	for topic, place := range map[string]string{"a": "in/", "b": "in/", "c": "in/", "d": "", "e": "", "f": "batch/", "g": "batch/", "h": "batch/", "i": "batch/", "j": "batch/"} {
		put(filepath.Join(dir, place+topic+".md"), doc(topic))
	}
	if slices.Contains(sc.command, "many") {
		for _, topic := range words(many) {
			put(filepath.Join(dir, "many", topic+".md"), doc(topic))
		}
	}
	if strings.Contains(fmt.Sprint(sc.command, sc.crashes), "large") {
		for _, topic := range words(large) {
			put(filepath.Join(dir, "large", topic+".md"), largeDoc(topic))
		}
	}
	for _, command := range sc.prepare {
		if r := p.handoff(dir, command...); err == nil && r.code != 0 {
			err = fmt.Errorf("%v: exit code %d: %s%s", command, r.code, r.stdout, r.stderr)
		}
	}
	if err == nil && sc.damage != nil {
		err = sc.damage(dir)
	}
	return err
}
