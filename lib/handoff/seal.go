package handoff

import (
	"crypto/sha256"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/parallel"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A sealed document is valid and has the id of its content. It remembers the index of its source.
type sealed struct {
	Document // without its body if the source can be opened again
	at       int
	name     string
	size     int               // of the body
	text     [sha256.Size]byte // the hash of what is stored, if nothing was redacted
	claimed  bool              // the source contains its id
	isMade   bool              // made from something else, such as a record
	notes    []string          // warnings for the writer

	leak              error    // the error of the secret scan
	allowed, redacted []string // secret rules
}

// Parse validates src against the rules of the frontmatter and returns its document. HandoffID is the id that src
// contains, or "". Parse checks neither the time nor that id. maxBytes limits the size of src; 0 means
// DefaultMaxDocumentBytes. Faults are a *DocumentError.
func Parse(src Source, rules Rules, maxBytes int) (Document, error) {
	src, _, err := src.resolve()
	if err != nil {
		return Document{}, err
	}
	draft, err := parse(src, rules, maxBytes)
	if err != nil {
		return Document{}, err
	}
	return draft.Document(), nil
}

// PlainRules checks the frontmatter without a schema library. It accepts what schema.Frontmatter() accepts.
func PlainRules(head any) []Fault { return document.Shape(head) }

// AnnouncesRecord reports whether the body of a source may contain a record. Package record decides.
func AnnouncesRecord(src Source) bool {
	return fields.Announces(string(src.Text)) || src.Fields != nil && fields.Announces(src.Fields.Body)
}

// CarriesPacket reports whether the body contains a packet: the only record with a resume token.
func CarriesPacket(d Document) bool {
	b, ok := fields.Extract(d.Body)
	return ok && b.Kind == "packet"
}

// parse returns a draft without faults that knows the places of its fields in src.
func parse(src Source, rules Rules, maxBytes int) (*document.Draft, error) {
	if rules == nil {
		return nil, fault.Config("", "no rules are given")
	}
	if maxBytes == 0 {
		maxBytes = DefaultMaxDocumentBytes
	}
	var draft *document.Draft
	if src.Fields != nil {
		draft, _ = document.Compose(*src.Fields)
	} else {
		draft, _ = document.Parse(src.Text, maxBytes)
		if src.Expected != nil {
			draft.Fill(*src.Expected, src.Defaults)
		}
	}
	if faults := draft.Check(rules); len(faults) > 0 {
		return nil, &DocumentError{Name: src.Name, Faults: faults}
	}
	return draft, nil
}

// seal parses, validates and identifies the sources. Failed sources are left out and reported in results.
func (s *Store) seal(sources []Source, results []result) []*sealed {
	docs := make([]sealed, len(sources))
	s.at.EachShown(store.TaskSeal, len(sources), parallel.Workers(), func(i int) {
		if docs[i], results[i].Err = s.sealOne(i, sources[i]); results[i].Err == nil {
			results[i].Err = s.inspect(&docs[i])
		}
		if sources[i].Open != nil {
			docs[i].Body = ""
		}
	})
	for _, d := range docs {
		for _, note := range d.notes {
			s.opt.Warn(fault.Prefixed(d.name) + note)
		}
	}
	good := make([]*sealed, 0, len(docs))
	for i := range docs {
		if results[i].Err == nil {
			good = append(good, &docs[i])
		}
	}
	return good
}

func (s *Store) sealOne(at int, src Source) (sealed, error) {
	src, redacted, err := src.resolve()
	if err != nil {
		return sealed{}, err
	}
	draft, err := parse(src, s.opt.Rules, s.opt.MaxDocumentBytes)
	if err != nil {
		return sealed{}, err
	}
	doc := draft.Document()
	if fault := document.CheckTime(doc.Time, s.opt.Now()); fault != nil {
		fault.Line, fault.Column = draft.Locate(fault.Pointer)
		return sealed{}, &DocumentError{Name: src.Name, Faults: []Fault{*fault}}
	}
	id, err := document.ID(doc)
	if err != nil {
		return sealed{}, fault.Invalid("", "%s%v", fault.Prefixed(src.Name), err)
	}
	if doc.HandoffID != "" && doc.HandoffID != id {
		return sealed{}, &IDMismatchError{Name: src.Name, Claimed: doc.HandoffID, Computed: id}
	}
	d := sealed{Document: doc, at: at, name: src.Name, isMade: src.Make != nil, claimed: doc.HandoffID != "",
		redacted: redacted}
	d.HandoffID = id
	return d, nil
}

// inspect performs the checks that need the whole text, and redacts it if the options say so.
func (s *Store) inspect(d *sealed) error {
	if err := s.opt.CheckBody(d.Body); err != nil && !d.isMade {
		d.notes = append(d.notes, store.OneLine(err)+"; write the record as JSON, and its view is made")
	}
	for _, bad := range relation.Of(d.References).Malformed {
		d.notes = append(d.notes, bad.Error()+", and says nothing: "+bad.Hint)
	}
	text := document.Render(d.Document)
	if fault := document.CheckSize(text, s.opt.MaxDocumentBytes); fault != nil {
		return &DocumentError{Name: d.name, Faults: []Fault{*fault}}
	}
	if d.leak = s.scanSecrets(d); len(d.redacted) == 0 {
		d.text = sha256.Sum256(text)
	}
	d.size = len(d.Body)
	return nil
}

// stored returns the bytes to store. The error is ErrBusy if a source that is opened again has changed.
func (s *Store) stored(d *sealed, src Source) ([]byte, error) {
	if src.Open != nil {
		opened, err := src.Open()
		if err == nil && sha256.Sum256(opened.Text) == d.text {
			return opened.Text, nil
		}
		src.Open = func() (Source, error) { return opened, err }
		again, err := s.sealOne(d.at, src)
		if err == nil && len(d.redacted) > 0 {
			err = s.scanSecrets(&again)
		}
		if err == nil && again.HandoffID != d.HandoffID {
			err = fault.Busy("run the same command again", "%sit was changed while it was read",
				fault.Prefixed(d.name))
		}
		if err != nil {
			return nil, err
		}
		d = &again
	}
	return document.Render(d.Document), nil
}
