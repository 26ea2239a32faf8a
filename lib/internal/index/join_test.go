package index_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

func TestJoin(t *testing.T) {
	row := func(n, topic, readBy string) string {
		return "| sha256:" + strings.Repeat(n, 64) + " | 2026-05-07-ann-ben-" + topic + ".md | ann | ben | " + topic + " | 2026-05-07T12:00:00Z | " + readBy + " |\n"
	}
	head := "# Handoff Index\n\n| handoff_id | file | from | to | topic | ts_utc | read_by |\n|---|---|---|---|---|---|---|\n"
	for _, tt := range []struct{ name, in, want string }{
		{"nothing twice", head + row("1", "a", "") + row("2", "b", ""), ""},
		{"twice", head + row("1", "a", "") + row("2", "b", "") + row("1", "a", ""), head + row("1", "a", "") + row("2", "b", "")},
		{"marks of all", head + row("1", "a", "ben:2026-05-08T12:00:00Z") + "a note\n" + row("1", "a", "eve:2026-05-09T12:00:00Z"),
			head + row("1", "a", "ben:2026-05-08T12:00:00Z,eve:2026-05-09T12:00:00Z") + "a note\n"},
		{"the earliest", head + row("1", "a", "ben:2026-05-08T12:00:00.5Z,eve:2026-05-08T12:00:00Z") + row("1", "a", "ben:2026-05-08T12:00:00Z,eve:2026-05-08T12:00:00.5Z"),
			head + row("1", "a", "ben:2026-05-08T12:00:00Z,eve:2026-05-08T12:00:00Z")},
		{"three times", head + row("1", "a", "") + row("1", "a", "ben:2026-05-08T12:00:00Z") + row("1", "a", ""), head + row("1", "a", "ben:2026-05-08T12:00:00Z")},
		{"another file", head + row("1", "a", "") + row("1", "b", ""), ""},
		{"another file and twice", head + row("1", "a", "") + row("1", "b", "") + row("1", "a", ""), head + row("1", "a", "") + row("1", "b", "")},
	} {
		got, changed := index.Join([]byte(tt.in))
		if want := tt.want; want == "" && (changed || string(got) != tt.in) || want != "" && (!changed || string(got) != want) {
			t.Errorf("%s: %v\n%s", tt.name, changed, got)
		}
	}
}
