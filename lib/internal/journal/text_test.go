//go:build unix

package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

func linked(n int, text []byte) []byte {
	return index.AddArchives(slices.Clip(text), []string{fmt.Sprintf("INDEX-%04d.md", n)})
}

// lines joins lines to a text.
func lines(parts ...any) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case index.Row:
			b.WriteString(p.String())
		case []byte:
			b.Write(p)
			continue
		default:
			fmt.Fprint(&b, p)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestCarry(t *testing.T) {
	three := table(row(1), row(2), row(3))
	for _, tt := range []struct {
		name         string
		text         []byte
		record       journal.Record
		want         string
		needsNothing bool
	}{
		{name: "nothing", text: three, want: string(three)},
		{name: "a whole table", text: three, record: journal.Record{Table: table(row(9)), Added: []index.Row{row(4)}}, want: string(table(row(9)))},
		{name: "a table without a byte", text: three, record: journal.Record{Table: []byte{}}},
		{name: "a row more", text: three, record: journal.Record{Added: []index.Row{row(4)}}, want: lines(three, row(4))},
		{name: "the first row", record: journal.Record{Added: []index.Row{row(1)}}, want: string(table(row(1)))},
		{name: "a row less", text: three, record: journal.Record{Unset: []string{row(2).ID}}, want: string(table(row(1), row(3)))},
		{name: "a row that is not there", text: three, record: journal.Record{Unset: []string{row(7).ID}, Set: []index.Row{row(8)}}, want: string(three)},
		{name: "another row", text: three, record: journal.Record{Set: []index.Row{read(2, "ben")}}, want: string(table(row(1), read(2, "ben"), row(3)))},
		{name: "a row goes and comes", text: three, record: journal.Record{Unset: []string{row(1).ID}, Added: []index.Row{row(1)}}, want: string(table(row(2), row(3), row(1)))},
		{name: "an archive", text: three, record: journal.Record{Unset: []string{row(1).ID}, Links: []string{"INDEX-0001.md"}}, want: string(linked(1, table(row(2), row(3))))},
		{name: "notes stay", text: []byte(lines(three, "note", "", "| a | b |")), record: journal.Record{Unset: []string{row(3).ID}, Set: []index.Row{read(1, "cy")}, Added: []index.Row{row(4)}},
			want: lines(table(read(1, "cy"), row(2), row(4)), "note", "", "| a | b |")},
		{name: "no last newline", text: bytes.TrimSuffix(three, []byte("\n")), record: journal.Record{Added: []index.Row{row(4)}}, want: lines(three, row(4))},
	} {
		before := bytes.Clone(tt.text)
		room := append(make([]byte, 0, len(tt.text)+4096), tt.text...)
		if got := string(tt.record.Carry(room)); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if !bytes.Equal(room, before) {
			t.Errorf("%s: the text before was changed", tt.name)
		}
	}
}

// newStory returns a story of a table and records.
func newStory(text []byte, records ...*journal.Record) *journal.Story {
	s := &journal.Story{Checkpoint: &journal.Checkpoint{Table: text}, Records: records}
	s.Checkpoint.Index = journal.HashOf(text)
	for _, r := range records {
		text = r.Carry(text)
		r.Index = journal.HashOf(text)
	}
	return s
}

// aStory has several records since its checkpoint: row 4 was written, 1 read, 2 pruned, and 5 written and
// pruned. It knows the rows 1 with a mark, 3 and 4.
func aStory() *journal.Story {
	s := newStory(table(row(1), row(2), row(3)),
		&journal.Record{Added: []index.Row{row(4)}},
		&journal.Record{Set: []index.Row{read(1, "ben")}},
		&journal.Record{Added: []index.Row{row(5)}},
		&journal.Record{Unset: []string{row(2).ID, row(5).ID}})
	s.Was = journal.HashOf([]byte("as it was read"))
	return s
}

var aText = string(table(read(1, "ben"), row(3), row(4)))

func TestKnows(t *testing.T) {
	s := aStory()
	if string(s.Text()) != aText {
		t.Fatalf("the text is\n%s", s.Text())
	}
	for _, text := range []string{"as it was read", string(table(row(1), row(2), row(3))), string(table(row(1), row(2), row(3), row(4))), string(table(read(1, "ben"), row(2), row(3), row(4))),
		string(table(read(1, "ben"), row(2), row(3), row(4), row(5))), aText} {
		if !s.Knows([]byte(text)) {
			t.Errorf("it does not know\n%s", text)
		}
		if s.Knows([]byte(text + "\n")) {
			t.Errorf("it knows with a line more\n%s", text)
		}
	}
	for _, text := range []string{"", string(table(row(1))), string(table(row(1), row(2), row(3), row(5)))} {
		if s.Knows([]byte(text)) {
			t.Errorf("it knows\n%s", text)
		}
	}
}

func TestIsDamaged(t *testing.T) {
	s := aStory()
	first, newest := string(table(row(1), row(2), row(3))), aText
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"empty", "", true},
		{"zeros", strings.Repeat("\x00", 4096), true},
		{"a NUL", strings.Replace(newest, "ann", "a\x00n", 1), true},
		{"a NUL in a note", newest + "note\x00\n", true},
		{"a byte", newest[:1], true},
		{"the beginning of the newest", newest[:len(newest)-10], true},
		{"no last newline", newest[:len(newest)-1], true},
		{"the beginning of the first", first[:len(first)-40], true},
		{"the beginning of one between", string(table(read(1, "ben"), row(2), row(3)))[:500], true},
		{"the newest", newest, true}, // which is known before anybody asks
		{"a line more", newest + "note\n", false},
		{"cut in a note of theirs", newest + "no", false},
		{"the end", newest[10:], false},
		{"a letter is another", strings.Replace(newest, "# Handoff", "# handoff", 1), false},
		{"CRLF", strings.ReplaceAll(newest, "\n", "\r\n"), false},
		{"another table", string(table(row(9))), false},
		{"an empty line", " \r\n", true},
		{"a line", "x\n", false},
	} {
		if got := s.IsDamaged([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: damaged is %v", tt.name, got)
		}
	}
}

// there returns a function that reports which documents exist.
func there(rows ...int) func(index.Row) bool {
	return func(r index.Row) bool {
		return slices.ContainsFunc(rows, func(n int) bool { return row(n).ID == r.ID && row(n).File == r.File })
	}
}

var all = there(1, 2, 3, 4, 5, 6, 7, 8, 9)

// Edits of INDEX.md by operators, and the results.
func TestMerge(t *testing.T) {
	forged := row(3)
	forged.Topic, forged.To = "other", "eve"
	renamed := row(3)
	renamed.File = "2026-05-07-ann-ben-t9.md"
	head := string(index.New())
	for _, tt := range []struct {
		name, text, want string
		there            func(index.Row) bool
	}{
		{name: "as it was", text: aText, want: aText},
		{name: "a note below", text: aText + "\nnote\n", want: aText + "\nnote\n"},
		{name: "a note above", text: "note\n" + aText, want: "note\n" + aText},
		{name: "a note between", text: lines(head[:len(head)-1], read(1, "ben"), "note", row(3), row(4)), want: lines(head[:len(head)-1], read(1, "ben"), "note", row(3), row(4))},
		{name: "a note without an end", text: aText + "note", want: aText + "note\n"},
		{name: "no last newline", text: "x\n" + strings.TrimSuffix(aText, "\n"), want: "x\n" + aText},
		{name: "another heading", text: strings.Replace(aText, "# Handoff Index", "# Ours", 1), want: strings.Replace(aText, "# Handoff Index", "# Ours", 1)},
		{name: "CRLF", text: strings.ReplaceAll(aText, "\n", "\r\n"), want: strings.ReplaceAll(aText, "\n", "\r\n")},
		{name: "spaces before rows", text: strings.ReplaceAll(aText, "\n|", "\n |"), want: strings.ReplaceAll(aText, "\n|", "\n |")},
		{name: "sorted otherwise", text: "x\n" + string(table(row(4), row(3), read(1, "ben"))), want: "x\n" + string(table(row(4), row(3), read(1, "ben")))},

		{name: "a row is gone", text: "x\n" + string(table(read(1, "ben"), row(4))), want: "x\n" + string(table(read(1, "ben"), row(4), row(3)))},
		{name: "a row is gone, and its document", text: "x\n" + string(table(read(1, "ben"), row(4))), there: there(1, 4), want: "x\n" + string(table(read(1, "ben"), row(4)))},
		{name: "all rows are gone", text: head + "note\n", want: lines(head[:len(head)-1], read(1, "ben"), row(3), row(4), "note")},
		{name: "the table is gone", text: "note\n", want: "note\n\n" + strings.TrimPrefix(aText, "# Handoff Index\n\n")},
		{name: "the column names are gone", text: lines("x", read(1, "ben"), row(3)), want: lines("x", read(1, "ben"), row(3), row(4))},

		{name: "a mark is gone", text: "x\n" + string(table(row(1), row(3), row(4))), want: "x\n" + aText},
		{name: "a mark more", text: "x\n" + string(table(read(1, "ben"), read(3, "ben"), row(4))), want: "x\n" + string(table(read(1, "ben"), read(3, "ben"), row(4)))}, // for verification to judge
		{name: "another time", text: "x\n" + strings.Replace(aText, "ben:2026-05-08", "ben:2026-05-09", 1), want: "x\n" + aText},
		{name: "a name in read_by", text: "x\n" + strings.Replace(aText, row(3).String(), strings.Replace(row(3).String(), "|  |", "| ben |", 1), 1),
			want: "x\n" + aText}, // which is no mark
		{name: "a name in read_by that is a mark", text: "x\n" + strings.Replace(aText, "ben:2026-05-08T09:00:00Z", "ben", 1), want: "x\n" + aText},
		{name: "an edited row", text: "x\n" + string(table(read(1, "ben"), forged, row(4))), want: "x\n" + aText},
		{name: "an edited row in CRLF", text: strings.ReplaceAll("x\n"+string(table(read(1, "ben"), forged, row(4))), "\n", "\r\n"),
			want: strings.Replace(strings.ReplaceAll("x\n"+aText, "\n", "\r\n"), row(3).String()+"\r", row(3).String(), 1)},
		{name: "a row that names another file", text: "x\n" + string(table(read(1, "ben"), renamed, row(4))), want: "x\n" + aText},
		{name: "a row that is no row any more", text: "x\n" + strings.Replace(aText, "| "+row(3).ID, "| ~~"+row(3).ID, 1),
			want: lines("x", table(read(1, "ben")), strings.Replace(row(3).String(), "| sha", "| ~~sha", 1), row(4), row(3))},

		{name: "a row twice", text: "x\n" + aText + row(3).String() + "\n", want: "x\n" + aText},
		{name: "a row twice, and forged behind", text: "x\n" + aText + forged.String() + "\n", want: "x\n" + aText},
		{name: "a row twice, and forged before", text: "x\n" + string(table(forged, read(1, "ben"), row(3), row(4))), want: "x\n" + string(table(row(3), read(1, "ben"), row(4)))},

		{name: "the text of the checkpoint with a note", text: lines(table(row(1), row(2), row(3)), "note"), want: lines(table(read(1, "ben"), row(3), row(4)), "note")},
		{name: "a text of before the checkpoint", text: "old\n" + string(table(row(1))), want: "old\n" + aText},
		{name: "what was pruned, and is there still", text: "x\n" + string(table(read(1, "ben"), row(2), row(3), row(4))), want: "x\n" + aText},
		{name: "what came and went", text: "x\n" + aText + row(5).String() + "\n", want: "x\n" + aText},
		{name: "half of it", text: "x\n" + aText[:len(aText)-50], want: "x\n" + aText[:len(aText)-len(row(4).String())-1] + row(4).String() + "\n" + row(4).String()[:len(row(4).String())-49] + "\n"},

		{name: "a stranger's row with a document", text: "x\n" + aText + row(6).String() + "\n", want: "x\n" + aText + row(6).String() + "\n"},
		{name: "a stranger's row without", text: "x\n" + aText + row(6).String() + "\n", there: there(1, 2, 3, 4), want: "x\n" + aText + row(6).String() + "\n"},
		{name: "a stranger's row twice, once without", text: "x\n" + aText + strings.Replace(row(6).String(), "ann-ben", "ann-eve", 1) + "\n" + row(6).String() + "\n",
			want: "x\n" + aText + strings.Replace(row(6).String(), "ann-ben", "ann-eve", 1) + "\n" + row(6).String() + "\n"},
		{name: "and a note behind it", text: "x\n" + aText + row(6).String() + "\nnote\n", there: there(1, 2, 3, 4), want: "x\n" + aText + row(6).String() + "\nnote\n"},
	} {
		if tt.there == nil {
			tt.there = all
		}
		before := append(make([]byte, 0, len(tt.text)+4096), tt.text...)
		got := merged(aStory(), before, tt.there)
		if string(got) != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if string(before) != tt.text || len(bytes.Trim(before[len(before):cap(before)], "\x00")) > 0 {
			t.Errorf("%s: the text that was found is another now", tt.name)
		}
		if again := merged(aStory(), got, tt.there); !bytes.Equal(again, got) {
			t.Errorf("%s: again it is\n%s\nfrom\n%s", tt.name, again, got)
		}
	}
}

// Links to archives are restored in their order, and links of people stay.
func TestMergeLinks(t *testing.T) {
	s := newStory(linked(2, linked(1, table(row(1)))), &journal.Record{Links: []string{"INDEX-0003.md"}})
	links := func(text []byte) string { return strings.Join(index.Archives(string(text)), " ") }
	for _, tt := range []struct{ name, text, want string }{
		{"none are left", "x\n" + string(table(row(1))), "INDEX-0001.md INDEX-0002.md INDEX-0003.md"},
		{"one is left", "x\n" + string(linked(1, table(row(1)))), "INDEX-0001.md INDEX-0002.md INDEX-0003.md"},
		{"one more", "x\n" + string(linked(4, s.Text())), "INDEX-0001.md INDEX-0002.md INDEX-0003.md INDEX-0004.md"},
		{"one is below the table", "x\n" + string(index.New()) + "- [INDEX-0002.md](INDEX-0002.md)\n", "INDEX-0001.md INDEX-0002.md INDEX-0003.md"},
		{"no table", "x\n", "INDEX-0001.md INDEX-0002.md INDEX-0003.md"},
	} {
		got := merged(s, []byte(tt.text), all)
		if links(got) != tt.want || !slices.Equal(rowsIn(got), []index.Row{row(1)}) || !bytes.Contains(got, []byte("x\n")) {
			t.Errorf("%s: got\n%s", tt.name, got)
		}
		if again := merged(s, got, all); !bytes.Equal(again, got) {
			t.Errorf("%s: again it is\n%s", tt.name, again)
		}
	}
}

func rowsIn(text []byte) (rows []index.Row) {
	for l := range index.Lines(string(text)) {
		if l.IsRow {
			rows = append(rows, l.Row)
		}
	}
	return rows
}

// notesIn returns the lines that are not rows, without their newlines.
func notesIn(text []byte) (notes []string) {
	for l := range index.Lines(string(text)) {
		if !l.IsRow {
			notes = append(notes, l.Text)
		}
	}
	return notes
}

// genStory draws a story of a few records that commands can write.
func genStory(t *rapid.T) *journal.Story {
	next, known := 0, []int{}
	fresh := func() index.Row {
		next++
		known = append(known, next)
		return row(next)
	}
	var first []index.Row
	for range rapid.IntRange(0, 4).Draw(t, "first") {
		first = append(first, fresh())
	}
	text := table(first...)
	if rapid.Bool().Draw(t, "note") {
		text = append(text, "a note of before\n"...)
	}
	var records []*journal.Record
	marks := map[int]bool{}
	for i := range rapid.IntRange(0, 5).Draw(t, "records") {
		r := &journal.Record{}
		kind := rapid.SampledFrom([]string{"write", "mark", "prune", "rotate", "repair"}).Draw(t, "kind")
		pick := func() (n int) { return known[rapid.IntRange(0, len(known)-1).Draw(t, "which")] }
		switch {
		case kind == "write" || len(known) == 0:
			r.Added = []index.Row{fresh()}
		case kind == "mark":
			n := pick()
			marks[n] = true
			r.Set = []index.Row{read(n, "ben")}
		case kind == "repair":
			var rows []index.Row
			for _, n := range known {
				marks[n] = false
				rows = append(rows, row(n))
			}
			r.Table = append(table(rows...), "mended\n"...)
		default:
			n := pick()
			known = slices.DeleteFunc(known, func(k int) bool { return k == n })
			r.Unset = []string{row(n).ID}
			if kind == "rotate" {
				r.Links = []string{fmt.Sprintf("INDEX-%04d.md", i+1)}
			}
		}
		records = append(records, r)
	}
	return newStory(text, records...)
}

// genFound draws a text that someone may have made of INDEX.md.
func genFound(t *rapid.T, s *journal.Story) []byte {
	var all []string
	for _, text := range [][]byte{s.Table, s.Text()} {
		for line := range strings.Lines(string(text)) {
			all = append(all, line)
		}
	}
	for _, extra := range []any{row(30), row(31), read(1, "eve"), read(2, "cy"), "note", "", "- [INDEX-0009.md](INDEX-0009.md)", "| sha256:no | row |", "<<<<<<< ours", " indented"} {
		all = append(all, lines(extra))
	}
	forged, typed := row(1), row(2)
	forged.Topic, typed.ReadBy = "forged", "ben, cy"
	all = append(all, lines(forged), lines(typed), strings.TrimSuffix(lines(row(3)), "\n")+"\r\n", " "+lines(row(2)))
	var found string
	if rapid.Bool().Draw(t, "edited") {
		found = string(s.Text())
	}
	for range rapid.IntRange(0, 10).Draw(t, "edits") {
		found += rapid.SampledFrom(all).Draw(t, "line")
	}
	if cut := rapid.IntRange(0, 3).Draw(t, "cut"); cut > 0 && rapid.Bool().Draw(t, "is cut") {
		found = found[:max(0, len(found)-cut)]
	}
	return []byte(found)
}

func genThere(t *rapid.T) func(index.Row) bool {
	var here []int
	for n := range 32 {
		if rapid.IntRange(0, 4).Draw(t, "there") > 0 {
			here = append(here, n)
		}
	}
	return there(here...)
}

func TestMergeOfWhatItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, is := genStory(t), genThere(t)
		if got := merged(s, s.Text(), is); !bytes.Equal(got, s.Text()) {
			t.Fatalf("of\n%s\nit makes\n%s", s.Text(), got)
		}
		if !s.Knows(s.Text()) || !s.Knows(s.Table) {
			t.Fatal("it does not know its own text")
		}
	})
}

func TestMergeKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, is := genStory(t), genThere(t)
		found := genFound(t, s)
		checkMerge(t, s, found, is)
	})
}

// checkMerge fails the test unless a merge keeps all lines that are not rows in their order, has the right
// rows, and is idempotent.
func checkMerge(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *journal.Story, found []byte, is func(index.Row) bool) {
	t.Helper()
	got := merged(s, found, is)
	kept := notesIn(got)
	for _, note := range notesIn(found) {
		at := slices.Index(kept, note)
		if at < 0 {
			t.Fatalf("the line %q is lost: of\n%s\nit makes\n%s", note, found, got)
		}
		kept = kept[at+1:]
	}
	ours := make(map[string]index.Row)
	for _, r := range rowsIn(s.Text()) {
		if _, again := ours[r.ID]; !again {
			ours[r.ID] = r
		}
	}
	listed := make(map[string]bool)
	for _, r := range rowsIn(found) {
		listed[r.ID] = true
	}
	seen := make(map[string]bool)
	for _, r := range rowsIn(got) {
		want, known := ours[r.ID]
		marks := r.Marks()
		bare, wanted := r, want
		bare.ReadBy, wanted.ReadBy = "", "" // in which people may type names, which are no marks
		ours := want.Marks()                // behind which there may be marks that the journal does not know
		if known && (bare != wanted || len(marks) < len(ours) || !slices.Equal(marks[:len(ours)], ours) || seen[r.ID]) {
			t.Fatalf("a row is\n%s\nand was\n%s", r, want)
		}
		if !known && !listed[r.ID] {
			t.Fatalf("nobody has listed the row\n%s", r)
		}
		seen[r.ID] = true
	}
	for id, r := range ours {
		if !seen[id] && (listed[id] || is(r)) {
			t.Fatalf("the row is lost\n%s\nof\n%s\nit makes\n%s", r, found, got)
		}
	}
	if again := merged(s, got, is); !bytes.Equal(again, got) {
		t.Fatalf("of\n%s\nit makes\n%s\nand of that\n%s", found, got, again)
	}
}

// merged returns the result of Merge if nothing fails.
func merged(s *journal.Story, found []byte, isThere func(index.Row) bool) []byte {
	text, err := s.Merge(found, true, func(row index.Row) (bool, error) { return isThere(row), nil })
	if err != nil {
		panic(err)
	}
	return text
}

// In a store whose marks come with events, a mark that only the text has is dropped, and so is a typed name.
func TestMergeWithoutMarks(t *testing.T) {
	named := strings.Replace(aText, row(3).String(), strings.Replace(row(3).String(), "|  |", "| ben |", 1), 1)
	for found, want := range map[string]string{string(table(read(1, "ben"), read(3, "ben"), row(4))): aText, named: aText} {
		got, err := aStory().Merge([]byte("x\n"+found), false, func(index.Row) (bool, error) { return true, nil })
		if err != nil || string(got) != "x\n"+want {
			t.Errorf("of\n%s\nit makes\n%s\n%v", found, got, err)
		}
	}
}

// If the document of a row cannot be checked, the row is not lost: nothing is merged.
func TestMergeOfWhatCannotBeRead(t *testing.T) {
	cannot := errors.New("input/output error")
	text, err := aStory().Merge([]byte("x\n"), true, func(index.Row) (bool, error) { return false, cannot })
	if !errors.Is(err, cannot) || text != nil {
		t.Errorf("%q, %v", text, err)
	}
}
