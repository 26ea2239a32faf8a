//go:build unix

package txn_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A deed is one change of a store that has the handoffs a, b and c.
type deed struct {
	name  string
	rows  int // that INDEX.md may have
	do    func(*world) error
	files []string // that it adds before its commit
	redo  bool     // it is made again where the log has it and other files are older
}

var other = strings.Repeat("22", 32)

var deeds = []deed{
	{"write", -1, func(w *world) error { return publish(w.Store, "d") }, []string{fileOf("d")}, true},
	{"batch", -1, func(w *world) error { return publish(w.Store, "d", "e", "f") }, []string{fileOf("d"), fileOf("e"), fileOf("f")}, true},
	{"mark", -1, func(w *world) error {
		return w.locked(func(x *txn.Session) error {
			mark := []index.Mark{{Operator: "ben", Time: aTime}}
			m := txn.Marking{Session: x, Want: map[string][]index.Mark{handoff("a", "body of a\n").HandoffID: mark, handoff("c", "body of c\n").HandoffID: mark}}
			return store.EachIndex(x.Dir, m.File)
		})
	}, nil, true},
	{"rotation", 3, func(w *world) error { return publish(w.Store, "d") }, []string{layout.Archive(1)}, false},
	{"reindex", -1, func(w *world) error {
		return w.locked(func(x *txn.Session) error {
			old := w.read(layout.Index)
			event := eventlog.Pending{Type: eventlog.TypeRepair, Payload: eventlog.Repaired{Index: layout.Index}}
			return x.Reindex(layout.Index, []byte(old), []byte(old+"\na note\n"), []eventlog.Pending{event})
		})
	}, nil, false},
	{"resume", -1, func(w *world) error {
		return w.locked(func(x *txn.Session) error {
			return x.Resume(eventlog.Consumption{Token: "token-1234", HandoffID: handoff("b", "body of b\n").HandoffID, Operator: "ben", Time: aTime})
		})
	}, nil, true},
	{"take", -1, func(w *world) error {
		_, err := w.act(eventlog.ActTake, "b", "ben", "s-1")
		return err
	}, nil, true},
	{"prune", -1, func(w *world) error {
		_, err := w.prune(anything, "a", "c")
		return err
	}, nil, true},
	{"regenerate", -1, func(w *world) error {
		return w.locked(func(x *txn.Session) error {
			return x.Regenerate(machine.Record{Fingerprint: other, FirstSeenUTC: aTime}, "ann", "moved", eventlog.Adoption{})
		})
	}, nil, true},
}

// prepared is a store in which the deed may be done.
func (d deed) prepared(t *testing.T) *world {
	w := newWorld(t)
	w.publish("a", "b", "c")
	w.Opt.IndexMaxRows = d.rows
	return w
}

// An interruption is a store whose deed was committed, and not logged.
type interruption struct {
	*world
	log    string            // as it was
	lines  string            // that the deed would have added
	before map[string]string // what other files were
}

// interrupted does the deed and has something else written to the log meanwhile, so that its events find no place.
func (d deed) interrupted(t *testing.T) interruption {
	t.Helper()
	return d.interruptedIn(t, d.prepared(t))
}

// interruptedIn is interrupted in a store that is prepared.
func (d deed) interruptedIn(t *testing.T, w *world) interruption {
	t.Helper()
	i := interruption{world: w, log: w.read(layout.Log), before: make(map[string]string)}
	for _, name := range []string{layout.Index, layout.Ledger, layout.Tombstones, layout.Fingerprint, layout.History, fileOf("a"), fileOf("c")} {
		i.before[name] = w.read(name)
	}
	w.atNow = func() {
		w.atNow = func() {}
		w.write(layout.Log, i.log+"x")
	}
	if err := d.do(w); !errors.Is(err, txn.ErrUnrecorded) {
		t.Fatalf("%s: %v", d.name, err)
	}
	w.write(layout.Log, i.log)
	w.key(func(key txn.Key) {
		intent, err := txn.ParseIntent([]byte(w.read(layout.Intent)), key)
		if err != nil {
			t.Fatal(err)
		}
		i.lines = intent.LogLines
	})
	return i
}

// key gives do the key of the store.
func (w *world) key(do func(txn.Key)) {
	w.Helper()
	x, err := txn.Begin(w.Store)
	if err != nil {
		w.Fatal(err)
	}
	defer x.End()
	do(txn.ReadKey(x.State))
}

// uncommitted puts the files back whose replacement was the commit, or followed it.
func (i interruption) uncommitted() {
	for name, text := range i.before {
		if text != "" {
			i.write(name, text)
		} else if i.isThere(name) {
			i.remove(name)
		}
	}
}

func (w *world) recover() error { return w.locked(func(*txn.Session) error { return nil }) }

// Wherever a change was interrupted, the next one finishes it or takes it back.
func TestRecover(t *testing.T) {
	for _, d := range deeds {
		before, done := d.prepared(t), d.prepared(t)
		if err := d.do(done); err != nil {
			t.Fatalf("%s: %v", d.name, err)
		}
		if d.name == "rotation" { // which is what is interrupted, not the write that follows
			again := d.interrupted(t)
			if err := again.recover(); err != nil {
				t.Fatal(err)
			}
			done = again.world
		}
		for _, state := range []struct {
			name string
			make func(interruption)
			want *world
		}{
			{"committed", func(interruption) {}, done},
			{"a torn event", func(i interruption) { i.write(layout.Log, i.log+i.lines[:len(i.lines)/2]) }, done},
			{"an event of zeros", func(i interruption) { i.write(layout.Log, i.log+strings.Repeat("\x00", len(i.lines))) }, done},
			{"logged", func(i interruption) { i.write(layout.Log, i.log+i.lines) }, done},
			{"not committed", func(i interruption) { i.uncommitted() }, before},
			{"only announced", func(i interruption) {
				i.uncommitted()
				for _, name := range d.files {
					i.remove(name)
				}
			}, before},
			{"put back to an older state", func(i interruption) {
				i.uncommitted()
				i.write(layout.Log, i.log+i.lines)
			}, done},
		} {
			if state.name == "put back to an older state" && !d.redo {
				continue
			}
			t.Run(d.name+", "+state.name, func(t *testing.T) {
				t.Parallel()
				i := d.interrupted(t)
				state.make(i)
				if err := i.recover(); err != nil {
					t.Fatal(err)
				}
				i.mustBe(state.want.content())
			})
		}
	}
}

// What a change did not make is not taken away: another file in the place of its body, or one that was written to.
func TestRecoverTakesOnlyItsOwn(t *testing.T) {
	d := deeds[0]
	for name, make := range map[string]func(i interruption){
		"another file": func(i interruption) {
			i.write("new.md", i.read(fileOf("d")))
			if err := os.Rename(i.path("new.md"), i.path(fileOf("d"))); err != nil {
				t.Fatal(err)
			}
		},
		"other content": func(i interruption) { i.write(fileOf("d"), "mine") },
		"listed by hand": func(i interruption) {
			i.write(layout.Index, i.before[layout.Index]+"| mine | "+fileOf("d")+" | ann | ben | d | "+aTime+" |  |\n")
		},
	} {
		i := d.interrupted(t)
		i.uncommitted()
		make(i)
		text := i.read(fileOf("d"))
		if err := i.recover(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if i.read(fileOf("d")) != text || i.isThere(layout.Intent) {
			t.Errorf("%s: the file holds %q, not %q", name, i.read(fileOf("d")), text)
		}
	}
}

// In a copy of a store, where files have other inodes, a change is taken back all the same.
func TestRecoverInACopy(t *testing.T) {
	d := deeds[1]
	i := d.interrupted(t)
	i.uncommitted()
	copied := newWorld(t)
	if err := errors.Join(os.CopyFS(copied.Opt.Dir, os.DirFS(i.Opt.Dir)), os.CopyFS(copied.Opt.StateDir, os.DirFS(i.Opt.StateDir))); err != nil {
		t.Fatal(err)
	}
	if err := copied.recover(); err != nil {
		t.Fatal(err)
	}
	copied.mustBe(d.prepared(t).content())
}

// An intent that this store cannot have left is refused, and nothing is touched.
func TestRecoverRefuses(t *testing.T) {
	d := deeds[0]
	edit := func(change func(*txn.Intent)) func(interruption) {
		return func(i interruption) {
			i.key(func(key txn.Key) {
				intent, err := txn.ParseIntent([]byte(i.read(layout.Intent)), key)
				if err != nil {
					i.Fatal(err)
				}
				change(&intent)
				var text strings.Builder
				if _, err := intent.Print(&text, key); err != nil {
					i.Fatal(err)
				}
				i.write(layout.Intent, text.String())
			})
		}
	}
	for name, spoil := range map[string]func(interruption){
		"damaged":                    func(i interruption) { i.write(layout.Intent, i.read(layout.Intent)[1:]) },
		"cut":                        func(i interruption) { i.write(layout.Intent, "") },
		"of a newer version":         edit(func(i *txn.Intent) { i.Op = "fly" }),
		"a body outside":             edit(func(i *txn.Intent) { i.Bodies[0].File = "../x.md" }),
		"another index":              edit(func(i *txn.Intent) { i.Index = "OTHER.md" }),
		"no event":                   edit(func(i *txn.Intent) { i.LogLines = "{}\n" }),
		"another place in the chain": edit(func(i *txn.Intent) { i.LogOffset = 0 }),
		"a log that is shorter":      func(i interruption) { i.write(layout.Log, i.log[:len(i.log)-10]) },
		"a log that went on":         func(i interruption) { i.write(layout.Log, i.log+`{"event_type":"x"}`+"\n") },
		"no plain file": func(i interruption) {
			i.remove(layout.Intent)
			if err := os.Mkdir(i.path(layout.Intent), 0o700); err != nil {
				i.Fatal(err)
			}
		},
		"of another store": func(i interruption) {
			of := d.interrupted(t)
			i.write(layout.Intent, of.read(layout.Intent))
		},
	} {
		i := d.interrupted(t)
		spoil(i)
		index, log, body := i.read(layout.Index), i.read(layout.Log), i.read(fileOf("d"))
		if err := i.recover(); !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: %v", name, err)
		}
		if !i.isThere(layout.Intent) || i.read(layout.Index) != index || i.read(layout.Log) != log || i.read(fileOf("d")) != body {
			t.Errorf("%s: something was touched", name)
		}
	}
}

// A ledger that was cut or lost before its change was completed is a fault, which a repair can mend, and no
// error of the system, which it would meet again.
func TestRecoverLacksLedger(t *testing.T) {
	for _, d := range deeds {
		if d.name != "take" && d.name != "resume" {
			continue
		}
		for name, spoil := range map[string]func(*world){
			"cut":  func(w *world) { w.write(layout.Ledger, w.read(layout.Ledger)[:20]) },
			"gone": func(w *world) { w.remove(layout.Ledger) },
			"no file": func(w *world) {
				w.remove(layout.Ledger)
				if err := os.Mkdir(w.path(layout.Ledger), 0o700); err != nil {
					w.Fatal(err)
				}
			},
		} {
			w := d.prepared(t)
			if _, err := w.act(eventlog.ActTake, "c", "cy", ""); err != nil {
				t.Fatal(err)
			}
			i := d.interruptedIn(t, w)
			i.write(layout.Log, i.log+i.lines)
			spoil(w)
			if err := w.recover(); !errors.Is(err, fault.ErrIntegrity) {
				t.Errorf("%s, a ledger that is %s: %v", d.name, name, err)
			}
		}
	}
}

// A commit that fails takes its bodies back at once.
func TestFailedCommit(t *testing.T) {
	w := deeds[0].prepared(t)
	before := w.content()
	w.atNow = func() { w.write(layout.Index, w.read(layout.Index)+"a note of somebody\n") }
	if err := publish(w.Store, "d", "e"); !errors.Is(err, fault.ErrBusy) || !strings.Contains(err.Error(), "nothing was published") {
		t.Fatal(err)
	}
	w.write(layout.Index, strings.ReplaceAll(w.read(layout.Index), "a note of somebody\n", ""))
	w.mustBe(before)
}

// What dead writers staged is removed before the next change, what people keep is not.
func TestRecoverCollects(t *testing.T) {
	w := deeds[0].prepared(t)
	staging := filepath.Join(w.Opt.Dir, ".staging")
	if err := os.Mkdir(staging, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".tmp-0123456789abcdef01234567", ".tmp-0123456789abcdef01234567.1"} {
		if err := os.WriteFile(filepath.Join(staging, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.write("notes.txt", "mine")
	if _, err := publishDocs(w.Store, false, handoff("d", "d")); err != nil {
		t.Fatal(err)
	}
	if w.isThere(".staging") || !w.isThere("notes.txt") {
		t.Error("staged files are left, or a note is gone")
	}
}
