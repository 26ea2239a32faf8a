// Package search finds handoffs by words, the most relevant first. It counts the words of all documents in parallel,
// and proves only the results.
//
// A document has a term of the query if it has the word, or for a lower score a longer word that begins with it or a
// word with another ending. If no document has one, words that differ from the term in one letter count. The counts of
// the terms determine the score, by BM25. Title and topic count three times.
package search

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
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
}

// readers is the number of documents that are read at once for each processor. Some wait for the disk.
const readers = 4

// Run returns the pages whose documents match, sorted by score, then newest first by ts_utc, then by order. total also
// counts those above limit; 0 means no limit. Documents that cannot be read or proven are left out with a warning.
func (x *Search) Run(ctx context.Context, pages []Page, limit int) (matches []Match, total int, err error) {
	memory := sync.Pool{New: func() any { return newCounter(x.Query) }}
	each := make([]candidate, len(pages))
	disk.Each(len(pages), readers*runtime.GOMAXPROCS(0), func(i int) {
		if ctx.Err() == nil {
			c := memory.Get().(*counter)
			each[i] = x.read(pages[i], c)
			each[i].page = i
			memory.Put(c)
		}
	})
	var failed []error
	for _, c := range each {
		if c.err != nil {
			failed = append(failed, c.err)
		}
	}
	found := x.Query.rank(each)
	total = len(found)
	if limit > 0 {
		found = found[:min(total, limit)]
	}
	for _, c := range found {
		doc, err := x.Prove(c.page)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		matches = append(matches, Match{c.page, c.score, document.Title(doc.Body, doc.Topic), x.Query.Passages(doc)})
	}
	if len(failed) > 0 {
		x.Warn(fmt.Sprintf("left out %s, such as this: %v; `handoff verify` names all",
			fault.Count(len(failed), "handoff"), failed[0]))
	}
	return matches, total, ctx.Err()
}

// read counts the terms of a document. Its title and topic, which are in the document too, count twice more. The keys
// of the frontmatter are no words.
func (x *Search) read(page Page, c *counter) (found candidate) {
	text, err := x.Dir.Read(page.File, disk.MaxDocument)
	if err != nil {
		return candidate{err: fmt.Errorf("%s: %w", page.File, err)}
	}
	head, body, bad := document.Split(text)
	if bad != nil {
		return candidate{err: fmt.Errorf("%s: %v", page.File, bad)}
	}
	found.time = page.Time
	c.count(&found, string(body), 1)
	if found.hits != nil {
		c.count(&found, document.Title(string(body), ""), 2)
	}
	for line := range bytes.Lines(head) {
		if line[0] != ' ' { // else an item of a list
			line = line[bytes.IndexByte(line, ':')+1:]
		}
		c.count(&found, string(line), 1)
	}
	c.count(&found, page.Topic, 2)
	return found
}
