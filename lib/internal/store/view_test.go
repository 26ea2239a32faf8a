//go:build unix

package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

const noon = "2026-05-07T12:00:00Z"

// A lagging store has a journal with all changes, but some files lack them.
type lagging struct {
	*testing.T
	*store.Store
	root string
	said []string // warnings, and what is lost
}

func newLagging(t *testing.T) *lagging {
	t.Helper()
	w := &lagging{T: t, root: t.TempDir()}
	now, err := time.Parse(time.RFC3339, noon)
	if err != nil {
		t.Fatal(err)
	}
	w.Store = at(w.root)
	w.Opt.UserState, w.Opt.IndexMaxRows, w.Opt.LockTimeout = filepath.Join(t.TempDir(), "state"), -1, 10*time.Second
	w.Opt.Now = func() time.Time { return now }
	w.Opt.Warn = func(text string) { w.said = append(w.said, text) }
	w.Opt.Lost = func(err error) { w.said = append(w.said, "lost: "+err.Error()) }
	return w
}

func docOf(t *testing.T, topic string, size int) document.Document {
	t.Helper()
	doc := document.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: topic, Time: noon, Body: strings.Repeat("body of "+topic+"\n", 1+size/20)}
	id, err := document.ID(doc)
	if err != nil {
		t.Fatal(err)
	}
	doc.HandoffID = id
	return doc
}

func (w *lagging) publish(size int, topics ...string) {
	w.Helper()
	for _, topic := range topics {
		doc := docOf(w.T, topic, size)
		_, err := txn.Publish(context.Background(), w.Store, 1, func(int) txn.Publication {
			return txn.Publication{Document: &doc, Name: topic, BodySize: len(doc.Body), Operators: "disabled", Text: func() ([]byte, error) { return document.Render(doc), nil }}
		}, false)
		if err != nil {
			w.Fatal(err)
		}
	}
}

func (w *lagging) id(topic string, size int) string { return docOf(w.T, topic, size).HandoffID }

func (w *lagging) locked(do func(*txn.Session) error) {
	w.Helper()
	if err := txn.Locked(context.Background(), w.Store, do); err != nil {
		w.Fatal(err)
	}
}

func (w *lagging) checkpoint() { w.Helper(); w.locked((*txn.Session).Checkpoint) }

func (w *lagging) mark(topic, operator string) {
	w.Helper()
	w.locked(func(x *txn.Session) error {
		text, err := store.ReadIndex(x.Dir, disk.IndexFile)
		if err != nil {
			return err
		}
		m := txn.Marking{Session: x, Want: map[string][]index.Mark{w.id(topic, 0): {{Operator: operator, Time: noon}}}}
		if err := m.File(disk.IndexFile, text); err != nil && err != fs.SkipAll {
			return err
		}
		return m.Commit()
	})
}

func (w *lagging) take(topic, operator string) {
	w.Helper()
	w.locked(func(x *txn.Session) error {
		_, _, err := x.Act(eventlog.ActTake, eventlog.Consumption{HandoffID: w.id(topic, 0), Operator: operator, Time: noon}, txn.Lapse{})
		return err
	})
}

func (w *lagging) trust(text string) {
	w.Helper()
	err := txn.Trust(context.Background(), w.Store, func([]byte) ([]byte, eventlog.Trusted, error) { return []byte(text), eventlog.Trusted{}, nil })
	if err != nil {
		w.Fatal(err)
	}
}

// fill makes a store whose journal has every kind of effect.
func (w *lagging) fill(checkpoint bool) {
	w.publish(0, "a", "b")
	w.take("a", "ben")
	w.trust("{\"ann\":1}\n")
	if checkpoint {
		w.checkpoint()
	}
	w.publish(0, "c", "d")
	w.mark("a", "ben")
	if err := txn.Sign(context.Background(), w.Store, txn.Signature{ID: w.id("c", 0), Text: "a signature", Key: "k"}); err != nil {
		w.Fatal(err)
	}
	w.take("b", "ben")
	w.publish(100<<10, "large")
	w.trust("{\"ann\":2}\n")
	w.publish(0, "e")
}

func (w *lagging) path(name string) string {
	switch {
	case name == disk.LogFile, name == disk.Ledger, name == disk.Pins, name == disk.Tombstones, strings.HasPrefix(name, journal.FileName):
		return filepath.Join(w.Opt.StateDir, name)
	case disk.IsSignatureFile(name):
		return filepath.Join(w.Opt.Dir, disk.Signatures, name)
	}
	return filepath.Join(w.Opt.Dir, name)
}

func (w *lagging) read(name string) []byte {
	w.Helper()
	text, err := os.ReadFile(w.path(name))
	if err != nil {
		w.Fatal(err)
	}
	return text
}

func (w *lagging) write(name string, text []byte) {
	w.Helper()
	if err := os.WriteFile(w.path(name), text, 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *lagging) remove(name string) {
	w.Helper()
	if err := os.Remove(w.path(name)); err != nil {
		w.Fatal(err)
	}
}

// tree returns every byte of the store, with the times of the files.
func (w *lagging) tree() string {
	w.Helper()
	var b strings.Builder
	for _, root := range []string{w.root, filepath.Dir(w.Opt.UserState)} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s %v %d %v", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
			if info.Mode().IsRegular() {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, " %s", journal.HashOf(text))
			}
			b.WriteByte('\n')
			return nil
		})
		if err != nil {
			w.Fatal(err)
		}
	}
	return b.String()
}

// see returns all that readers show. It sorts rows, since a restored row comes last.
func (w *lagging) see() string {
	w.Helper()
	w.said = nil
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	dir, err := w.Prover()
	if err != nil || dir == nil {
		return fmt.Sprint("no directory: ", err)
	}
	defer dir.Close()
	rows, others, err := w.Scan(dir, store.Choice{Is: func(index.Row) bool { return true }})
	say("scan %d %v %v", len(rows), others, err)
	slices.SortFunc(rows, func(a, b index.Row) int { return strings.Compare(a.File, b.File) })
	for _, row := range rows {
		row = index.Row{ID: strings.Clone(row.ID), File: row.File, From: row.From, To: row.To, Topic: row.Topic, Time: row.Time, ReadBy: row.ReadBy}
		found, err := w.Find(dir, row.ID)
		doc, text, lerr := w.Load(dir, row)
		_, serr := dir.Lstat(row.File)
		signature, gerr := store.ReadSignature(dir, row.ID)
		say("%s %v %v: %s %s %v %v, signed %q %v", row, found == row, err, doc.HandoffID, journal.HashOf(text), lerr, serr, signature, gerr)
	}
	names, err := dir.Names(index.IsFile)
	slices.Sort(names)
	say("files %v %v", names, err)
	err = store.EachIndex(dir, func(name string, text []byte) error {
		notes := 0
		for l := range index.Lines(string(text)) {
			if !l.IsRow {
				notes++
			}
		}
		say("%s: %d rows, %d other lines", name, index.Count(text), notes)
		return nil
	})
	say("%v", err)
	w.seeState(say)
	say("said %q", w.said)
	return b.String()
}

// seeState returns what readers of the state directory show.
func (w *lagging) seeState(say func(string, ...any)) {
	w.Helper()
	_, err := store.InState(w.Store, func(state *disk.Dir) (any, error) {
		log, done, err := eventlog.Open(state)
		if err != nil {
			return nil, err
		}
		defer done()
		text, err := io.ReadAll(log)
		say("log %d %s %v", len(text), journal.HashOf(text), err)
		facts, err := eventlog.Read(io.NewSectionReader(bytes.NewReader(text), 0, int64(len(text))))
		if err == nil {
			say("chain %q", facts.Bad)
		}
		lives, err := txn.ReadLives(state, "")
		say("lives %d %v", len(lives), err)
		for _, topic := range []string{"a", "b", "c"} {
			say("life of %s: %+v", topic, lives[w.id(topic, 0)])
		}
		for _, name := range []string{disk.Pins, disk.Tombstones} {
			text, err := state.ReadIfThere(name, disk.MaxLedger)
			say("%s %q %v", name, text, err)
		}
		return nil, nil
	})
	d := mustOpen(w.T, w.Store)
	defer d.Close()
	events, eerr := d.HasEvents()
	hasRows, rerr := d.HasRows()
	say("state %v; events %v %v, rows %v %v, lost %v, may begin %v", err, events, eerr, hasRows, rerr, d.HasLostIndex(), d.CheckNewLog())
}

// mustShow fails the test unless readers show the expected state, change nothing, and show the same after a
// command has updated the files.
func (w *lagging) mustShow(name, want string) {
	w.Helper()
	before := w.tree()
	w.mustSee(name, want)
	if after := w.tree(); after != before {
		w.Errorf("%s: readers have changed\n%s\nto\n%s", name, before, after)
	}
	w.locked(func(*txn.Session) error { return nil })
	w.mustSee(name+", mended", want)
}

func (w *lagging) mustSee(name, want string) {
	w.Helper()
	got, wanted := strings.Split(w.see(), "\n"), strings.Split(want, "\n")
	for n := range max(len(got), len(wanted)) {
		if n >= len(got) || n >= len(wanted) || got[n] != wanted[n] {
			w.Errorf("%s: line %d on is\n%s\nwant\n%s", name, n+1, strings.Join(got[min(n, len(got)):min(n+2, len(got))], "\n"), strings.Join(wanted[min(n, len(wanted)):min(n+2, len(wanted))], "\n"))
			return
		}
	}
}

func withoutLine(text []byte, mark string) []byte {
	var left []byte
	for line := range bytes.Lines(text) {
		if !bytes.Contains(line, []byte(mark)) {
			left = append(left, line...)
		}
	}
	return left
}

func lastLines(text []byte, n int) (before []byte) {
	all := slices.Collect(bytes.Lines(text))
	return bytes.Join(all[:len(all)-n], nil)
}

func nameOf(topic string) string { return "2026-05-07-ann-ben-" + topic + ".md" }

// Whatever files lack or hold instead, readers show the content of the journal.
func TestReadersShowTheJournal(t *testing.T) {
	type spoil = func(w *lagging)
	cut := func(name string, n int64) spoil {
		return func(w *lagging) {
			if err := os.Truncate(w.path(name), n); err != nil {
				w.Fatal(err)
			}
		}
	}
	gone := func(name string) spoil { return func(w *lagging) { w.remove(name) } }
	text := func(name, text string) spoil { return func(w *lagging) { w.write(name, []byte(text)) } }
	edit := func(name string, do func([]byte) []byte) spoil {
		return func(w *lagging) { w.write(name, do(w.read(name))) }
	}
	zeros := func(name string, last int) spoil {
		return edit(name, func(text []byte) []byte { clear(text[len(text)-last:]); return text })
	}
	crash := func(do spoil) spoil { // of what is lost in a power cut the last line of the log is a part, or another start of the system tells
		return func(w *lagging) {
			do(w)
			w.write(disk.LogFile, lastLines(w.read(disk.LogFile), 1))
		}
	}
	spoils := map[string]spoil{
		"nothing":                        func(*lagging) {},
		"a row is missing":               edit(disk.IndexFile, func(text []byte) []byte { return withoutLine(text, nameOf("c")) }),
		"a row of before is missing":     edit(disk.IndexFile, func(text []byte) []byte { return withoutLine(text, nameOf("a")) }),
		"the last row is missing":        edit(disk.IndexFile, func(text []byte) []byte { return withoutLine(text, nameOf("e")) }),
		"a mark is missing":              edit(disk.IndexFile, func(text []byte) []byte { return bytes.Replace(text, []byte("ben:"+noon), nil, 1) }),
		"an index of before":             edit(disk.IndexFile, func(text []byte) []byte { return lastLines(text, 3) }),
		"an empty index":                 cut(disk.IndexFile, 0),
		"no index":                       gone(disk.IndexFile),
		"an index of zeros":              zeros(disk.IndexFile, 900),
		"half an index":                  cut(disk.IndexFile, 500),
		"a body is missing":              crash(gone(nameOf("c"))),
		"a body is empty":                crash(cut(nameOf("c"), 0)),
		"a body is cut":                  crash(cut(nameOf("d"), 40)),
		"a body of zeros":                crash(zeros(nameOf("e"), 30)),
		"a body is another":              crash(text(nameOf("c"), "something else\n")),
		"a large body is missing":        crash(gone(nameOf("large"))),
		"a large body is cut":            crash(cut(nameOf("large"), 4096)),
		"the signature is missing":       crash(func(w *lagging) { w.remove(disk.SignatureFile(w.id("c", 0))) }),
		"the signature is empty":         crash(func(w *lagging) { cut(disk.SignatureFile(w.id("c", 0)), 0)(w) }),
		"the log lacks its last line":    edit(disk.LogFile, func(text []byte) []byte { return lastLines(text, 1) }),
		"the log lacks four lines":       edit(disk.LogFile, func(text []byte) []byte { return lastLines(text, 4) }),
		"the log is torn":                edit(disk.LogFile, func(text []byte) []byte { return text[:len(text)-20] }),
		"the log ends in zeros":          zeros(disk.LogFile, 300),
		"the log has a torn line more":   edit(disk.LogFile, func(text []byte) []byte { return append(text, `{"event_type":"han`...) }),
		"the log has zeros behind":       edit(disk.LogFile, func(text []byte) []byte { return append(text, make([]byte, 100)...) }),
		"the ledger lacks its last line": edit(disk.Ledger, func(text []byte) []byte { return lastLines(text, 1) }),
		"the ledger is torn":             edit(disk.Ledger, func(text []byte) []byte { return text[:len(text)-5] }),
		"the ledger ends in zeros":       zeros(disk.Ledger, 20),
		"other pins":                     text(disk.Pins, "{\"eve\":1}\n"),
		"older pins":                     text(disk.Pins, "{\"ann\":1}\n"),
		"no pins":                        gone(disk.Pins),
		"empty pins":                     text(disk.Pins, ""),
		"tombstones from nowhere":        func(w *lagging) { text(disk.Tombstones, w.id("a", 0)+"\n")(w) },
	}
	spoils["all of them"] = func(w *lagging) {
		for _, name := range []string{"an empty index", "a body is missing", "a body is cut", "a body of zeros", "a large body is missing", "the signature is missing", "the log is torn",
			"the ledger lacks its last line", "other pins"} {
			spoils[name](w)
		}
	}
	spoils["all of them, and an edited index"] = func(w *lagging) {
		for _, name := range []string{"a row is missing", "a mark is missing", "a row of before is missing", "a body is cut", "the log lacks four lines", "the ledger is torn", "no pins"} {
			spoils[name](w)
		}
	}
	for name, spoil := range spoils {
		for _, checkpoint := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", name, checkpoint), func(t *testing.T) {
				t.Parallel()
				w := newLagging(t)
				w.fill(checkpoint)
				want := w.see()
				if strings.Count(want, "<nil> <nil>, signed") != 6 || !strings.Contains(want, `"a signature"`) || !strings.Contains(want, `chain ""`) || !strings.Contains(want, "said []") ||
					!strings.Contains(want, "lives 2") || !strings.Contains(want, "scan 6") {
					t.Fatalf("whole, it shows\n%s", want)
				}
				spoil(w)
				w.mustShow(name, want)
			})
		}
	}
}

// record appends a record, as a command that is killed before it changes a file.
func (w *lagging) record(r *journal.Record, kind string) {
	w.Helper()
	state, err := w.OpenPlace(w.Opt.StateDir)
	if err != nil {
		w.Fatal(err)
	}
	defer state.Close()
	key, err := w.Key(state, false)
	if err != nil {
		w.Fatal(err)
	}
	j, err := journal.Open(state, key, true)
	if err != nil {
		w.Fatal(err)
	}
	defer j.Close()
	last := j.Last()
	line, hash, err := eventlog.Link(last.LogHead.String(), kind, w.Opt.Now(), map[string]string{"handoff_id": "sha256:" + strings.Repeat("0", 64)}, nil)
	if err != nil {
		w.Fatal(err)
	}
	r.LogText, r.LogHead, r.LedgerHead = line, journal.ParseHash(hash), last.LedgerHead
	if r.Commit, err = w.CheckedOut(); err != nil {
		w.Fatal(err)
	}
	r.Boot, r.Index = store.BootOf(), journal.HashOf(r.Carry(w.read(disk.IndexFile)))
	hashes, err := store.HashState(state)
	if err != nil {
		w.Fatal(err)
	}
	for _, f := range r.Put {
		if f.Place == journal.State {
			hashes[f.File] = f.SHA256
		}
	}
	r.Head.State = journal.SumState(hashes)
	if err := j.Append(r, nil); err != nil {
		w.Fatal(err)
	}
}

// A record of a killed command is shown before any file has it, also the removal of a handoff.
func TestReadersShowWhatIsUnderWay(t *testing.T) {
	row := func(w *lagging, topic string) index.Row {
		return index.Row{ID: w.id(topic, 0), File: nameOf(topic), From: "ann", To: "ben", Topic: topic, Time: noon}
	}
	body := func(w *lagging, topic string) journal.File {
		return journal.File{Name: journal.Name{Place: journal.Handoffs, File: nameOf(topic)}, Text: journal.NewText(document.Render(docOf(w.T, topic, 0)))}
	}
	bury := func(w *lagging, topics ...string) *journal.Record {
		r := &journal.Record{Op: "prune"}
		text := ""
		for _, topic := range topics {
			f := body(w, topic)
			r.Unset, r.Gone = append(r.Unset, w.id(topic, 0)), append(r.Gone, journal.Gone{Name: f.Name, SHA256: f.SHA256})
			text += w.id(topic, 0) + "\n"
		}
		r.Put = []journal.File{{Name: journal.Name{Place: journal.State, File: disk.Tombstones}, Text: journal.NewText([]byte(text))}}
		return r
	}
	for _, tt := range []struct {
		name   string
		record func(w *lagging) *journal.Record
		kind   string
		shows  []string
		hides  []string
	}{
		{"a write", func(w *lagging) *journal.Record {
			return &journal.Record{Op: "write", New: []journal.File{body(w, "n")}, Added: []index.Row{row(w, "n")}}
		}, eventlog.TypeWrite, []string{"scan 3", nameOf("n")}, nil},
		{"a prune", func(w *lagging) *journal.Record { return bury(w, "a") }, eventlog.TypePrune, []string{"scan 1", nameOf("b"), "tombstones \"sha256"}, []string{nameOf("a")}},
		{"a prune of all", func(w *lagging) *journal.Record { return bury(w, "a", "b") }, eventlog.TypePrune, []string{"scan 0", "lost <nil>", "said []"}, []string{nameOf("a"), nameOf("b")}},
		{"a mark", func(w *lagging) *journal.Record {
			return &journal.Record{Op: "mark-read", Set: []index.Row{row(w, "a").WithMark(index.Mark{Operator: "ben", Time: noon})}}
		}, eventlog.TypeMarkRead, []string{"scan 2", "| ben:" + noon + " |"}, nil},
		{"an archive", func(w *lagging) *journal.Record {
			sealed := journal.File{Name: journal.Name{Place: journal.Handoffs, File: disk.Archive(1)}, Text: journal.NewText(index.Append(index.New(), []index.Row{row(w, "a")}))}
			return &journal.Record{Op: "rotate", New: []journal.File{sealed}, Unset: []string{w.id("a", 0)}, Links: []string{disk.Archive(1)}}
		}, eventlog.TypeRotate, []string{"scan 2", "INDEX-0001.md: 1 rows", "INDEX.md: 1 rows"}, nil},
		{"a large record", func(w *lagging) *journal.Record {
			table := append(w.read(disk.IndexFile), bytes.Repeat([]byte("note\n"), 50_000)...)
			return &journal.Record{Op: "repair", Table: table}
		}, eventlog.TypeRepair, []string{"scan 2", "other lines"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newLagging(t)
			w.publish(0, "a", "b")
			was := w.see()
			w.record(tt.record(w), tt.kind)
			shown := w.see()
			if shown == was {
				t.Fatalf("it shows nothing new:\n%s", shown)
			}
			for _, part := range tt.shows {
				if !strings.Contains(shown, part) {
					t.Errorf("it does not show %q:\n%s", part, shown)
				}
			}
			for _, part := range tt.hides {
				if strings.Contains(shown, part) {
					t.Errorf("it shows %q:\n%s", part, shown)
				}
			}
			w.mustShow(tt.name, shown)
		})
	}
}

// Readers show the files if nothing proves the journal, and an error if its spool is damaged.
func TestReadersWithoutProof(t *testing.T) {
	t.Run("no secret", func(t *testing.T) {
		w := newLagging(t)
		w.fill(false)
		w.write(disk.IndexFile, withoutLine(w.read(disk.IndexFile), nameOf("c")))
		if err := os.Remove(filepath.Join(w.Opt.UserState, store.StateSecret)); err != nil {
			t.Fatal(err)
		}
		before := w.tree()
		if got := w.see(); !strings.Contains(got, "scan 5") {
			t.Errorf("it shows\n%s", got)
		}
		if after := w.tree(); before != after {
			t.Errorf("readers have changed\n%s\nto\n%s", before, after)
		}
	})
	t.Run("no spool", func(t *testing.T) {
		w := newLagging(t)
		w.fill(false)
		w.remove(nameOf("large"))
		spools, err := filepath.Glob(filepath.Join(w.Opt.StateDir, journal.SpoolPrefix+"*"))
		if err != nil || len(spools) != 1 {
			t.Fatal(spools, err)
		}
		if err := os.Remove(spools[0]); err != nil {
			t.Fatal(err)
		}
		d := mustOpen(t, w.Store)
		rows, _, err := w.Scan(d.Dir, store.Choice{Is: func(r index.Row) bool { return true }})
		if err != nil || len(rows) != 6 {
			t.Fatal(rows, err)
		}
		for _, row := range rows {
			_, _, err := w.Load(d.Dir, row)
			if isLarge := row.Topic == "large"; errors.Is(err, fault.ErrIntegrity) != isLarge || !isLarge && err != nil {
				t.Errorf("%s: %v", row.Topic, err)
			}
		}
	})
	t.Run("a journal that is none", func(t *testing.T) {
		w := newLagging(t)
		w.fill(false)
		w.write(disk.IndexFile, withoutLine(w.read(disk.IndexFile), nameOf("c")))
		w.write(journal.FileName, []byte("handoffC"))
		if got := w.see(); !strings.Contains(got, "scan 5") {
			t.Errorf("it shows\n%s", got)
		}
	})
}
