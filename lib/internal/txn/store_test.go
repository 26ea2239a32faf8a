//go:build unix

package txn_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/journal"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

const aTime = "2026-05-07T12:00:00Z"

// other is a machine that the store does not belong to.
var other = strings.Repeat("22", 32)

// A world is a store in a temporary directory, with a fixed clock.
type world struct {
	*testing.T
	*store.Store
	root     string
	atNow    func() // is called when the time is asked for
	warnings []string
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, root: t.TempDir(), atNow: func() {}}
	now, err := time.Parse(time.RFC3339, aTime)
	if err != nil {
		t.Fatal(err)
	}
	w.Store = &store.Store{Opt: store.Options{
		Dir: filepath.Join(w.root, "handoffs"), StateDir: filepath.Join(w.root, ".run"), Root: w.root, IndexMaxRows: -1,
		UserState: filepath.Join(t.TempDir(), "state"), LockTimeout: time.Second,
		Fingerprint: func() (string, error) { return w.machine(), nil },
		Now:         func() time.Time { w.atNow(); return now },
		Warn:        func(text string) { w.warnings = append(w.warnings, text) }, Lost: func(err error) { t.Error(err) },
	}}
	return w
}

// machine is the machine that the store belongs to.
func (w *world) machine() string {
	if r, err := disk.ParseMachineRecord([]byte(w.read(disk.FingerprintFile))); err == nil {
		return r.Fingerprint
	}
	return strings.Repeat("11", 32)
}

// handoff returns a document to store.
func handoff(topic, body string) txn.Publication {
	doc := document.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: topic, Time: aTime, Body: body}
	id, err := document.ID(doc)
	if err != nil {
		panic(err)
	}
	doc.HandoffID = id
	return txn.Publication{Document: &doc, Name: topic + ".md", BodySize: len(body), Operators: "disabled",
		Text: func() ([]byte, error) { return document.Render(doc), nil }}
}

func fileOf(topic string) string { return "2026-05-07-ann-ben-" + topic + ".md" }

func (w *world) publish(topics ...string) {
	w.Helper()
	if err := publish(w.Store, topics...); err != nil {
		w.Fatal(err)
	}
}

func publish(s *store.Store, topics ...string) error {
	var docs []txn.Publication
	for _, topic := range topics {
		docs = append(docs, handoff(topic, "body of "+topic+"\n"))
	}
	_, err := publishDocs(s, false, docs...)
	return err
}

func publishDocs(s *store.Store, keepGoing bool, docs ...txn.Publication) ([]txn.Outcome, error) {
	return txn.Publish(context.Background(), s, len(docs), func(i int) txn.Publication { return docs[i] }, keepGoing)
}

// locked runs do as one change.
func (w *world) locked(do func(*txn.Session) error) error {
	return txn.Locked(context.Background(), w.Store, do)
}

// checkpoint starts the journal over, so that it does not have the earlier texts.
func (w *world) checkpoint() {
	w.Helper()
	if err := w.locked((*txn.Session).Checkpoint); err != nil {
		w.Fatal(err)
	}
}

func (w *world) path(name string) string {
	switch name {
	case disk.LogFile, disk.Ledger, disk.Tombstones, disk.FingerprintFile, disk.Refusals, journal.FileName:
		return filepath.Join(w.Opt.StateDir, name)
	}
	return filepath.Join(w.Opt.Dir, name)
}

// read returns a file, "" if it does not exist.
func (w *world) read(name string) string {
	w.Helper()
	text, err := os.ReadFile(w.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Fatal(err)
	}
	return string(text)
}

func (w *world) write(name, text string) {
	w.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.Helper()
	if err := os.Remove(w.path(name)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) isThere(name string) bool {
	_, err := os.Lstat(w.path(name))
	return err == nil
}

// rows returns how many times the index files list handoffs of the topic.
func (w *world) rows(topic string) (n int) {
	all, err := filepath.Glob(filepath.Join(w.Opt.Dir, "INDEX*.md"))
	if err != nil {
		w.Fatal(err)
	}
	for _, name := range all {
		n += strings.Count(w.read(filepath.Base(name)), " "+fileOf(topic)+" ")
	}
	return n
}

// content returns all content of a store, without its random parts.
func (w *world) content() string {
	w.Helper()
	entries, err := os.ReadDir(w.Opt.Dir)
	if err != nil {
		w.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "== %s\n%s", e.Name(), w.read(e.Name()))
	}
	for _, name := range []string{disk.LogFile, disk.Ledger} {
		fmt.Fprintf(&b, "== %s\n%s", name, w.read(name))
	}
	fingerprint, _, _ := strings.Cut(w.read(disk.FingerprintFile), `"writer":`)
	return b.String() + fingerprint
}

// mustBe compares the content line by line.
func (w *world) mustBe(want string) {
	w.Helper()
	got, wanted := strings.Split(w.content(), "\n"), strings.Split(want, "\n")
	for n := range max(len(got), len(wanted)) {
		if n >= len(got) || n >= len(wanted) || got[n] != wanted[n] {
			w.Errorf("line %d on is %q, want %q", n+1, got[min(n, len(got)):min(n+3, len(got))], wanted[min(n, len(wanted)):min(n+3, len(wanted))])
			return
		}
	}
}
