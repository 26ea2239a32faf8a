// Package search finds the handoffs of a store that hold words. It reads documents without parsing
// them, many at once, and proves only what it returns.
package search

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/words"
)

// A Match is a handoff that was found. Only the document proves what the row says; it was proven.
type Match struct {
	index.Row
	Passages []words.Passage
}

// A Search looks into the documents of one store for the words and the tag.
type Search struct {
	At    *store.Store
	Dir   *durable.Dir
	Words words.Words
	Tag   string // "" asks for none

	// Prove returns the document of a row if it is what was written.
	Prove func(row index.Row) (document.Document, error)

	tagged words.Words // the tag as a word, none if no tag is asked for

	mu     sync.Mutex
	failed int   // documents that could not be searched
	first  error // why the first of them could not
}

// Run returns those of the rows whose documents match, newer by ts_utc first, of the same time those
// first that come first, and how many there are above the limit too; 0 means no limit. What cannot be
// read or proven is warned about and left out.
func (x *Search) Run(ctx context.Context, rows []index.Row, limit int) (matches []Match, total int, err error) {
	if x.Tag != "" {
		x.tagged = words.Words{words.One(x.Tag)}
	}
	hits := x.find(ctx, rows)
	slices.SortStableFunc(hits, func(a, b index.Row) int { return index.CompareTimes(b.Time, a.Time) })
	total = len(hits)
	if limit > 0 {
		hits = hits[:min(len(hits), limit)]
	}
	matches = x.prove(hits)
	x.complain()
	return matches, total, ctx.Err()
}

// A page is the memory in which one document at a time is searched.
type page struct{ text []byte }

// readers is how many documents are read at once for each processor: more than one, since some wait for
// the disk.
const readers = 4

// find returns those of the entries whose documents match, in their order.
func (x *Search) find(ctx context.Context, entries []index.Row) []index.Row {
	memory := sync.Pool{New: func() any { return new(page) }}
	hit := make([]bool, len(entries))
	parallel.Each(len(entries), readers*runtime.GOMAXPROCS(0), func(i int) {
		if ctx.Err() != nil {
			return
		}
		p := memory.Get().(*page)
		defer memory.Put(p)
		var err error
		if hit[i], err = x.matches(entries[i], p); err != nil {
			x.fail(err)
		}
	})
	var hits []index.Row
	for i, e := range entries {
		if hit[i] {
			hits = append(hits, e)
		}
	}
	return hits
}

// matches decides as early as it can: by the row, by the body, and only then by parsing the head.
func (x *Search) matches(e index.Row, p *page) (bool, error) {
	missing := x.Words.Without(func(w words.Word) bool { return w.InAny([]string{e.From, e.To, e.Topic, e.Time}) })
	if len(missing) == 0 && x.Tag == "" {
		return true, nil
	}
	var err error
	if p.text, err = x.Dir.AppendFile(p.text[:0], e.File, layout.MaxDocument); err != nil {
		return false, fmt.Errorf("%s: %w", x.At.RelPath(e.File), err)
	}
	head, body := words.Halves(p.text)
	missing = missing.Without(func(w words.Word) bool { return w.In(body) })
	if len(missing) == 0 && x.Tag == "" {
		return true, nil
	}
	if !missing.MayBeIn(head) || !x.tagged.MayBeIn(head) {
		return false, nil
	}
	doc, err := store.ParseStored(x.At.RelPath(e.File), p.text)
	if err != nil {
		return false, err
	}
	missing = missing.Without(func(w words.Word) bool {
		return w.InAny(doc.Tags) || w.InAny(doc.References) || w.In([]byte(doc.Body)) // which Halves may have cut elsewhere
	})
	return len(missing) == 0 && (x.Tag == "" || slices.Contains(doc.Tags, x.Tag)), nil
}

// prove returns the entries whose documents are what was written, with the passages to show.
func (x *Search) prove(hits []index.Row) []Match {
	matches := make([]Match, len(hits))
	good := make([]bool, len(hits))
	parallel.Each(len(hits), runtime.GOMAXPROCS(0), func(i int) {
		doc, err := x.Prove(hits[i])
		if err != nil {
			x.fail(err)
			return
		}
		matches[i], good[i] = Match{hits[i], x.Words.Passages(doc)}, true
	})
	proven := make([]Match, 0, len(hits))
	for i, m := range matches {
		if good[i] {
			proven = append(proven, m)
		}
	}
	return proven
}

func (x *Search) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed++; x.failed == 1 {
		x.first = err
	}
}

func (x *Search) complain() {
	if x.failed > 0 {
		x.At.Opt.Warn(fmt.Sprintf("left out %s, such as this: %v; `handoff verify` names all", fault.Count(x.failed, "handoff"), x.first))
	}
}
