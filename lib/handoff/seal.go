package handoff

import (
	"runtime"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/recordblock"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A sealed document is valid and carries the id of its content. It remembers its place among the sources.
type sealed struct {
	Document
	at      int
	name    string
	text    []byte // as it is stored
	claimed bool   // the source named its id
	origin  *Origin

	allowed, redacted []string // rules of the secret scan, from screen
}

// Parse checks src against the rules of the frontmatter and returns its document, whose HandoffID is the
// one that src claims or "". It looks at nothing else: neither at time bounds nor at the claimed id.
// maxBytes is the most that src may have; 0 is DefaultMaxDocumentBytes. Faults are a *DocumentError.
func Parse(src Source, rules Rules, maxBytes int) (Document, error) {
	src, _, err := src.made()
	if err != nil {
		return Document{}, err
	}
	draft, err := parse(src, rules, maxBytes)
	if err != nil {
		return Document{}, err
	}
	return draft.Document(), nil
}

// PlainRules checks a head in plain Go. The verdict is that of schema.Frontmatter(), which words its faults better and
// links the schema library.
func PlainRules(head any) []Fault { return document.Shape(head) }

// AnnouncesRecord reports whether the body of a source may carry a record, which is for package record to find out.
func AnnouncesRecord(src Source) bool {
	return recordblock.Announces(string(src.Text)) || src.Fields != nil && recordblock.Announces(src.Fields.Body)
}

// parse returns a draft without faults, which knows where in src its fields stand.
func parse(src Source, rules Rules, maxBytes int) (*document.Draft, error) {
	if rules == nil {
		return nil, fault.New(ErrConfig, "", "no rules are given")
	}
	if maxBytes == 0 {
		maxBytes = DefaultMaxDocumentBytes
	}
	var draft *document.Draft
	if src.Fields != nil {
		draft, _ = document.Compose(*src.Fields)
	} else {
		draft, _ = document.Parse(src.Text, maxBytes)
	}
	if faults := draft.Check(rules); len(faults) > 0 {
		return nil, &DocumentError{Name: src.Name, Faults: faults}
	}
	return draft, nil
}

// seal parses, validates and identifies the sources. What fails is left out and reported in results.
func (s *Store) seal(sources []Source, results []Result) []sealed {
	docs := make([]sealed, len(sources))
	s.at.EachShown(store.TaskSeal, len(sources), runtime.GOMAXPROCS(0), func(i int) {
		docs[i], results[i].Err = s.sealOne(i, sources[i])
	})
	return keep(docs, results)
}

func (s *Store) sealOne(at int, src Source) (sealed, error) {
	src, redacted, err := src.made()
	if err != nil {
		return sealed{}, err
	}
	draft, err := parse(src, s.opt.Rules, s.opt.MaxDocumentBytes)
	if err != nil {
		return sealed{}, err
	}
	doc := draft.Document()
	if fault := document.CheckTime(doc.Time, s.opt.Now(), true); fault != nil {
		fault.Line, fault.Column = draft.Locate(fault.Pointer)
		return sealed{}, &DocumentError{Name: src.Name, Faults: []Fault{*fault}}
	}
	id, err := document.ID(doc)
	if err != nil {
		return sealed{}, fault.New(ErrInvalid, "", "%s%v", store.Prefixed(src.Name), err)
	}
	for _, claimed := range []string{doc.HandoffID, src.ID} {
		if claimed != "" && claimed != id {
			return sealed{}, &IDMismatchError{Name: src.Name, Claimed: claimed, Computed: id}
		}
	}
	if err := s.opt.CheckBody(doc.Body); err != nil && src.Make == nil {
		s.opt.Warn(store.Prefixed(src.Name) + store.OneLine(err) + "; `handoff verify` will report it: write the record as JSON, and its view is made")
	}
	claimed := doc.HandoffID != "" || src.ID != ""
	doc.HandoffID = id
	text := document.Render(doc)
	if fault := document.CheckSize(text, s.opt.MaxDocumentBytes); fault != nil {
		return sealed{}, &DocumentError{Name: src.Name, Faults: []Fault{*fault}}
	}
	return sealed{Document: doc, at: at, name: src.Name, text: text, claimed: claimed, redacted: redacted, origin: src.Origin}, nil
}

func keep(docs []sealed, results []Result) []sealed {
	good := make([]sealed, 0, len(docs))
	for i, d := range docs {
		if results[i].Err == nil {
			good = append(good, d)
		}
	}
	return good
}
