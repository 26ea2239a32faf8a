package check_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

const repair = "handoff verify --repair"

// A shop is a store to be damaged.
type shop struct {
	*store.Store
	t   testing.TB
	dir string
}

func newShop(t testing.TB, kind disk.Git) shop {
	dir := t.TempDir()
	return shop{&store.Store{Opt: store.Options{Dir: filepath.Join(dir, "handoffs"), StateDir: filepath.Join(dir, ".run"),
		Root: dir, UserState: filepath.Join(t.TempDir(), "handoff"), OperatorsFile: filepath.Join(dir, "OPERATORS.md"),
		Git: kind, LockTimeout: time.Minute, IndexMaxRows: 5000, Now: time.Now, Warn: func(string) {},
		Fingerprint: func() (string, error) { return strings.Repeat("a", 64), nil },
		VerifySignature: func(text, armored []byte, _ string) (string, error) {
			if !bytes.Equal(armored, []byte("signed")) {
				return "", fault.Integrity("", "the signature is invalid")
			}
			return "", nil
		}}}, t, dir}
}

func doc(topic string) store.Document {
	d := document.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: topic, Time: "2026-05-07T12:00:00Z",
		Body: "# About " + topic + "\n\n---\nhandoff_id: 'quoted'\n---\n"}
	d.HandoffID, _ = document.ID(d)
	return store.Document{Document: d, Size: len(d.Body), Text: func() ([]byte, error) { return document.Render(d), nil }}
}

func (s shop) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s shop) write(docs ...store.Document) (file string) {
	s.t.Helper()
	out, err := s.Write(context.Background(), docs, func(*store.Change) {}, nil)
	s.must(err)
	return filepath.Join(s.Opt.Dir, out[0].File)
}

func (s shop) path(name string) string {
	return filepath.Join(s.Opt.Dir, "2026-05-07-ann-ben-"+name+".md")
}

func (s shop) log() string { return filepath.Join(s.Opt.StateDir, log.FileName) }

// fill stores documents one, two and three, a batch of four and five, a mark, and six, which is pruned.
func (s shop) fill() shop {
	s.t.Helper()
	six := s.write(doc("six"))
	for _, topic := range []string{"one", "two", "three"} {
		s.write(doc(topic))
	}
	s.write(doc("four"), doc("five"))
	s.must(s.Change(context.Background(), func(c *store.Change) error {
		c.Mark(c.Of(doc("one").HandoffID), log.MarkRead, "ben")
		c.Add(log.Prune, log.Payload{Removed: []string{doc("six").HandoffID}})
		return nil
	}))
	s.must(os.Remove(six))
	return s
}

func (s shop) verify() check.Report {
	s.t.Helper()
	r, err := check.Verify(context.Background(), s.Store, nil)
	s.must(err)
	return r
}

func (s shop) read(path string) []byte {
	s.t.Helper()
	text, err := os.ReadFile(path)
	s.must(err)
	return text
}

func (s shop) put(path string, text []byte) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Dir(path), 0o700))
	s.must(os.WriteFile(path, text, 0o600))
}

// good returns the ids of the whole documents, by the directory alone.
func (s shop) good() map[string]bool {
	ids := map[string]bool{}
	names, _ := filepath.Glob(filepath.Join(s.Opt.Dir, "*.md"))
	for _, name := range names {
		info, err := os.Lstat(name) // a link to another file is no document, and INDEX.md is none
		if err != nil || !info.Mode().IsRegular() || info.Size() > disk.MaxDocument || !store.IsDocument(info.Name()) {
			continue
		}
		text, _ := os.ReadFile(name)
		if d, faults := document.ParseStored(text); len(faults) == 0 {
			if id, err := document.ID(d); err == nil && id == d.HandoffID {
				ids[id] = true
			}
		}
	}
	return ids
}

// repaired repairs the store; then Verify has no fault, a change works, and no good document is gone or unlisted.
func (s shop) repaired() {
	s.t.Helper()
	before := s.good()
	done, err := check.Repair(context.Background(), s.Store)
	if err != nil {
		s.t.Fatalf("repair: %v after %q", err, done.Done)
	}
	if r := s.verify(); len(r.Faults) > 0 {
		s.t.Fatalf("after %q: %v", done.Done, r.Faults)
	}
	after := s.good()
	look, err := s.Look(false)
	s.must(err)
	for id := range before {
		h := look.Of(id)
		if h != nil && h.Pruned {
			continue
		}
		if h == nil || h.Lost || !after[id] {
			s.t.Errorf("%s was whole and is lost: %q", id, done.Done)
		}
	}
	s.write(doc("next"))
	if again, err := check.Repair(context.Background(), s.Store); err != nil || len(again.Done) > 0 {
		s.t.Errorf("repaired again: %q, %v", again.Done, err)
	}
}

// A damage is what can happen to a full store, and what Verify says.
type damage struct {
	do      func(s shop)
	says    string // a part of a fault, or of a warning; "" if nothing is wrong
	remedy  string
	warning bool
}

func cutLines(from, to int) func(s shop) {
	return func(s shop) {
		lines := bytes.SplitAfter(s.read(s.log()), []byte("\n"))
		s.put(s.log(), bytes.Join(slices.Delete(lines, from, to), nil))
	}
}

func replaced(path func(s shop) string, by func(path string) error) func(s shop) {
	return func(s shop) {
		s.must(os.RemoveAll(path(s)))
		s.must(by(path(s)))
	}
}

func two(s shop) string { return s.path("two") }

func index(s shop) string { return filepath.Join(s.Opt.Dir, disk.IndexFile) }

var damages = map[string]damage{
	"nothing":           {do: func(shop) {}},
	"user state gone":   {do: func(s shop) { s.must(os.RemoveAll(s.Opt.UserState)) }},
	"index gone":        {do: func(s shop) { s.must(os.Remove(filepath.Join(s.Opt.Dir, disk.IndexFile))) }},
	"torn end":          {do: func(s shop) { s.put(s.log(), append(s.read(s.log()), "{\"event"...)) }},
	"first line gone":   {do: cutLines(0, 1), says: "handoff-events.jsonl:1: the chain", remedy: repair},
	"line gone":         {do: cutLines(4, 5), says: "handoff-events.jsonl:5: the chain", remedy: repair},
	"batch line gone":   {do: cutLines(6, 7), says: "the chain breaks here", remedy: repair},
	"last line gone":    {do: cutLines(8, 9), says: "not the last line that you left", remedy: repair},
	"no line":           {do: cutLines(0, 9), says: "not the last line that you left", remedy: repair},
	"log gone":          {do: func(s shop) { s.must(os.Remove(s.log())) }, says: "is missing: 5 handoffs without a log", remedy: repair},
	"log is a link":     {do: replaced(shop.log, func(p string) error { return os.Symlink("/etc/passwd", p) }), says: "not a plain file", remedy: repair},
	"log is a place":    {do: replaced(shop.log, func(p string) error { return os.Mkdir(p, 0o700) }), says: "not a plain file", remedy: repair},
	"zeros behind":      {do: func(s shop) { s.must(os.Truncate(s.log(), 200<<20)) }, says: "the chain breaks", remedy: repair},
	"document gone":     {do: replaced(two, func(string) error { return nil }), says: "two.md: is missing", remedy: repair},
	"documents gone":    {do: func(s shop) { s.must(os.RemoveAll(s.Opt.Dir)) }, says: "two.md: is missing", remedy: repair},
	"document edited":   {do: func(s shop) { s.put(two(s), append(s.read(two(s)), '!')) }, says: "two.md: is not the handoff", remedy: repair},
	"document empty":    {do: func(s shop) { s.put(two(s), nil) }, says: "is not the handoff", remedy: repair},
	"document a link":   {do: replaced(two, func(p string) error { return os.Symlink("INDEX.md", p) }), says: "not a plain file", remedy: repair},
	"document a place":  {do: replaced(two, func(p string) error { return os.Mkdir(p, 0o700) }), says: "not a plain file", remedy: repair},
	"document too long": {do: func(s shop) { s.must(os.Truncate(two(s), 200<<20)) }, says: "has 209715200 bytes", remedy: repair},
	"another's name":    {do: func(s shop) { s.must(os.Rename(s.path("one"), two(s))) }, says: "should be there", remedy: repair},
	"a new one there":   {do: func(s shop) { s.put(two(s), document.Render(doc("new").Document)) }, says: "should be there", remedy: repair},
	"renamed":           {do: func(s shop) { s.must(os.Rename(two(s), s.path("2"))) }, says: "log does not list", remedy: repair, warning: true},
	"copied in":         {do: func(s shop) { s.put(s.path("new"), document.Render(doc("new").Document)) }, says: "log does not list", remedy: repair, warning: true},
	"prune killed":      {do: func(s shop) { s.put(s.path("six"), document.Render(doc("six").Document)) }, says: "was pruned", remedy: repair, warning: true},
	"other under a pruned name": {do: func(s shop) { s.put(s.path("six"), document.Render(doc("new").Document)) }, says: "does not list",
		remedy: repair, warning: true},
	"not a document": {do: func(s shop) { s.put(s.path("x"), []byte("# hello\n")) }, says: "is no handoff", warning: true},
	"row typed": {do: func(s shop) {
		s.put(index(s), bytes.Replace(s.read(index(s)), []byte("| ann |"), []byte("| eve |"), 1))
	}, says: "somebody typed", remedy: repair, warning: true},
	"index is a link": {do: replaced(index, func(p string) error { return os.Symlink("/etc/passwd", p) }),
		says: "not a plain file", remedy: repair},
	"temporary file": {do: func(s shop) {
		p := filepath.Join(s.Opt.Dir, ".tmp-"+strings.Repeat("0", 24))
		s.put(p, nil)
		s.must(os.Chtimes(p, time.Time{}, time.Now().Add(-2*time.Hour)))
	}, says: "killed command", remedy: repair, warning: true},
	"bad signature": {do: func(s shop) {
		s.put(filepath.Join(s.Opt.Dir, ".sig", disk.SignatureFile(doc("two").HandoffID)), []byte("x"))
	}, says: "signature is invalid", remedy: repair},
	"good signature": {do: func(s shop) {
		s.put(filepath.Join(s.Opt.Dir, ".sig", disk.SignatureFile(doc("two").HandoffID)), []byte("signed"))
	}},
}

func TestDamages(t *testing.T) {
	for name, d := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, disk.GitNone).fill()
			d.do(s)
			r := s.verify()
			s.says(r, d)
			s.repaired()
		})
	}
}

func (s shop) says(r check.Report, d damage) {
	s.t.Helper()
	list, other := r.Faults, r.Warnings
	if d.warning {
		list, other = other, list
	}
	if d.says == "" && len(list)+len(other) > 0 || d.warning && len(other) > 0 {
		s.t.Errorf("%v, %v", r.Faults, r.Warnings)
	}
	has := slices.ContainsFunc(list, func(f check.Finding) bool {
		return strings.Contains(f.String(), d.says) && f.Remedy == d.remedy
	})
	if d.says != "" && !has {
		s.t.Errorf("faults %v, warnings %v; want %q, %q", r.Faults, r.Warnings, d.says, d.remedy)
	}
	if err := r.Err(); d.says != "" && !d.warning && (!errors.Is(err, fault.ErrIntegrity) || !strings.Contains(fault.Sentence(err), d.remedy)) {
		s.t.Errorf("%v", err)
	}
}

// What a lost handoff needs is its document.
func TestLostComesBack(t *testing.T) {
	s := newShop(t, disk.GitNone).fill()
	text := s.read(two(s))
	s.put(two(s), []byte("changed"))
	s.repaired()
	s.says(s.verify(), damage{says: "is lost", warning: true})
	kept, err := filepath.Glob(filepath.Join(s.Opt.StateDir, disk.Kept, "*two.md"))
	if err != nil || len(kept) != 1 || string(s.read(kept[0])) != "changed" {
		t.Errorf("%v, %v", kept, err)
	}
	s.put(two(s), text)
	s.says(s.verify(), damage{says: "does not list", remedy: repair, warning: true})
	s.repaired()
	if r := s.verify(); len(r.Warnings) > 0 || r.Handoffs != 6 {
		t.Errorf("%+v", r)
	}
}

func TestMachine(t *testing.T) {
	s := newShop(t, disk.GitNone).fill()
	command := s.RegenerateCommand("moved to this machine")
	for _, text := range []string{"", "{", string(disk.MachineRecord{Fingerprint: strings.Repeat("b", 64)}.Bytes())} {
		s.put(filepath.Join(s.Opt.StateDir, disk.FingerprintFile), []byte(text))
		s.says(s.verify(), damage{says: "CROSS-HOST-REFUSED", remedy: command})
		if r, err := check.Repair(t.Context(), s.Store); !errors.As(err, new(*store.MachineError)) || len(r.Done) > 0 {
			t.Errorf("%q, %v", r.Done, err)
		}
	}
	_, err := s.Regenerate(t.Context(), "ann", "test", false)
	s.must(err)
	s.says(s.verify(), damage{})
}

func TestGit(t *testing.T) {
	git := func(s shop, args ...string) {
		cmd := exec.Command("git", append([]string{"-C", s.dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	pointer := []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
	for _, kind := range []disk.Git{disk.GitTracked, disk.GitSynced} {
		s := newShop(t, kind)
		git(s, "init", "-q")
		s.fill()
		names, _ := filepath.Glob(filepath.Join(s.Opt.Dir, "*two*.md"))
		two, rel := names[0], "handoffs/"+filepath.Base(names[0])
		text := s.read(two)
		git(s, "add", "-f", "handoffs")
		for remedy, bad := range map[string][]byte{"git restore " + rel: []byte("x"), "git lfs pull": pointer} {
			s.put(two, bad)
			s.says(s.verify(), damage{says: "is not the handoff", remedy: remedy})
			s.repaired()
			if !bytes.Equal(s.read(two), bad) {
				t.Errorf("%s: repair changed what git tracks", kind)
			}
			s.says(s.verify(), damage{says: "is lost", remedy: remedy, warning: true})
			git(s, "restore", rel)
			s.repaired()
			if got := s.read(two); !bytes.Equal(got, text) {
				t.Errorf("%s", got)
			}
			s.says(s.verify(), damage{})
		}
		if s.must(os.Remove(two)); kind == disk.GitTracked {
			s.says(s.verify(), damage{})
		} else {
			s.says(s.verify(), damage{says: "is missing", remedy: repair})
		}
		git(s, "add", "-f", ".run")
		s.says(s.verify(), damage{says: "git tracks", remedy: "git rm -r --cached .run"})
		if _, err := check.Repair(t.Context(), s.Store); !errors.Is(err, fault.ErrConfig) {
			t.Errorf("%v", err)
		}
		git(s, "rm", "-rq", "--cached", ".run")
		s.must(os.RemoveAll(s.Opt.StateDir))
		if r := s.verify(); kind == disk.GitTracked {
			s.says(r, damage{})
		} else {
			s.says(r, damage{says: "is missing", remedy: "handoff init --git tracked"})
		}
	}
}

// Each byte of a small store flipped is found by who has a pin, or without meaning; and repair ends it.
func TestEachFlip(t *testing.T) {
	s := newShop(t, disk.GitNone)
	s.write(doc("one"))
	s.must(s.Change(t.Context(), func(c *store.Change) error {
		c.Mark(c.Of(doc("one").HandoffID), log.MarkRead, "ben")
		return nil
	}))
	files := []string{s.log(), s.path("one"), filepath.Join(s.Opt.StateDir, disk.FingerprintFile)}
	whole := map[string][]byte{}
	for _, path := range files {
		whole[path] = s.read(path)
	}
	want := fmt.Sprint(s.read(s.log()))
	for _, path := range files {
		for i := range whole[path] {
			text := bytes.Clone(whole[path])
			text[i] ^= 1 << (i % 8)
			s.put(path, text)
			r := s.verify()
			if isMeaningless := path == files[2] && strings.Contains(string(text), strings.Repeat("a", 64)); len(r.Faults) == 0 && !isMeaningless {
				t.Errorf("%s, byte %d: not found", filepath.Base(path), i)
			}
			s.put(path, whole[path])
		}
	}
	if r := s.verify(); len(r.Faults)+len(r.Warnings) > 0 || fmt.Sprint(s.read(s.log())) != want {
		t.Errorf("%+v", r)
	}
}

// Whatever is damaged, at random and several at once, repair ends it.
func FuzzRepair(f *testing.F) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(damages)), func(name string) bool {
		return name == "log is a FIFO" // another damage would wait for it
	})
	f.Add(byte(1), byte(2), uint32(3), byte(4))
	f.Add(byte(9), byte(20), uint32(900), byte(0))
	f.Fuzz(func(t *testing.T, first, second byte, at uint32, flip byte) {
		s := newShop(t, disk.GitNone).fill()
		for _, n := range []byte{first, second} {
			name := names[int(n)%len(names)]
			func() {
				sub := s
				sub.t = quiet{t}
				defer func() { _ = recover() }()
				damages[name].do(sub)
			}()
		}
		for _, path := range []string{s.log(), two(s)} {
			info, err := os.Lstat(path)
			if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > 1<<20 {
				continue
			}
			text := s.read(path)
			text[int(at)%len(text)] ^= flip
			s.put(path, text)
		}
		s.repaired()
	})
}

// A quiet test panics where a damage cannot follow another one.
type quiet struct{ testing.TB }

func (q quiet) Fatal(args ...any) { panic(args) }

// A repair that is killed is run again, and loses nothing.
func TestKilledRepair(t *testing.T) {
	if dir := os.Getenv("CHECK_TEST_DIR"); dir != "" {
		s := newShop(t, disk.GitNone)
		s.Opt.Dir, s.Opt.StateDir, s.Opt.Root, s.Opt.UserState = dir+"/handoffs", dir+"/.run", dir, os.Getenv("CHECK_TEST_STATE")
		_, err := check.Repair(t.Context(), s.Store)
		s.must(err)
		return
	}
	for i := range 30 {
		s := newShop(t, disk.GitNone).fill()
		for _, name := range []string{"line gone", "document edited", "copied in", "bad signature", "prune killed"} {
			damages[name].do(s)
		}
		before := s.good()
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledRepair$")
		cmd.Env = append(os.Environ(), "CHECK_TEST_DIR="+s.dir, "CHECK_TEST_STATE="+s.Opt.UserState)
		s.must(cmd.Start())
		for range 100_000 { // the lock is where it begins to change something
			if _, err := os.Stat(filepath.Join(s.Opt.StateDir, disk.Kept)); err == nil {
				break
			}
		}
		time.Sleep(time.Duration(i) * 200 * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		s.repaired()
		if !bytes.Contains(s.read(s.log()), []byte(log.Recovered)) {
			t.Errorf("run %d: the log does not say that it was cut", i)
		}
		if after := s.good(); len(after) < len(before) {
			t.Errorf("run %d: %d whole documents, %d before", i, len(after), len(before))
		}
	}
}

func TestLogHead(t *testing.T) {
	s := newShop(t, disk.GitNone)
	none, err := check.CheckLog(t.Context(), s.Store, nil)
	if err != nil || none.String() != "0:GENESIS" {
		t.Errorf("%v, %v", none, err)
	}
	s.fill()
	head, err := check.CheckLog(t.Context(), s.Store, nil)
	s.must(err)
	if again, err := check.ParseHead(head.String() + "\n"); err != nil || again != head {
		t.Errorf("%v, %v", again, err)
	}
	s.write(doc("next"))
	for _, c := range []check.Head{none, head} {
		if _, err := check.CheckLog(t.Context(), s.Store, &c); err != nil {
			t.Error(err)
		}
	}
	other := check.Head{Count: head.Count, Hash: strings.Repeat("0", 64)}
	more := check.Head{Count: head.Count + 9, Hash: head.Hash}
	for _, c := range []check.Head{other, more} {
		if _, err := check.CheckLog(t.Context(), s.Store, &c); !errors.Is(err, fault.ErrIntegrity) {
			t.Error(err)
		}
	}
	cutLines(3, 4)(s)
	_, err = check.CheckLog(t.Context(), s.Store, nil)
	if place, ok := errors.AsType[interface {
		error
		Place() (string, int)
	}](err); !ok {
		t.Error(err)
	} else if _, line := place.Place(); line != 4 || !errors.Is(err, fault.ErrIntegrity) {
		t.Error(line, err)
	}
	for _, text := range []string{"", "1:GENESIS", "0:" + head.Hash, "x", head.String() + "x"} {
		if _, err := check.ParseHead(text); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Documents that are written, and pruned, while Verify looks are no fault.
func TestVerifyUnderWriters(t *testing.T) {
	s := newShop(t, disk.GitNone).fill()
	done := make(chan error)
	go func() {
		for i := range 50 {
			d := doc(fmt.Sprint("more-", i))
			_, err := s.Write(context.Background(), []store.Document{d}, func(*store.Change) {}, nil)
			if err == nil && i%3 == 0 {
				err = s.Change(context.Background(), func(c *store.Change) error {
					c.Add(log.Prune, log.Payload{Removed: []string{d.HandoffID}})
					return nil
				})
				os.Remove(s.path(d.Topic))
			}
			if err != nil {
				done <- err
				return
			}
		}
		close(done)
	}()
	for {
		select {
		case err := <-done:
			s.must(err)
			return
		default:
			if r := s.verify(); len(r.Faults)+len(r.Warnings) > 0 {
				t.Fatal(r.Faults, r.Warnings)
			}
		}
	}
}

func TestVerifyIDs(t *testing.T) {
	s := newShop(t, disk.GitNone).fill()
	s.put(two(s), nil)
	for id, faults := range map[string]int{doc("one").HandoffID: 0, doc("two").HandoffID: 1} {
		if r, err := check.Verify(t.Context(), s.Store, []string{id}); err != nil || len(r.Faults) != faults || r.Handoffs != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	for _, id := range []string{"x", doc("six").HandoffID} {
		if _, err := check.Verify(t.Context(), s.Store, []string{id}); !errors.Is(err, fault.ErrInvalid) {
			t.Error(err)
		}
	}
}
