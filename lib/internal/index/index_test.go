package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

const head = "| handoff_id | file | from | to | topic | ts_utc | read_by |\n" +
	"|------------|------|------|----|----|--------|---------|\n"

// A store has facts and the directory of their table.
type store struct {
	t testing.TB
	*disk.Dir
	facts.View
	before  log.Point
	maxRows int
}

func newStore(t testing.TB, maxRows int, events ...log.Event) *store {
	d, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	s := &store{t: t, Dir: d, View: facts.View{Facts: facts.New()}, maxRows: maxRows}
	s.update(s.change(events...))
	return s
}

// change adds a change to the facts, and returns the handoffs that it is about.
func (s *store) change(events ...log.Event) (changed []*facts.Handoff) {
	s.before = s.At
	s.Add(events)
	s.At = log.Point{Offset: s.At.Offset + 2583, Hash: json.SHA256Hex([]byte(s.At.Hash))}
	for _, e := range events {
		for _, id := range append(e.Payload.Removed, e.Payload.ID) {
			if h := s.Of(id); h != nil && !slices.Contains(changed, h) {
				changed = append(changed, h)
			}
		}
	}
	return changed
}

func (s *store) update(changed []*facts.Handoff) {
	s.t.Helper()
	if err := index.Update(s.Dir, s.View, s.before, changed, s.maxRows); err != nil {
		s.t.Fatal(err)
	}
}

// remake makes all files again.
func (s *store) remake() {
	s.before = log.Point{}
	s.update(s.All())
}

// fresh returns all files as they are in a new directory.
func (s *store) fresh() map[string]string {
	other := newStore(s.t, s.maxRows)
	other.View = s.View
	other.remake()
	return other.files()
}

func (s *store) files() map[string]string {
	all := map[string]string{}
	names, _ := s.Names(func(string) bool { return true })
	for _, name := range names {
		all[name] = s.read(name)
	}
	return all
}

func (s *store) path(name string) string { return filepath.Join(s.Path(), name) }

func (s *store) read(name string) string {
	text, _ := s.Read(name, disk.MaxIndex)
	return string(text)
}

func (s *store) write(name, text string) { os.WriteFile(s.path(name), []byte(text), 0o644) }

func id(n int) string { return fmt.Sprintf("sha256:%064x", n) }

func doc(n int) log.Event {
	return log.Event{Type: log.Write, Payload: log.Payload{ID: id(n), From: "ann", To: "ben", Topic: "t",
		Time: "2026-05-07T12:00:00Z", File: fmt.Sprintf("handoffs/2026-05-07-ann-ben-t-%d.md", n)}}
}

func mark(n int, operator string) log.Event {
	return log.Event{Type: log.MarkRead, Payload: log.Payload{ID: id(n), Operator: operator,
		Time: "2026-05-08T09:00:00.123456Z"}}
}

func docs(n int) (all []log.Event) {
	for ; n > 0; n-- {
		all = append(all, doc(len(all)))
	}
	return all
}

func TestExample(t *testing.T) {
	example, err := os.ReadFile("../../../INDEX.example.md")
	var events []log.Event
	for _, line := range strings.Split(string(example), "\n| sha")[1:] {
		c := strings.Split(line, " | ")
		events = append(events, log.Event{Type: log.Write, Payload: log.Payload{ID: "sha" + c[0], File: c[1],
			From: c[2], To: c[3], Topic: c[4], Time: c[5]}})
	}
	events = append(events, mark(0, "bob"))
	events[len(events)-1].Payload.ID = events[0].Payload.ID
	made := newStore(t, 0, events...)
	got := strings.Replace(made.read(disk.IndexFile), made.View.At.String(), "OFFSET:HASH", 1)
	if diff := cmp.Diff(string(example), got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// After any change the files are as if all were made again; so they are after any damage, when all is made again. Text
// of people stays.
func TestChanges(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 5))
		s, hasText := newStore(t, []int{0, 1, 3, 6, 8}[seed%5]), seed > 4
		noted := func(files map[string]string) map[string]string {
			if text := files[disk.IndexFile]; hasText {
				files[disk.IndexFile] = strings.Replace(text, "-->\n\n", "-->\nAsk Ann.\n\n", 1) + "\nNotes\n"
			}
			return files
		}
		s.write(disk.IndexFile, noted(s.files())[disk.IndexFile])
		for n := 0; n < 40; n += 2 {
			i := r.IntN(n + 2)
			changed := s.change([][]log.Event{{doc(n), doc(n + 1)}, {doc(n), mark(n, "ben")}, {mark(i, "zoe")},
				{{Type: log.Prune, Payload: log.Payload{Removed: []string{id(i)}}}}, {{Type: log.Surface}}}[r.IntN(5)]...)
			want := noted(s.fresh())
			for _, what := range []string{"once", "twice"} {
				if s.update(changed); !cmp.Equal(s.files(), want) {
					t.Fatalf("%s: %s", what, cmp.Diff(want, s.files()))
				}
			}
			names, _ := s.Names(func(string) bool { return true })
			switch name := names[r.IntN(len(names))]; {
			case r.IntN(2) == 0:
				continue
			case name == disk.IndexFile && hasText || r.IntN(2) == 0:
				forged := strings.ReplaceAll(s.read(name), "ann", "eve")
				s.write(name, strings.Replace(forged, head, head+"| "+id(0)+" |\n| x |\n", 1))
			default:
				os.Remove(s.path(name))
			}
			s.write(disk.Archive(900), "")
			if s.remake(); !cmp.Equal(s.files(), want) {
				t.Fatalf("damaged: %s", cmp.Diff(want, s.files()))
			}
		}
	}
}

func TestText(t *testing.T) {
	s := newStore(t, 0, docs(2)...)
	whole := s.read(disk.IndexFile)
	top, rows, _ := strings.Cut(whole, head)
	title, comment := top[:16], top[16:len(top)-1]
	one, two := rows[:len(rows)/2], rows[len(rows)/2:]
	const notes = "## Ours\n\n| a | b |\n|---|---|\n| sha256:12 | | | | | | |\n\n"
	spaced := strings.NewReplacer("| file |", "| file     |", "|--", "| ----", "| ann |", "| ann      |")
	around := "Top\n" + top + notes + head + rows + "\n" + notes + "end"
	tests := [][2]string{
		{"my notes", title + comment + "my notes\n\n" + head + rows},
		{title + "\n" + head + rows, whole},
		{comment + "\n" + head + rows, whole},
		{rows, whole},
		{whole + "\n" + whole, whole},
		{spaced.Replace(whole), whole},
		{strings.ReplaceAll(whole, "\n", "\r\n"), whole},
		{"# Ours\n" + whole[16:], "# Ours\n" + whole[16:]},
		{around, around},
		{top + head + one + "note\n" + two, whole + "\nnote\n"},
		{whole + "no\x00te", whole + "\nno\x00te"},
		{title + "<<<<<<< a\n" + comment + "=======\n" + strings.Replace(comment, "effect; ", "effect; 7", 1) + // merged
			">>>>>>> b\n\n" + head + "<<<<<<< a\n" + one + "=======\n" + two + ">>>>>>> b\n",
			title + comment + "<<<<<<< a\n=======\n>>>>>>> b\n\n" + head + rows + "\n<<<<<<< a\n=======\n>>>>>>> b\n"},
	}
	for i := range whole { // as a power cut tears it
		tests = append(tests, [2]string{whole[:i] + "\x00\x00"[:i%3], whole})
	}
	s.before = s.At
	for _, test := range tests {
		s.write(disk.IndexFile, test[0])
		if s.update(nil); s.read(disk.IndexFile) != test[1] {
			t.Errorf("%q became %s", test[0], cmp.Diff(test[1], s.read(disk.IndexFile)))
		}
	}
}

func TestCells(t *testing.T) {
	e := doc(1)
	e.Payload.From, e.Payload.To, e.Payload.Topic = "a|b", "c\n| sha256:x |", "\x1b[2J\u202e"
	s := newStore(t, 0, e, mark(1, "x|\ny"))
	want := "| " + id(1) + ` | 2026-05-07-ann-ben-t-1.md | a\|b | c\n\| sha256:x \| | \x1b[2J\u{202e} | ` +
		`2026-05-07T12:00:00Z | x\|\ny:2026-05-08T09:00:00Z |`
	if got := index.Row(s.All()[0], s.Life(s.All()[0])); got != want {
		t.Errorf("the row is\n%s", got)
	}
	s.write(disk.IndexFile, "\n"+want+"\n") // without its head it is a row too
	if s.remake(); strings.Count(s.read(disk.IndexFile), id(1)) != 1 {
		t.Error(s.files())
	}
}

// Adding to a table makes no other row, and a change of a recent handoff makes no archive again.
func TestUntouched(t *testing.T) {
	events, asked := docs(140), 0
	for i := range 140 {
		events = append(events, mark(i, "ben"))
	}
	s := newStore(t, 100, events...)
	s.Rules = &facts.Rules{Knows: func(string, time.Time) bool { asked++; return true }}
	for i, want := range []int{0, 91, 142} {
		asked = 0
		if s.update(s.change([]log.Event{doc(200), mark(120, "zoe"), mark(7, "zoe")}[i])); asked != want {
			t.Errorf("change %d: %d marks were judged, want %d", i, asked, want)
		}
	}
}

// A directory in the place of a file stays, and the other files are made. Without it the next update makes the file,
// though nothing has changed.
func TestDirectories(t *testing.T) {
	s := newStore(t, 2, docs(5)...)
	want := s.files()
	for _, name := range []string{disk.Archive(2), disk.IndexFile} {
		os.Remove(s.path(name))
		os.Mkdir(s.path(name), 0o755)
		err := index.Update(s.Dir, s.View, log.Point{}, s.All(), 2)
		if _, failed := index.Typed(s.Dir, s.View); err == nil || failed == nil || index.IsCurrent(s.Dir, s.View) {
			t.Errorf("%s: %v, %v", name, err, failed)
		}
		if other := disk.Archive(1); s.read(other) != want[other] {
			t.Errorf("%s: %s has %s", name, other, s.read(other))
		}
		os.Remove(s.path(name))
		s.before = s.At
		if s.update(nil); !cmp.Equal(s.files(), want) {
			t.Errorf("%s: %s", name, cmp.Diff(want, s.files()))
		}
	}
}

func TestTyped(t *testing.T) {
	s := newStore(t, 2, docs(5)...)
	want := func(isCurrent bool, want ...string) {
		t.Helper()
		got, err := index.Typed(s.Dir, s.View)
		if err != nil || !slices.Equal(got, want) || index.IsCurrent(s.Dir, s.View) != isCurrent {
			t.Errorf("typed: %q, %v, want %q", got, err, want)
		}
	}
	want(true)
	row := index.Row(s.All()[1], &facts.Life{})
	marked := strings.Replace(row, "|  |", "| ben:2026-05-08T09:00:00Z |", 1)
	s.write(disk.Archive(2), strings.Replace(s.read(disk.Archive(2)), row, marked, 1))
	s.write(disk.IndexFile, s.read(disk.IndexFile)+"| typed | row |\n\nnote\n")
	want(true, marked, "| typed | row |")
	s.change(doc(9))
	want(false, "| typed | row |") // rows of an old table are not typed
	s.change(log.Event{Type: log.Prune, Payload: log.Payload{Removed: []string{id(0)}}})
	s.write(disk.Archive(7), row+"\nnote\n")
	s.remake()
	want(true)
	pruned := index.Row(s.Of(id(0)), &facts.Life{})
	s.write(disk.Archive(7), s.read(disk.Archive(7))+pruned)
	if want(true, pruned); !strings.Contains(s.read(disk.Archive(7)), "\nnote\n") {
		t.Error("text of people is lost")
	}
}

// Whatever a file has, its lines that are none of ours stay, and what is made stays as it is.
func FuzzUpdate(f *testing.F) {
	s := *newStore(f, 0, docs(2)...)
	whole := s.read(disk.IndexFile)
	_, rows, _ := strings.Cut(whole, head)
	for _, seed := range []string{whole, whole + "note", "| a |\n" + whole + rows + "| a |\n", whole + whole,
		"<<<<<<<\n" + whole + "=======\n" + rows + ">>>>>>>\n", strings.Repeat("\x00", 9), whole[:200], "\r\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s.t = t
		s.write(disk.IndexFile, text)
		s.remake()
		made := s.read(disk.IndexFile)
		if !strings.Contains("\n"+made, "\n"+head+rows) {
			t.Fatalf("%q became %q", text, made)
		}
		for line := range strings.Lines(text) {
			one := strings.Trim(line, " \t\r\n\x00")
			if one == "" || strings.Contains("|#<", one[:1]) || !strings.HasSuffix(line, "\n") {
				continue
			}
			if !strings.Contains("\n"+made, "\n"+line) {
				t.Fatalf("%q lost %q: %q", text, line, made)
			}
		}
		if s.remake(); s.read(disk.IndexFile) != made {
			t.Fatalf("%q became %q, then %q", text, made, s.read(disk.IndexFile))
		}
	})
}
