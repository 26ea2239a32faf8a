package store

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A Choice selects rows.
type Choice struct {
	Is func(index.Row) bool // reports whether a row is chosen
	// the number of rows wanted, newest by ts_utc, of equal times the later rows; 0 means all
	Newest int
}

// Scan returns the chosen rows, archives before INDEX.md. If choice.Newest is set, others has the number of
// the other chosen rows for each recipient. Scan reads INDEX.md first: if a rotation happens meanwhile, rows
// are seen twice, never not at all. Such a row is one, with the marks of both.
func (s *Store) Scan(d *disk.Dir, choice Choice) (rows []index.Row, others map[string]int, err error) {
	var current, archived []*index.Row
	first := make(map[form.Key]*index.Row)
	err = eachIndex(d, func(name string, text []byte, isLost bool) error {
		switch {
		case !isLost:
		case name != disk.IndexFile:
			s.Opt.Lost(fault.Integrity("run `handoff doctor`",
				"%s is missing or empty; its handoffs are not shown", fault.Own(name)))
		case Dirs{Store: s, Dir: d}.HasLostIndex() != nil:
			s.Opt.Lost(ErrIndexMissing)
		}
		list := &archived
		if name == disk.IndexFile {
			list = &current
		}
		for row := range index.Rows(AsString(text)) {
			key, _ := form.KeyOf(row.ID) // every row has an id
			if again := first[key]; again != nil {
				*again = again.WithMark(row.Marks()...)
				continue
			}
			first[key] = &row
			*list = append(*list, &row)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, row := range slices.Concat(archived, current) {
		if choice.Is(*row) {
			rows = append(rows, *row)
		}
	}
	rows, others = newest(rows, choice.Newest)
	return rows, others, nil
}

// newest returns the newest n rows in their order, and the number of the other rows for each recipient. If n is 0, it
// returns all.
func newest(rows []index.Row, n int) (kept []index.Row, others map[string]int) {
	others = make(map[string]int)
	if n == 0 || len(rows) <= n {
		return rows, others
	}
	byTime := make([]int, len(rows))
	for i := range rows {
		byTime[i] = i
	}
	slices.SortStableFunc(byTime, func(a, b int) int { return index.CompareTimes(rows[a].Time, rows[b].Time) })
	for _, i := range byTime[:len(rows)-n] {
		others[strings.Clone(rows[i].To)]++
	}
	newest := byTime[len(rows)-n:]
	slices.Sort(newest)
	for _, i := range newest {
		kept = append(kept, rows[i])
	}
	return kept, others
}
