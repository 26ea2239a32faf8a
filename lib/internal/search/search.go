// Package search finds the handoffs of a store that are about something, the best first. It counts the words of all
// documents, many at once, parses hardly any of them, and proves only what it returns.
//
// A document has a term of the query where it has a word with the same stem or, for less, one of which either is the
// beginning of the other. How often it has which terms makes its score, by BM25; its title and topic count three times.
package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Match is a handoff that was found. Only the document proves what the row says; it was proven.
type Match struct {
	index.Row
	Score    float64 // how well it answers the query, compared with others of the same search
	Title    string  // what people call it: as untrusted as its body
	Passages []Passage
}

// A Search looks into the documents of one store.
type Search struct {
	At    *store.Store
	Dir   *disk.Dir
	Query *Query
	Every bool   // only what has every term
	Tag   string // "" asks for none

	// Prove returns the document of a row if it is what was written.
	Prove func(row index.Row) (document.Document, error)

	mu     sync.Mutex
	failed int   // documents that could not be searched
	first  error // why the first of them could not
}

// Run returns those of the rows whose documents match, the best first, of the same score the newer by ts_utc and then
// those that come first, and how many there are above the limit too; 0 means no limit. What cannot be read or proven is
// warned about and left out.
func (x *Search) Run(ctx context.Context, rows []index.Row, limit int) (matches []Match, total int, err error) {
	found, all, words := x.find(ctx, rows)
	x.Query.weigh(found, all)
	if x.Every {
		found = slices.DeleteFunc(found, func(c candidate) bool { return len(c.hits) < len(x.Query.terms) })
	}
	x.Query.rank(found, max(1, float64(words)/float64(max(1, all))))
	total = len(found)
	if limit > 0 {
		found = found[:min(len(found), limit)]
	}
	matches = x.prove(found)
	x.complain()
	return matches, total, ctx.Err()
}

// A page is the memory in which one document at a time is searched.
type page struct {
	text []byte
	*counter
}

// readers is how many documents are read at once for each processor: more than one, since some wait for
// the disk.
const readers = 4

// find returns the rows whose documents have a term, in their order, how many documents there are, and how many words
// they have.
func (x *Search) find(ctx context.Context, rows []index.Row) (found []candidate, all, words int) {
	memory := sync.Pool{New: func() any { return &page{counter: newCounter(x.Query)} }}
	each := make([]candidate, len(rows))
	parallel.Each(len(rows), readers*runtime.GOMAXPROCS(0), func(i int) {
		if ctx.Err() != nil {
			return
		}
		p := memory.Get().(*page)
		defer memory.Put(p)
		var err error
		if each[i], err = x.read(&rows[i], p); err != nil {
			x.fail(err)
		}
	})
	for _, c := range each {
		if c.row != nil {
			all, words = all+1, words+c.words
		}
		if len(c.hits) > 0 {
			found = append(found, c)
		}
	}
	return found, all, words
}

// What a word of a part of a document counts.
const (
	once  = 1
	twice = 2 // a title, which the body has too
	most  = 3
)

// read counts the terms of a document. One without the tag is none of those that are searched.
func (x *Search) read(row *index.Row, p *page) (c candidate, err error) {
	if p.text, err = x.Dir.AppendFile(p.text[:0], row.File, disk.MaxDocument); err != nil {
		return c, fmt.Errorf("%s: %w", x.At.RelPath(row.File), err)
	}
	lists, body, ok := parts(p.text)
	if ok && !bytes.Contains(lists, []byte(x.Tag)) {
		return c, nil
	}
	if !ok || x.Tag != "" {
		doc, err := store.ParseStored(x.At.RelPath(row.File), p.text)
		if err != nil || x.Tag != "" && !slices.Contains(doc.Tags, x.Tag) {
			return c, err
		}
		lists, body, _ = parts(document.Render(doc))
	}
	c.row, c.words = row, p.count(body, once)
	if len(p.hits) > 0 {
		p.count([]byte(form.Title(store.AsString(body))), twice)
	}
	for line := range bytes.SplitSeq(lists, []byte("\n")) {
		if text, ok := bytes.CutPrefix(line, []byte(item)); ok {
			p.count(text, once)
		}
	}
	p.count([]byte(row.Topic), most)
	p.count(heads(row), once)
	c.hits = p.take()
	return c, nil
}

// heads returns what is searched of a row beside the topic. The day is there as people write it too.
func heads(row *index.Row) []byte {
	date := row.Time[:len(time.DateOnly)]
	month, _ := strconv.Atoi(date[5:7])
	day := strings.TrimPrefix(date[8:], "0") + " " + time.Month(month).String()
	return []byte(row.From + " " + row.To + " " + row.Time + " " + date + " " + day)
}

const item = "  - " // begins an item of a list in a head

// parts returns the lists of the head and the body of a stored file, if they have the form in which a store writes
// them.
func parts(text []byte) (lists, body []byte, ok bool) {
	head, body, ok := bytes.Cut(text, []byte("\n---\n"))
	if !ok {
		return nil, nil, false
	}
	_, lists, ok = bytes.Cut(head, []byte("\nreferences:"))
	for line := range bytes.SplitSeq(lists, []byte("\n")) {
		switch string(line) {
		case "", " []", "tags:", "tags: []":
		default:
			ok = ok && bytes.HasPrefix(line, []byte(item+"'"))
		}
	}
	return lists, body, ok && bytes.HasPrefix(head, []byte("---\n"))
}

// prove returns the candidates whose documents are what was written, with the passages to show.
func (x *Search) prove(found []candidate) []Match {
	matches := make([]Match, len(found))
	good := make([]bool, len(found))
	parallel.Each(len(found), runtime.GOMAXPROCS(0), func(i int) {
		c := found[i]
		doc, err := x.Prove(*c.row)
		if err != nil {
			x.fail(err)
			return
		}
		title := cmp.Or(form.Title(doc.Body), doc.Topic)
		matches[i], good[i] = Match{*c.row, c.score, title, x.Query.Passages(doc)}, true
	})
	proven := make([]Match, 0, len(found))
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
