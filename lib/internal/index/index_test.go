package index_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

func id(n int) string { return fmt.Sprintf("sha256:%064x", n) }

func row(n int) index.Row {
	return index.Row{ID: id(n), File: fmt.Sprintf("2026-05-07-ann-ben-t%d.md", n), From: "ann", To: "ben", Topic: fmt.Sprintf("t%d", n), Time: "2026-05-07T12:00:00Z"}
}

func TestParseRow(t *testing.T) {
	good := row(1).String()
	marked := row(1).WithMark(index.Mark{Operator: "ben", Time: "2026-05-08T09:00:00.5Z"}).String()
	tests := []struct {
		name, line string
		ok         bool
	}{
		{"row", good, true},
		{"read", marked, true},
		{"leading space", "  " + good, true},
		{"carriage return", good + "\r", true},
		{"spaces in read_by", strings.Replace(marked, ".5Z |", ".5Z, cy:2026-05-08T09:00:00Z |", 1), true},
		{"name typed into read_by", strings.Replace(good, "  |", " ben |", 1), true},
		{"words typed into read_by", strings.Replace(good, "  |", " ben did |", 1), false},
		{"upper-case id", strings.Replace(good, "sha256:00", "sha256:AA", 1), false},
		{"short id", strings.Replace(good, "sha256:00", "sha256:0", 1), false},
		{"path in file", strings.Replace(good, "2026-05-07-ann", "../2026-05-07-ann", 1), false},
		{"own file", strings.Replace(good, "2026-05-07-ann-ben-t1.md", "INDEX-0001.md", 1), false},
		{"no date", strings.Replace(good, "2026-05-07-ann-ben-t1.md", "notes.md", 1), false},
		{"pipe in topic", strings.Replace(good, "| t1 |", "| t|1 |", 1), false},
		{"empty from", strings.Replace(good, "| ann |", "|  |", 1), false},
		{"local time", strings.Replace(good, "12:00:00Z |", "12:00:00 |", 1), false},
		{"forged mark", strings.Replace(marked, "ben:2026", "ben 2026", 1), false},
		{"eight cells", good + " x |", false},
		{"six cells", strings.TrimSuffix(good, "  |"), false},
		{"header", "| handoff_id | file | from | to | topic | ts_utc | read_by |", false},
		{"note", "Remember the milk", false},
		{"empty", "", false},
	}
	for _, test := range tests {
		if _, ok := index.ParseRow(test.line); ok != test.ok {
			t.Errorf("%s: ParseRow(%q) is %v, want %v", test.name, test.line, ok, test.ok)
		}
	}
}

func TestShortestRow(t *testing.T) {
	shortest := index.Row{ID: id(1), File: "2026-05-07-a-b-t.md", From: "a", To: "b", Topic: "t", Time: "2026-05-07T12:00:00Z"}
	if got := len(shortest.String()) + 1; got != index.MinRowLen {
		t.Errorf("the shortest row has %d bytes, MinRowLen is %d", got, index.MinRowLen)
	}
}

func TestMarks(t *testing.T) {
	r := row(1).WithMark(index.Mark{Operator: "ben", Time: "2026-05-08T09:00:00Z"})
	r = r.WithMark(index.Mark{Operator: "cy", Time: "2026-05-09T09:00:00Z"})
	again := r.WithMark(index.Mark{Operator: "ben", Time: "2026-06-01T00:00:00Z"})
	if again != r {
		t.Errorf("a second mark changed the row to %v", again)
	}
	if !r.IsReadBy("ben") || !r.IsReadBy("cy") || r.IsReadBy("be") || r.IsReadBy("") {
		t.Errorf("IsReadBy is wrong for %q", r.ReadBy)
	}
	want := []index.Mark{{Operator: "ben", Time: "2026-05-08T09:00:00Z"}, {Operator: "cy", Time: "2026-05-09T09:00:00Z"}}
	if !slices.Equal(r.Marks(), want) {
		t.Errorf("Marks() is %v, want %v", r.Marks(), want)
	}
	// People leave a comma at the end. The next mark must keep the row valid.
	comma := row(1)
	comma.ReadBy = "ben:2026-05-08T09:00:00Z,"
	if got, ok := index.ParseRow(comma.String()); !ok || !slices.Equal(got.Marks(), want[:1]) {
		t.Errorf("a comma at the end gives %v, %v", got.Marks(), ok)
	}
	if got := comma.WithMark(want[1]); got.ReadBy != r.ReadBy {
		t.Errorf("a mark after a comma gives %q", got.ReadBy)
	}
}

// Other text must survive every edit, and an appended row must come after the last one.
func TestAppendKeepsForeignText(t *testing.T) {
	table := string(index.New()) + row(1).String() + "\n"
	tests := []struct{ name, text, want string }{
		{"empty table", string(index.New()), string(index.New()) + row(9).String() + "\n"},
		{"after a row", table, table + row(9).String() + "\n"},
		{"no final newline", strings.TrimSuffix(table, "\n"), table + row(9).String() + "\n"},
		{"notes below", table + "\nNotes\n", table + row(9).String() + "\n\nNotes\n"},
		{"blank lines between rows", table + "\n" + row(2).String() + "\n", table + "\n" + row(2).String() + "\n" + row(9).String() + "\n"},
		{"forged row last", table + "| sha256:x | y |\n", table + row(9).String() + "\n| sha256:x | y |\n"},
	}
	for _, test := range tests {
		if got := string(index.Append([]byte(test.text), []index.Row{row(9)})); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
	notes := index.Append([]byte("my notes\n"), []index.Row{row(9)})
	if rows := rowsIn(notes); !bytes.HasPrefix(notes, []byte("my notes\n")) || len(rows) != 1 {
		t.Errorf("appending to notes gave\n%s", notes)
	}
}

func rowsIn(text []byte) []index.Row {
	var rows []index.Row
	for l := range index.Lines(string(text)) {
		if l.IsRow {
			rows = append(rows, l.Row)
		}
	}
	return rows
}

// genText draws an index as people and tools may leave it.
func genText(t *rapid.T) []byte {
	text := index.New()
	if rapid.Bool().Draw(t, "bare") {
		text = nil
	}
	n := rapid.IntRange(0, 12).Draw(t, "lines")
	for i := range n {
		line := rapid.SampledFrom([]string{row(i).String(), " " + row(i).String(), "", "note", "<<<<<<< ours", row(i).String() + "\r", "| sha256:abc |"}).Draw(t, "line")
		text = append(text, line+"\n"...)
	}
	if len(text) > 0 && rapid.Bool().Draw(t, "cut") {
		text = text[:len(text)-1]
	}
	return text
}

func TestAppendAddsExactlyTheRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := genText(t)
		before := rowsIn(text)
		after := index.Append(text, []index.Row{row(100), row(101)})
		if want := append(slices.Clone(before), row(100), row(101)); !slices.Equal(rowsIn(after), want) {
			t.Fatalf("rows %v, want %v", rowsIn(after), want)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(string(after), strings.TrimSuffix(line, "\n")) {
				t.Fatalf("lost %q", line)
			}
		}
	})
}

func TestSealingLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := genText(t)
		before := rowsIn(text)
		n := rapid.IntRange(0, len(before)).Draw(t, "n")
		sealed, rest := index.TakeOldest(text, n)
		if !slices.Equal(append(slices.Clone(sealed), rowsIn(rest)...), before) {
			t.Fatalf("sealing %d of %v left %v and %v", n, before, sealed, rowsIn(rest))
		}
		linked := index.AddArchives(rest, []string{"INDEX-0001.md"})
		linked = index.AddArchives(linked, []string{"INDEX-0002.md"})
		if got := index.Archives(string(linked)); !slices.Equal(got, []string{"INDEX-0001.md", "INDEX-0002.md"}) {
			t.Fatalf("links %v in\n%s", got, linked)
		}
		if !slices.Equal(rowsIn(linked), rowsIn(rest)) {
			t.Fatal("linking changed rows")
		}
	})
}

func TestSetRowsChangesOneLine(t *testing.T) {
	text := index.Append(index.New(), []index.Row{row(1), row(2), row(1), row(3)})
	marked := row(1).WithMark(index.Mark{Operator: "ben", Time: "2026-05-08T09:00:00Z"})
	got := index.SetRows(text, map[string]index.Row{marked.ID: marked})
	want := index.Append(index.New(), []index.Row{marked, row(2), row(1), row(3)})
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Rows that are found by their bytes are those that are parsed.
func TestSetRowsAsByLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Custom(func(t *rapid.T) string {
			line := row(rapid.IntRange(0, 5).Draw(t, "n")).String()
			line = rapid.SampledFrom([]string{"", "", "", " ", "\t", "\r", "x", "| "}).Draw(t, "before") + line
			if rapid.IntRange(0, 5).Draw(t, "cut") == 0 {
				line = line[:rapid.IntRange(0, len(line)).Draw(t, "end")]
			}
			return line + rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\n\n", " x\n", ""}).Draw(t, "after")
		})
		text := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "")
		edits, want, done := make(map[string]index.Row), "", make(map[string]bool)
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 6), 0, 4).Draw(t, "edits") {
			edits[id(n)] = row(n).WithMark(index.Mark{Operator: "ben", Time: "2026-05-08T09:00:00Z"})
		}
		for l := range index.Lines(text) {
			if edit, is := edits[l.Row.ID]; is && l.IsRow && !done[l.Row.ID] {
				done[l.Row.ID] = true
				want += edit.String() + text[l.Start+len(l.Text):l.End]
				continue
			}
			want += text[l.Start:l.End]
		}
		if got := string(index.SetRows([]byte(text), edits)); got != want {
			t.Fatalf("%q became\n%q, want\n%q", text, got, want)
		}
	})
}

func TestFind(t *testing.T) {
	forged := strings.Replace(row(2).String(), "ann", "a|n", 1)
	text := []byte(string(index.New()) + "see | " + id(2) + " | there\n" + forged + "\n" + row(2).String() + "\n" + row(3).String())
	if l, ok := index.Find(text, id(2)); !ok || l.Number != 7 || l.Row != row(2) {
		t.Errorf("Find gave line %d, %v", l.Number, ok)
	}
	for _, spaces := range []string{"", "  "} { // as formatters leave them
		text := []byte(strings.Replace(row(2).String(), id(2)+" ", id(2)+spaces, 1))
		if _, ok := index.ParseRow(string(text)); !ok {
			t.Errorf("no row: %s", text)
		}
		if l, ok := index.Find(text, id(2)); !ok || l.Row != row(2) {
			t.Errorf("Find does not find %s", text)
		}
	}
	if _, ok := index.Find(text, id(4)); ok {
		t.Error("Find found a row that is not there")
	}
	if got := index.FindPrefix(text, strings.Repeat("0", 63)+"3"); len(got) != 1 || got[0] != row(3) {
		t.Errorf("FindPrefix gave %v", got)
	}
	if got := index.FindPrefix(text, strings.Repeat("0", 40)); len(got) != 2 {
		t.Errorf("FindPrefix gave %d rows for a common prefix, want 2", len(got))
	}
}

func TestArchives(t *testing.T) {
	if names := index.Archives(" - [INDEX-0002.md](INDEX-0002.md)\r"); !slices.Equal(names, []string{"INDEX-0002.md"}) {
		t.Errorf("%q are linked", names)
	}
}

func TestIsEmpty(t *testing.T) {
	if !index.IsEmpty(nil) || !index.IsEmpty(index.AddArchives(index.New(), []string{"INDEX-0001.md"})) || !index.IsEmpty([]byte("| sha256:no row |\n")) {
		t.Error("an index without rows is not empty")
	}
	if index.IsEmpty([]byte(row(1).String())) {
		t.Error("an index with a row is empty")
	}
}

func FuzzRow(f *testing.F) {
	f.Add(row(1).String())
	f.Add(row(2).WithMark(index.Mark{Operator: "ben", Time: "2026-05-08T09:00:00Z"}).String())
	f.Add(strings.Replace(row(3).WithMark(index.Mark{Operator: "ben", Time: "2026-05-08T09:00:00Z"}).WithMark(index.Mark{Operator: "a", Time: "2026-05-08T09:00:00Z"}).String(), ",", " , ", 1))
	f.Add("|" + strings.ReplaceAll(row(4).String()[1:], " ", "  "))
	f.Add("| sha256:")
	f.Fuzz(func(t *testing.T, line string) {
		r, ok := index.ParseRow(line)
		if !ok {
			return
		}
		again, ok := index.ParseRow(r.String())
		if !ok || again != r {
			t.Fatalf("%q was parsed as %v, which comes back as %v, %v", line, r, again, ok)
		}
		if l := []byte(line); string(index.RowID(l)) != r.ID && index.IsRowLike(l) {
			t.Fatalf("%q: id %q", line, index.RowID(l))
		}
	})
}

func BenchmarkLines(b *testing.B) {
	var rows []index.Row
	for i := range 5000 {
		rows = append(rows, row(i))
	}
	text := string(index.Append(index.New(), rows))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for l := range index.Lines(text) {
			_ = l.IsRow
		}
	}
}

// A line without end is looked at once, however often it looks like a row.
func TestLineWithoutEnd(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("| sha256:0123456789abcdef "), 1<<20)
	if rows := index.FindPrefix(text, ""); len(rows) != 0 || !index.IsEmpty(text) {
		t.Errorf("%d rows", len(rows))
	}
	if _, ok := index.Find(text, "sha256:0123456789abcdef"); ok {
		t.Error("a row is found")
	}
}
