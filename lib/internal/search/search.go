// Package search finds handoffs by words, the most relevant first. It counts the words of all documents in parallel,
// parses very few of them, and proves only the results.
//
// A document has a term of the query if it has the word, or for a lower score a longer word that begins with it. The
// counts of the terms determine the score, by BM25. Title and topic count three times.
package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// A Page is a document to search.
type Page struct{ File, Topic, Time string }

// A Match is a page that Run found. Its document was proven.
type Match struct {
	Page     int     // its number
	Score    float64 // comparable only with scores of the same search
	Title    string  // as untrusted as the body
	Passages []Passage
}

// A Search searches the documents of one directory.
type Search struct {
	Dir   *disk.Dir
	Query *Query
	Warn  func(string)

	// Prove returns the document of the i-th page if it is as it was written.
	Prove func(i int) (document.Document, error)

	mu     sync.Mutex
	failed int   // the number of documents that could not be searched
	first  error // the first error
}

// Run returns the pages whose documents match, sorted by score, then newest first by ts_utc, then by order. total also
// counts those above limit; 0 means no limit. Documents that cannot be read or proven are left out with a warning.
func (x *Search) Run(ctx context.Context, pages []Page, limit int) (matches []Match, total int, err error) {
	found, all, words := x.find(ctx, pages)
	x.Query.weigh(found, all)
	x.Query.rank(found, max(1, float64(words)/float64(max(1, all))))
	total = len(found)
	if limit > 0 {
		found = found[:min(len(found), limit)]
	}
	matches = x.prove(found)
	x.complain()
	return matches, total, ctx.Err()
}

// A page is memory for searching one document at a time.
type page struct {
	text []byte
	*counter
}

// readers is the number of documents that are read at once for each processor. Some wait for the disk.
const readers = 4

// find returns the pages whose documents have a term, in order, and the numbers of all documents and words.
func (x *Search) find(ctx context.Context, pages []Page) (found []candidate, all, words int) {
	memory := sync.Pool{New: func() any { return &page{counter: newCounter(x.Query)} }}
	each := make([]candidate, len(pages))
	parallel.Each(len(pages), readers*runtime.GOMAXPROCS(0), func(i int) {
		if ctx.Err() != nil {
			return
		}
		p := memory.Get().(*page)
		defer memory.Put(p)
		var err error
		if each[i], err = x.read(pages[i], p); err != nil {
			x.fail(err)
		}
	})
	for i, c := range each {
		c.page, c.time = i, pages[i].Time
		if c.isRead {
			all, words = all+1, words+c.words
		}
		if len(c.hits) > 0 {
			found = append(found, c)
		}
	}
	return found, all, words
}

// The weight of a word in a part of a document. The opening and the topic are also in the document.
const (
	once  = 1
	twice = 2
)

// read counts the terms of a document. The keys of its frontmatter and the first line, its version, are no words.
func (x *Search) read(one Page, p *page) (c candidate, err error) {
	if p.text, err = x.Dir.Read(one.File, disk.MaxDocument); err != nil {
		return c, fmt.Errorf("%s: %w", one.File, err)
	}
	head, body, bad := document.Split(p.text)
	if bad != nil {
		return c, fmt.Errorf("%s: %v", one.File, bad)
	}
	c.isRead, c.words = true, p.count(body, once)
	if len(p.hits) > 0 {
		p.count([]byte(opening(string(body))), twice)
	}
	_, head, _ = bytes.Cut(head, []byte("\n"))
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		if !bytes.HasPrefix(line, []byte("  - ")) {
			_, line, _ = bytes.Cut(line, []byte(":"))
		}
		p.count(line, once)
	}
	p.count([]byte(one.Topic), twice)
	c.hits = p.take()
	return c, nil
}

// opening returns the part of a body whose words count twice: its first heading, otherwise its first sentence.
func opening(body string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
	for _, stop := range []string{". ", "! ", "? ", "。", "！", "？"} {
		line, _, _ = strings.Cut(line, stop)
	}
	return cmp.Or(form.Heading(body), line)
}

// prove returns the candidates whose documents are as they were written, with their passages.
func (x *Search) prove(found []candidate) []Match {
	matches := make([]Match, len(found))
	good := make([]bool, len(found))
	parallel.Each(len(found), runtime.GOMAXPROCS(0), func(i int) {
		c := found[i]
		doc, err := x.Prove(c.page)
		if err != nil {
			x.fail(err)
			return
		}
		title := document.Title(doc.Body, doc.Topic)
		matches[i], good[i] = Match{c.page, c.score, title, x.Query.Passages(doc)}, true
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
		x.Warn(fmt.Sprintf("left out %s, such as this: %v; `handoff verify` names all",
			fault.Count(x.failed, "handoff"), x.first))
	}
}
