package index_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// laidOut takes a text apart and puts it together again.
func laidOut(text string) string {
	var t index.Layout
	for l := range index.Lines(text) {
		if l.IsRow {
			t.AddRow(l.Row)
		} else {
			t.Add(text[l.Start:l.End])
		}
	}
	return string(t.Text())
}

func TestLayout(t *testing.T) {
	empty, one, two := string(index.New()), row(1).String()+"\n", row(2).String()+"\n"
	table := empty + one + two
	wide := strings.NewReplacer("| handoff_id |", "| handoff_id     |", "|--", "| ----", "# H", "  ## H").Replace(empty)
	const note = "\n| a | b |\n|---|---|\n| c | d |\n\n\nlast"
	tests := []struct{ name, text, want string }{
		{"nothing", "", empty},
		{"as written", table, table},
		{"no table", "my notes", "# Handoff Index\n\nmy notes\n" + strings.TrimPrefix(empty, "# Handoff Index\n")},
		{"no head", one + two, table},
		{"own heading", strings.Replace(table, "# Handoff Index", "# Ours", 1), strings.Replace(table, "# Handoff Index", "# Ours", 1)},
		{"spaced otherwise", wide + one + two, wide + one + two},
		{"half a head", strings.Replace(table, "\n|---", "\n\n|---", 1), table},
		{"notes below", table + note, table + note},
		{"notes below an empty table", empty + note, empty + note},
		{"notes above", "# A\r\n\r\n" + note + "\n\n" + table, "# A\r\n\r\n" + note + "\n\n" + table},
		{"notes between", empty + one + note + "\n" + two, table + note + "\n"},
		{"blank lines and heads between", empty + "\n" + one + "\n\n" + empty + two, table},
	}
	for _, test := range tests {
		if got := laidOut(test.text); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
		if lacks := index.Lacks(test.want); lacks != "" {
			t.Errorf("%s: lacks %s", test.name, lacks)
		}
	}
	if got := string(index.Append([]byte(wide), []index.Row{row(1)})); got != wide+one {
		t.Errorf("a row was added to an aligned table as %q", got)
	}
	if index.Lacks(one) != "column names" || index.Lacks(strings.TrimPrefix(table, "# Handoff Index")) != "heading" {
		t.Error("what is lacking is not named")
	}
}

func TestLayoutKeepsRowsAndNotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(genText(t))
		notes := func(text string) (all []string) {
			for l := range index.Lines(text) {
				if !l.IsRow && !l.IsFurniture() {
					all = append(all, l.Text)
				}
			}
			return all
		}
		got := laidOut(text)
		if !slices.Equal(rowsIn([]byte(got)), rowsIn([]byte(text))) || !slices.Equal(notes(got), notes(text)) {
			t.Fatalf("%q became %q", text, got)
		}
		if again := laidOut(got); again != got {
			t.Fatalf("%q became %q, and then %q", text, got, again)
		}
	})
}
