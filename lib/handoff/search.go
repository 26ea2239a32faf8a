package handoff

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/words"
)

// A Query says what Search looks for.
type Query struct {
	Filter
	Words []string // all of them must occur, upper and lower case being the same; a word may hold spaces
	Limit int      // of the matches that are returned; 0 is no limit
}

// A Match is a handoff that Search found. Only the document proves what the entry says; it was proven.
type Match struct {
	Entry
	Passages []Passage
}

// A Passage is text of a handoff around what was searched for. It is as untrusted as a body: show it
// through EscapeLine.
type Passage = words.Passage

// Found is the outcome of Search.
type Found struct {
	Matches []Match // newer by ts_utc first, of the same time those that were written later
	Total   int     // how many handoffs match, those above the limit included
}

// Search returns the handoffs that the filter chooses and that hold all words: in from, to, topic, ts_utc,
// a tag, a reference or the body. It takes no lock. What it returns was proven to be what was written;
// what cannot be read or proven is warned about and left out. No words, or an empty one, is ErrInvalid.
func (s *Store) Search(ctx context.Context, q Query) (Found, error) {
	looked, err := words.New(q.Words)
	if err == nil {
		err = q.check()
	}
	if err != nil {
		return Found{}, err
	}
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return Found{}, err
	}
	defer d.Close()
	rows := q.Filter
	rows.Tag = "" // is looked for together with the words
	entries, err := s.List(rows)
	if err != nil {
		return Found{}, err
	}
	slices.Reverse(entries)
	x := &searcher{Store: s, dir: d, words: looked, tag: q.Tag}
	if q.Tag != "" {
		x.tagged = append(x.tagged, words.One(q.Tag))
	}
	hits := x.find(ctx, entries)
	slices.SortStableFunc(hits, func(a, b Entry) int { return index.CompareTimes(b.Time, a.Time) })
	found := Found{Total: len(hits)}
	if q.Limit > 0 {
		hits = hits[:min(len(hits), q.Limit)]
	}
	found.Matches = x.prove(hits)
	x.complain()
	return found, ctx.Err()
}

// A searcher looks into the documents of one store for the words and the tag.
type searcher struct {
	*Store
	dir    *durable.Dir
	words  words.Words
	tag    string
	tagged words.Words // the tag as a word, none if no tag is asked for

	mu     sync.Mutex
	failed int   // documents that could not be searched
	first  error // why the first of them could not
}

// A page is the memory in which one document at a time is searched.
type page struct{ text []byte }

// readers is how many documents are read at once for each processor: more than one, since some wait for
// the disk.
const readers = 4

// find returns those of the entries whose documents match, in their order.
func (x *searcher) find(ctx context.Context, entries []Entry) []Entry {
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
	var hits []Entry
	for i, e := range entries {
		if hit[i] {
			hits = append(hits, e)
		}
	}
	return hits
}

// matches decides as early as it can: by the row, by the body, and only then by parsing the head.
func (x *searcher) matches(e Entry, p *page) (bool, error) {
	missing := x.words.Without(func(w words.Word) bool { return w.InAny([]string{e.From, e.To, e.Topic, e.Time}) })
	if len(missing) == 0 && x.tag == "" {
		return true, nil
	}
	var err error
	if p.text, err = x.dir.AppendFile(p.text[:0], e.File, layout.MaxDocument); err != nil {
		return false, fmt.Errorf("%s: %w", x.at.RelPath(e.File), err)
	}
	head, body := words.Halves(p.text)
	missing = missing.Without(func(w words.Word) bool { return w.In(body) })
	if len(missing) == 0 && x.tag == "" {
		return true, nil
	}
	if !missing.MayBeIn(head) || !x.tagged.MayBeIn(head) {
		return false, nil
	}
	doc, err := store.ParseStored(x.at.RelPath(e.File), p.text)
	if err != nil {
		return false, err
	}
	missing = missing.Without(func(w words.Word) bool {
		return w.InAny(doc.Tags) || w.InAny(doc.References) || w.In([]byte(doc.Body)) // which Halves may have cut elsewhere
	})
	return len(missing) == 0 && (x.tag == "" || slices.Contains(doc.Tags, x.tag)), nil
}

// prove returns the entries whose documents are what was written, with the passages to show.
func (x *searcher) prove(hits []Entry) []Match {
	matches := make([]Match, len(hits))
	good := make([]bool, len(hits))
	parallel.Each(len(hits), runtime.GOMAXPROCS(0), func(i int) {
		got, err := x.load(x.dir, hits[i])
		if err != nil {
			x.fail(err)
			return
		}
		matches[i], good[i] = Match{hits[i], x.words.Passages(got.Document)}, true
	})
	proven := make([]Match, 0, len(hits))
	for i, m := range matches {
		if good[i] {
			proven = append(proven, m)
		}
	}
	return proven
}

func (x *searcher) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed++; x.failed == 1 {
		x.first = err
	}
}

func (x *searcher) complain() {
	if x.failed > 0 {
		x.opt.Warn(fmt.Sprintf("left out %s, such as this: %v; `handoff verify` names all", fault.Count(x.failed, "handoff"), x.first))
	}
}
