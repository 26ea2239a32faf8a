package form_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

func TestBudget(t *testing.T) {
	b := form.NewBudget(40)
	for i, block := range []string{"éééééééééé", "0123456789", "one"} {
		if got, want := b.Add(block), i < 2; got != want {
			t.Errorf("Add(%q) = %t, want %t", block, got, want)
		}
	}
	if got, want := b.String(), "éééééééééé0123456789"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var free form.Budget
	if !free.Add(strings.Repeat("x", 1<<20)) || len(free.String()) != 1<<20 {
		t.Error("the zero Budget has a limit")
	}
}

func TestBudgetHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 200).Draw(t, "limit")
		b := form.NewBudget(limit)
		for _, block := range rapid.SliceOf(hostile()).Draw(t, "blocks") {
			b.Add(block)
		}
		if n := utf8.RuneCountInString(b.String()); n > limit {
			t.Fatalf("%d characters, want at most %d", n, limit)
		}
	})
}

func TestTable(t *testing.T) {
	header := []string{"ID", "TOPIC", "BY"}
	rows := [][]string{{"ab", "retry-policy", "bob"}, {"漢字", "a\x1b\n👩\u200d💻", ""}, {"x"}, {"1", "2", "3", "never shown"}}
	want := "" +
		"ID    TOPIC         BY\n" +
		"ab    retry-policy  bob\n" +
		"漢字  a\\x1b\\n👩\u200d💻\n" +
		"x\n" +
		"1     2             3\n"
	if got := form.Table(0, header, rows); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	narrow := "" +
		"ID    TOPIC     BY\n" +
		"ab    retry-p…  bob\n" +
		"漢字  a\\x1b\\n…\n" +
		"x\n" +
		"1     2         3\n"
	if got := form.Table(19, header, rows); got != narrow {
		t.Errorf("got\n%swant\n%s", got, narrow)
	}
	if got, want := form.Table(8, []string{"A"}, [][]string{{"ab\u202ecd"}}), "A\nab…\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := form.Cut("ی\u200c\u064eیی", 2), "ی…"; got != want {
		t.Errorf("got %q, want %q: no non-joiner without the letter that needs it", got, want)
	}
	if got := form.Table(80, nil, nil); got != "\n" {
		t.Errorf("got %q for no columns", got)
	}
}

func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(22, 60).Draw(t, "width")
		row := rapid.SliceOfN(hostile(), 3, 3)
		rows := rapid.SliceOfN(row, 0, 4).Draw(t, "rows")
		lines := strings.Split(strings.TrimSuffix(form.Table(width, []string{"A", "B", "C"}, rows), "\n"), "\n")
		if len(lines) != len(rows)+1 {
			t.Fatalf("%d lines for %d rows", len(lines), len(rows))
		}
		for _, line := range lines {
			if again := form.EscapeLine(line); again != line {
				t.Fatalf("line %+q is unsafe or cut inside an escape", line)
			}
			if w := uniseg.StringWidth(line); w > width {
				t.Fatalf("line %+q takes %d cells, want at most %d", line, w, width)
			}
		}
	})
}

func TestJSONLine(t *testing.T) {
	got := form.JSONLine("a\"\\\n\x1b\x7f</é\u2028😀\U000e0041\xff")
	if want := `"a\"\\\n\u001b\u007f\u003c/\u00e9\u2028\ud83d\ude00\udb40\udc41\ufffd"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := strings.ToValidUTF8(hostile().Draw(t, "text"), "?")
		line := form.JSONLine(want)
		for _, c := range []byte(line) {
			if c < ' ' || c > '~' {
				t.Fatalf("%+q holds byte %#x", line, c)
			}
		}
		var back string
		if err := json.Unmarshal([]byte(line), &back); err != nil || back != want {
			t.Fatalf("got %q back, %v, want %q", back, err, want)
		}
	})
}

// What a terminal may show as JSON has nothing in it that Escape would change, and is the same value.
func TestJSON(t *testing.T) {
	got, err := form.JSON(map[string]string{"k\u009b": "<é漢>\u202e\x1b\x7f👩\u200d💻\u200d می\u200cخ\u2028"}, "")
	if want := "{\"k\\u009b\":\"<é漢>\\u202e\\u001b\\u007f👩\u200d💻\\u200d می\u200cخ\\u2028\"}\n"; got != want || err != nil {
		t.Errorf("got  %+q, %v\nwant %+q", got, err, want)
	}
	if _, err := form.JSON(make(chan int), ""); err == nil {
		t.Error("a channel has no JSON form")
	}
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{strings.ToValidUTF8(hostile().Draw(t, "key"), "?"): strings.ToValidUTF8(hostile().Draw(t, "text"), "?")}
		text, err := form.JSON(want, rapid.SampledFrom([]string{"", "  "}).Draw(t, "indent"))
		if escaped, count := form.Escape(text); err != nil || escaped != text || count != 0 || form.EscapeJSON(text) != text {
			t.Fatalf("%v: %+q holds what Escape changes: %+q", err, text, escaped)
		}
		back := make(map[string]string)
		if err := json.Unmarshal([]byte(text), &back); err != nil || !maps.Equal(back, want) {
			t.Fatalf("got %q back, %v, want %q", back, err, want)
		}
	})
}

func BenchmarkTable(b *testing.B) {
	var rows [][]string
	for i := range 1000 {
		rows = append(rows, []string{fmt.Sprintf("sha256:%064d", i), "alice", "bob", "retry-policy", "2026-05-07T12:00:00Z"})
	}
	for b.Loop() {
		form.Table(100, []string{"ID", "FROM", "TO", "TOPIC", "TIME"}, rows)
	}
}
