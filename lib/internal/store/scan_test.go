package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// tables writes the rows to INDEX.md and two archives, and returns the open store.
func tables(t *testing.T, files [3][]index.Row) store.Dirs {
	t.Helper()
	root := t.TempDir()
	for n, rows := range files {
		name, text := disk.Archive(n), index.New()
		if n == 0 {
			name, text = disk.IndexFile, index.AddArchives(text, []string{disk.Archive(1), disk.Archive(2)})
		}
		put(t, root, "handoffs/"+name, string(index.Append(text, rows)))
	}
	s := at(root)
	s.Opt.Lost = func(err error) { t.Error(err) }
	return mustOpen(t, s)
}

func rowOf(id, minute int, to, readBy string) index.Row {
	return index.Row{ID: fmt.Sprintf("sha256:%064d", id), File: fmt.Sprintf("2026-05-07-a-%s-t%d.md", to, id), From: "a", To: to, Topic: fmt.Sprintf("t%d", id),
		Time: fmt.Sprintf("2026-05-07T12:%02d:00Z", minute), ReadBy: readBy}
}

func unread(r index.Row) bool { return r.UnreadBy("") }

func ids(rows []index.Row) (all []string) {
	for _, r := range rows {
		all = append(all, strings.TrimLeft(r.ID[len("sha256:"):], "0"))
	}
	return all
}

func TestScan(t *testing.T) {
	const mark = "b:2026-05-08T00:00:00Z"
	d := tables(t, [3][]index.Row{
		{rowOf(5, 5, "b", ""), rowOf(6, 6, "c", ""), rowOf(2, 2, "b", mark)}, // 2 was marked while it went to an archive
		{rowOf(1, 1, "b", ""), rowOf(2, 2, "b", "")},
		{rowOf(3, 3, "b", mark), rowOf(4, 4, "c", ""), rowOf(5, 5, "b", "x:2026-05-08T00:00:00Z")},
	})
	rows, others, err := d.Scan(d.Dir, store.Choice{Is: unread})
	if got := ids(rows); !slices.Equal(got, []string{"1", "4", "5", "6"}) || len(others) != 0 || err != nil {
		t.Errorf("unread are %v, %v, %v", got, others, err)
	}
	if rows[2].ReadBy != "x:2026-05-08T00:00:00Z" {
		t.Errorf("the marks of a row that stands twice are %q", rows[2].ReadBy)
	}
	rows, others, err = d.Scan(d.Dir, store.Choice{Is: unread, Newest: 1})
	if got := ids(rows); got[len(got)-1] != "6" || len(got)+others["b"]+others["c"] != 4 || err != nil {
		t.Errorf("the newest are %v, the others %v, %v", got, others, err)
	}
}

// A row that is read only in an archive is not counted among the rows that are not shown.
func TestReadInArchive(t *testing.T) {
	const mark = "b:2026-05-08T00:00:00Z"
	d := tables(t, [3][]index.Row{{rowOf(1, 1, "b", "")}, {rowOf(1, 1, "b", mark)}, {rowOf(2, 2, "b", "")}})
	rows, others, err := d.Scan(d.Dir, store.Choice{Is: unread, Newest: 1})
	if got := ids(rows); !slices.Equal(got, []string{"2"}) || others["b"] != 0 || err != nil {
		t.Errorf("%v, others %v, %v", got, others, err)
	}
}

// The newest rows and the counted others are all rows, however rows are spread over files.
func TestNewest(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var files [3][]index.Row
		for id := range rapid.IntRange(0, 40).Draw(r, "rows") {
			row := rowOf(id, rapid.IntRange(0, 9).Draw(r, "minute"), rapid.SampledFrom([]string{"b", "c"}).Draw(r, "to"), "")
			for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, 2), 1, 2, rapid.ID[int]).Draw(r, "files") {
				row.ReadBy = rapid.SampledFrom([]string{"", "", row.To + ":2026-05-08T00:00:00Z"}).Draw(r, "read by")
				files[n] = append(files[n], row)
			}
		}
		d := tables(t, files)
		all, _, err := d.Scan(d.Dir, store.Choice{Is: unread})
		if err != nil {
			r.Fatal(err)
		}
		count, got := make(map[string]int), make(map[string]int)
		for _, row := range all {
			count[row.To]++
		}
		newest := rapid.IntRange(1, 20).Draw(r, "newest")
		some, others, err := d.Scan(d.Dir, store.Choice{Is: unread, Newest: newest})
		maps.Copy(got, others)
		for _, row := range some {
			got[row.To]++
		}
		maps.DeleteFunc(got, func(_ string, n int) bool { return n == 0 })
		if err != nil || !maps.Equal(got, count) {
			r.Errorf("%v of %v, %v", got, count, err)
		}
		byTime := func(a, b index.Row) int { return cmp.Compare(a.Time, b.Time) }
		slices.SortStableFunc(all, byTime)
		slices.SortStableFunc(some, byTime)
		if tail := all[len(all)-len(some):]; !slices.Equal(ids(tail), ids(some)) {
			r.Errorf("the newest are %v, and should be %v", ids(some), ids(tail))
		}
	})
}
