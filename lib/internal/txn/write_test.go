//go:build unix

package txn_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/journal"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

func (w *world) publishAll(keepGoing bool, docs ...txn.Publication) ([]txn.Outcome, error) {
	return publishDocs(w.Store, keepGoing, docs...)
}

// A document is stored once, however often and by whomever it is written.
func TestPublishAgain(t *testing.T) {
	w := newWorld(t)
	a, b := handoff("a", "body of a\n"), handoff("b", "body of b\n")
	for _, test := range []struct {
		docs     []txn.Publication
		existing string
	}{{[]txn.Publication{a}, "0"}, {[]txn.Publication{a}, "1"}, {[]txn.Publication{a, b, b}, "101"}, {nil, ""}} {
		outcomes, err := w.publishAll(false, test.docs...)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, o := range outcomes {
			got += map[bool]string{true: "1", false: "0"}[o.Existing]
			if o.File != fileOf(test.docs[i].Topic) || o.Err != nil {
				t.Errorf("%+v", o)
			}
		}
		if got != test.existing {
			t.Errorf("existing are %s, want %s", got, test.existing)
		}
	}
	if w.rows("a") != 1 || w.rows("b") != 1 || strings.Count(w.read(disk.LogFile), "handoff.write") != 2 {
		t.Error(w.content())
	}
}

// Different documents with the same name get numbers. When the numbers run out, only that document fails.
func TestPublishNumbers(t *testing.T) {
	w := newWorld(t)
	var docs []txn.Publication
	for n := range txn.MaxNames + 1 {
		docs = append(docs, handoff("t", strings.Repeat("x", n)))
	}
	if outcomes, err := w.publishAll(false, docs...); !errors.Is(err, fault.ErrConfig) || outcomes[txn.MaxNames].Err == nil {
		t.Fatalf("%v", err)
	}
	if w.isThere(disk.IndexFile) || w.isThere(fileOf("t")) {
		t.Error("something was published")
	}
	outcomes, err := w.publishAll(true, docs...)
	if err != nil || outcomes[0].File != fileOf("t") || outcomes[99].File != fileOf("t-100") || outcomes[99].Err != nil || outcomes[100].Err == nil {
		t.Fatalf("%v, %+v", err, outcomes[99:])
	}
}

// A file that holds the document is adopted if no row lists it. A changed file is a fault.
func TestPublishMeetsFiles(t *testing.T) {
	d := handoff("d", "body of d\n")
	whole, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text string
		file string // that the document is stored as, "" if it is refused
	}{
		"itself": {string(whole), fileOf("d")}, "changed": {strings.Replace(string(whole), "body of d", "nobody", 1), ""},
		"no handoff": {"# Notes\n", fileOf("d-2")}, "empty": {"", fileOf("d-2")},
	} {
		w := newWorld(t)
		w.publish("a")
		w.write(fileOf("d"), test.text)
		outcomes, err := w.publishAll(false, d)
		if (err == nil) != (test.file != "") || err == nil && (outcomes[0].File != test.file || w.rows("d")+w.rows("d-2") != 1) {
			t.Errorf("%s: %+v, %v", name, outcomes, err)
		}
		if err != nil && !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: %v", name, err)
		}
		if adopted := strings.Contains(w.read(disk.LogFile), `"adopted":true`); adopted != (name == "itself") {
			t.Errorf("%s: adopted is %v", name, adopted)
		}
		if w.read(fileOf("d")) != test.text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// A row with a missing or wrong file is not a stored handoff. The journal restores the text if it has it.
func TestPublishMeetsRows(t *testing.T) {
	const healed, kept = 1, 2 // by the journal since it began, and by what it begins with
	for name, test := range map[string]struct {
		spoil func(*world)
		heals int
	}{
		"file gone":    {func(w *world) { w.remove(fileOf("a")) }, healed},
		"file emptied": {func(w *world) { w.write(fileOf("a"), "") }, healed},
		"another file": {func(w *world) {
			w.write(disk.IndexFile, strings.ReplaceAll(w.read(disk.IndexFile), fileOf("a"), fileOf("z")))
		}, kept},
		"another one's": {func(w *world) {
			w.write(disk.IndexFile, strings.ReplaceAll(w.read(disk.IndexFile), fileOf("a"), fileOf("b")))
		}, kept},
		"no index":    {func(w *world) { w.remove(disk.IndexFile) }, kept},
		"empty index": {func(w *world) { w.write(disk.IndexFile, "") }, kept},
	} {
		for knows, prepare := range []func(*world){
			func(w *world) { w.remove(journal.FileName) }, (*world).checkpoint, func(*world) {},
		} {
			w := newWorld(t)
			w.publish("a", "b")
			whole := w.content()
			prepare(w)
			test.spoil(w)
			before := w.content()
			heals, want := knows >= 3-test.heals, before
			if heals {
				want = whole
			}
			err := publish(w.Store, "a")
			if w.mustBe(want); heals != (err == nil) || err != nil && !errors.Is(err, fault.ErrIntegrity) {
				t.Errorf("%s, %d: %v", name, knows, err)
			}
		}
	}
}

// A text that cannot be read fails a batch before anything is published, and the batch leaves nothing.
func TestPublishWithoutText(t *testing.T) {
	w := newWorld(t)
	w.publish("a")
	before, gone := w.content(), errors.New("gone")
	bad := handoff("b", "")
	bad.Text = func() ([]byte, error) { return nil, gone }
	for _, docs := range [][]txn.Publication{{bad}, {handoff("c", ""), bad}} {
		if _, err := w.publishAll(true, docs...); !errors.Is(err, gone) {
			t.Error(err)
		}
		w.mustBe(before)
	}
}

// Surplus rows go to archives, oldest first, and archived handoffs are not stored again.
func TestRotation(t *testing.T) {
	w := newWorld(t)
	w.Opt.IndexMaxRows = 4
	topics := strings.Fields("a b c d e f g h i")
	for _, topic := range topics {
		w.publish(topic)
	}
	w.publish(append(topics, "j")...)
	for _, topic := range append(topics, "j") {
		if w.rows(topic) != 1 {
			t.Errorf("%s has %d rows", topic, w.rows(topic))
		}
	}
	archives, _ := filepath.Glob(filepath.Join(w.Opt.Dir, "INDEX-*.md"))
	if rotations := strings.Count(w.read(disk.LogFile), "index.rotate"); len(archives) == 0 || rotations != len(archives) {
		t.Errorf("%d archives, %d events", len(archives), rotations)
	}
	if !strings.Contains(w.read(disk.Archive(1)), fileOf("a")) || !strings.Contains(w.read(disk.IndexFile), fileOf("j")) {
		t.Error("the oldest row is not in the first archive, or the newest in INDEX.md")
	}
	mode := func(name string) os.FileMode {
		info, err := os.Stat(w.path(name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if mode(disk.Archive(1)) != mode(disk.IndexFile) {
		t.Error("an archive has another mode than INDEX.md")
	}
}

// If a store has rows and no log, a new chain must not hide the loss. The journal restores what it has.
func TestLogIsGone(t *testing.T) {
	for name, spoil := range map[string]func(*world){
		"removed": func(w *world) { w.remove(disk.LogFile) },
		"emptied": func(w *world) { w.write(disk.LogFile, "") },
		"marker":  func(w *world) { w.write(disk.LogFile, "[rotated]\n") },
	} {
		for _, prepare := range []func(*world){(*world).checkpoint, func(w *world) { w.remove(journal.FileName) }} {
			w := newWorld(t)
			w.publish("a")
			prepare(w)
			spoil(w)
			if err := publish(w.Store, "b"); !errors.Is(err, fault.ErrIntegrity) || w.rows("b") > 0 || w.isThere(fileOf("b")) {
				t.Errorf("%s: %v", name, err)
			}
		}
		w := newWorld(t)
		w.publish("a")
		whole := w.read(disk.LogFile)
		spoil(w)
		w.publish("b")
		if log := w.read(disk.LogFile); !strings.HasPrefix(log, whole) || strings.Count(log, "handoff.write") != 2 {
			t.Errorf("%s: the log is\n%s", name, log)
		}
	}
}

// A torn line is quarantined durably, and no event follows it.
func TestTornLog(t *testing.T) {
	w := newWorld(t)
	w.publish("a")
	w.write(disk.LogFile, w.read(disk.LogFile)+`{"event_type":"ha`)
	w.publish("b")
	log := w.read(disk.LogFile)
	aside, _ := filepath.Glob(filepath.Join(w.Opt.StateDir, disk.TornLog+"*"))
	if len(aside) != 1 || len(w.warnings) != 1 || strings.Count(log, "\n") != 2 || strings.Contains(log, `"ha{`) {
		t.Fatalf("%q, %q\n%s", aside, w.warnings, log)
	}
	if text, err := os.ReadFile(aside[0]); err != nil || string(text) != `{"event_type":"ha` {
		t.Errorf("%q, %v", text, err)
	}
}

// The events of a large batch are not held in memory. They are recorded like those of a small one.
func TestPublishMuch(t *testing.T) {
	w := newWorld(t)
	w.publish("a")
	var docs []txn.Publication
	for n := range 40 {
		d := handoff(fmt.Sprintf("t-%d", n), "body\n")
		d.Allowed = []string{strings.Repeat("ä", 150<<10)} // so that events are long
		docs = append(docs, d)
	}
	if _, err := w.publishAll(false, docs...); err != nil {
		t.Fatalf("%.300v", err)
	}
	if text := w.read(disk.IndexFile); strings.Count(text, "| sha256:") != 1+len(docs) {
		t.Errorf("INDEX.md is\n%s", text)
	}
	log := w.read(disk.LogFile)
	read, err := eventlog.Read(io.NewSectionReader(strings.NewReader(log), 0, int64(len(log))))
	if err != nil || read.Bad != "" || strings.Count(log, `"handoff.write"`) != 1+len(docs) {
		t.Fatalf("%v, %v", err, read)
	}
	for i, d := range docs {
		if !read.Of(d.HandoffID).IsWritten() {
			t.Errorf("document %d has no event", i)
		}
	}
}
