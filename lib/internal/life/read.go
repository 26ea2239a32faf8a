package life

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Gather returns the facts of a store: the cached ones, and those of newer documents and events. It reads
// only documents whose write events count references. If rows come without events, it reads each document
// once. Only events that head proves count. If the log does not lead to head, the error is
// fault.ErrIntegrity.
func Gather(d store.Dirs, head store.LogHead) (*Facts, error) {
	r := &reader{Facts: parseCache(d.Cached(disk.Facts)), at: d, files: make(map[string]string)}
	if err := r.readLog(head); err != nil {
		return nil, err
	}
	if d.Dir == nil {
		return r.Facts, nil
	}
	r.readRows()
	r.find()
	r.documents()
	return r.Facts, nil
}

// A reader adds new facts.
type reader struct {
	*Facts
	at     store.Dirs
	wanted []string          // ids of documents to read, in the order of the log
	files  map[string]string // their files, "" if unknown
}

// readLog reads the audit log after the part that the facts cover. If it is another log, the facts start
// over.
func (r *reader) readLog(head store.LogHead) error {
	if r.at.State == nil {
		r.Facts = NewFacts()
		r.lacksLog = true
		return nil
	}
	log, done, err := eventlog.Open(r.at.State)
	if err != nil {
		return err
	}
	defer done()
	if !r.continues(log, head) {
		r.Facts = NewFacts()
	}
	r.lacksLog = log.Size() == 0
	from, isBroken := r.covered.log, false
	for e := range eventlog.Scan(eventlog.Skim, log, from, &err) {
		if from > 0 && r.covered.log == from && e.Prev != r.covered.hash {
			r.Facts = NewFacts()
			return r.readLog(head)
		}
		isBroken = isBroken || e.Err != nil || e.Prev != r.covered.hash
		r.covered.log, r.covered.hash = e.End(), e.Hash
		if isBroken = isBroken || r.covered.log == head.End && e.Hash != head.Hash; isBroken && head.IsProven {
			break
		}
		r.event(e)
	}
	if err == nil && head.IsProven && (isBroken || r.covered.log < head.End) {
		err = &fault.CorruptError{File: filepath.Join(r.at.State.Path(), disk.LogFile),
			Why: "was changed by another program: run `handoff verify`"}
	}
	return err
}

// continues reports whether the log begins with the part that the facts cover. If that is all that the journal
// proves, the view of the journal has compared it; if it proves more, the events that follow must lead to its head.
func (r *reader) continues(log *io.SectionReader, head store.LogHead) bool {
	switch {
	case head.IsProven && r.covered.log == head.End && r.covered.hash == head.Hash:
		return true
	case r.covered.log == 0, head.IsProven && r.covered.log < head.End:
		return true
	}
	hash, end, err := eventlog.HeadAt(log, r.covered.log)
	return err == nil && end == r.covered.log && hash == r.covered.hash
}

// event adds an event of the log.
func (r *reader) event(e eventlog.Parsed) {
	if e.Type == eventlog.TypeWrite || e.Type == eventlog.TypeImport {
		var p struct {
			IDs        []string `json:"handoff_ids"`
			ID         string   `json:"handoff_id"`
			File       string   `json:"file_path"`
			References int      `json:"references_count"`
		}
		switch err := json.Unmarshal(e.Payload, &p); {
		case err == nil && p.IDs == nil:
			r.arrived(p.ID, path.Base(p.File), p.References)
		case err == nil:
			for _, id := range p.IDs {
				r.arrived(id, "", -1)
			}
		}
		return
	}
	switch p := e.Content.(type) {
	case eventlog.Recovered:
		if p.AdoptedRows > 0 && !r.adopted {
			r.add("adopted")
		}
	case eventlog.Repaired:
		for _, id := range p.Quarantined {
			r.gone(id)
		}
	case eventlog.Pruned:
		r.gone(p.HandoffID)
	case eventlog.Resumed:
		r.AddEvent(p.Consumption)
	}
}

// arrived records that a handoff reached the store. references is the number of its references, or less than
// 0 if unknown.
func (r *reader) arrived(id, file string, references int) {
	if r.byRows() {
		r.add("row " + id)
	}
	if references != 0 {
		r.want(id, file)
	}
}

// gone records that the document of a handoff is no longer here.
func (r *reader) gone(id string) {
	r.add("gone " + id)
	delete(r.files, id)
}

// want adds a document to read. If file is not a valid name, find looks the document up by id.
func (r *reader) want(id, file string) {
	if _, again := r.files[id]; !again {
		r.wanted = append(r.wanted, id)
	}
	if !index.IsFile(file) {
		file = ""
	}
	r.files[id] = file
}

// byRows reports whether rows may come without events.
func (r *reader) byRows() bool {
	return r.adopted || r.lacksLog || r.at.Opt.Git == disk.GitTracked
}

// HasNoEvents reports whether there are handoffs but no events, so that their history is unknown.
func (f *Facts) HasNoEvents() bool { return f.lacksLog && len(f.rows) > 0 }

// readRows reads the rows if they may come without events, and the index files have changed.
func (r *reader) readRows() {
	if !r.byRows() {
		r.covered.stamps = noStamps
		return
	}
	sum := stampsOf(r.at.Dir)
	if sum == "" || sum == r.covered.stamps {
		return // readers of the index report the error
	}
	there := make(map[form.Key]bool)
	err := store.EachIndex(r.at.Dir, func(_ string, text []byte) error {
		for l := range index.Lines(store.AsString(text)) {
			k, ok := form.KeyOf(l.Row.ID)
			if there[k] || !ok {
				continue
			}
			if there[k] = true; !r.rows[k] {
				r.add("row " + l.Row.ID)
				r.want(l.Row.ID, l.Row.File)
			}
		}
		return nil
	})
	if err != nil {
		return
	}
	for k := range r.rows {
		if !there[k] { // for example, another branch is checked out
			r.add("gone " + k.String())
		}
	}
	r.covered.stamps = sum
}

// find looks up the files of documents that no event names.
func (r *reader) find() {
	for k, file := range r.unread {
		r.want(k.String(), file)
	}
	lacking := make(map[string]bool)
	for id, file := range r.files {
		if file == "" {
			lacking[id] = true
		}
	}
	if len(lacking) == 0 {
		return
	}
	_ = store.EachIndex(r.at.Dir, func(_ string, text []byte) error {
		for l := range index.Lines(store.AsString(text)) {
			if l.IsRow && lacking[l.Row.ID] {
				r.files[l.Row.ID] = l.Row.File
			}
		}
		return nil
	}) // a failed lookup is tried again next time
}

// documents reads the wanted documents. A document that is unreadable or has another id is read again next
// time.
func (r *reader) documents() {
	docs := make([]*document.Document, len(r.wanted))
	parallel.Each(len(docs), parallel.Workers(), func(i int) {
		text, err := r.at.Dir.ReadFile(r.files[r.wanted[i]], disk.MaxDocument)
		if err != nil {
			return
		}
		doc, err := store.ParseStored("", text)
		if err != nil {
			return
		}
		if id, err := document.ID(doc); err == nil && id == r.wanted[i] {
			docs[i] = &doc
		}
	})
	for i, id := range r.wanted {
		k, _ := form.KeyOf(id)
		switch file, again := r.unread[k]; {
		case docs[i] != nil:
			r.AddDocument(id, docs[i].From, docs[i].To, docs[i].References)
			delete(r.unread, k)
		case !again && r.files[id] != "" || file != r.files[id]:
			r.add(fmt.Sprint("unread ", id, " ", r.files[id]))
		}
	}
}
