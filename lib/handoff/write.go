package handoff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/kind"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A Document is a handoff. SchemaVersion, HandoffID, From, To, Topic, Time (ts_utc), References and Tags are its
// frontmatter, Body is its Markdown.
type Document = document.Document

// A Source is a document to write. Exactly one of Text, Fields and Make is set.
type Source struct {
	Name   string               // its name in messages, such as a file name; or ""
	Text   []byte               // frontmatter and body, or with Given any text
	Fields *Document            // the document itself
	Make   func() (Made, error) // makes the document; called once, after the machine was checked

	// Given has the fields of the document that are known. With it, Text may lack a frontmatter, or have one that lacks
	// fields, or that of another tool. Then it is a text for people, and not empty without AllowEmpty.
	Given      *Document
	Defaults   func(body string) Document // with Given: the values of fields that are neither given nor in the text
	AllowEmpty bool

	File string // the file that it was written from, relative to the project root; or ""
}

// A Receipt is the result of Write.
type Receipt struct {
	ID     string `json:"handoff_id"`
	Path   string `json:"file_path"` // relative to the project root if inside it
	Time   string `json:"ts_utc"`
	Status string `json:"status"` // StatusCreated, StatusExisting, or StatusChanged for what was withdrawn

	Signature *Signature `json:"signature,omitempty"` // if it was signed
}

// The values of Receipt.Status.
const (
	StatusCreated  = "created"
	StatusExisting = "existing" // the same document was stored before; nothing changed
	StatusWaiting  = "waiting"  // it is in the outbox of a linked work tree: the next change from elsewhere stores it
)

// Write stores a document. If it returns no error, body, name and audit event are on disk. If the same document is
// already stored, the status is StatusExisting and nothing changes.
//
// An error wraps ErrInvalid (the document), ErrDenied (its operators), ErrBusy (the lock), ErrIntegrity (the id, the
// machine or the log) or ErrConfig (the directory, or no free name). The checks have this order: machine, document,
// time, id, directory, operators, lock, free name. After any error, writing the same document again is safe.
func (s *Store) Write(ctx context.Context, src []byte) (Receipt, error) {
	receipts, err := s.WriteAll(ctx, []Source{{Text: src}})
	if err != nil {
		return Receipt{}, err
	}
	return receipts[0], nil
}

// WriteAll stores all documents or none, with one change. The receipts have the order of the sources. Errors are those
// of Write, joined if several documents have one.
func (s *Store) WriteAll(ctx context.Context, sources []Source) (_ []Receipt, err error) {
	defer func() { err = fault.Unpublished(err) }()
	accepted, err := s.accept(sources)
	if err != nil || len(accepted) == 0 {
		return nil, err
	}
	s.bringIn(ctx)
	docs := make([]store.Document, len(accepted))
	for i, d := range accepted {
		d.Size, d.Record, d.Source = len(d.Body), recordOf(d.Body), sources[i].File
		d.Text = func() ([]byte, error) { return document.Render(d.Document.Document), nil }
		docs[i] = d.Document
	}
	var notes []string
	outcomes, err := s.at.Write(ctx, docs, func(c *store.Change) {
		notes = append(s.firstNames(c.View, accepted), sharedTokens(c.View, accepted)...)
	}, nil)
	left := ""
	if s.opt.Outbox != "" && isReadOnly(err) {
		if left, err = s.leave(docs); err == nil {
			s.opt.Warn("the main work tree cannot be written from here: the next change from elsewhere stores " + left)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		s.opt.Warn(note)
	}
	if s.opt.Reader != nil { // a session that writes goes on with what it holds
		_, _ = s.Lifecycle().Renew(ctx, accepted[0].From, s.opt.Reader().Session)
	}
	return s.receipts(ctx, accepted, outcomes, left)
}

// receipts returns the receipts of what was stored, or left in the outbox at the path left.
func (s *Store) receipts(ctx context.Context, accepted []*accepted, outcomes []store.Outcome, left string) (
	receipts []Receipt, err error) {
	receipts = make([]Receipt, len(outcomes))
	for i, o := range outcomes {
		d := accepted[i]
		receipts[i] = Receipt{d.HandoffID, s.at.RelPath(o.File), d.Time, StatusCreated, d.verdict}
		switch {
		case left != "":
			receipts[i].Path, receipts[i].Status = left, StatusWaiting
		case o.IsExisting:
			if receipts[i].Status, err = s.again(ctx, d); err != nil {
				return nil, err
			}
		}
		if len(d.Redacted) > 0 {
			s.opt.Warn(fault.Prefixed(d.Name) + "redacted credentials by these rules: " +
				strings.Join(d.Redacted, ", "))
		}
	}
	return receipts, nil
}

// again opens a withdrawn handoff that its sender writes again, and returns the status for the receipt.
func (s *Store) again(ctx context.Context, d *accepted) (string, error) {
	e, err := s.Find(d.HandoffID)
	if err != nil || e.life.End == nil || e.life.End.Type != log.Withdraw {
		return StatusExisting, err
	}
	_, err = s.Act(ctx, ActReopen, e.ID, Who{Operator: d.From})
	return StatusChanged, err
}

// Try returns the error that WriteAll would have before it takes the lock. It writes nothing.
func (s *Store) Try(sources []Source) error {
	_, err := s.accept(sources)
	return err
}

// An accepted document is valid, has the id of its content, contains no credentials but the allowed ones, and may be
// stored.
type accepted struct {
	store.Document
	source    []byte // nil if it is no text
	isClaimed bool   // the source contains its id
	verdict   *Signature
	notes     []string // warnings for the writer
}

// accept runs all checks that precede the writing, in their order. The first that a document fails ends it, with the
// errors of all documents.
func (s *Store) accept(sources []Source) ([]*accepted, error) {
	if err := cmp.Or(s.at.Guard(), operators.CheckRules(s.opt.AllowSecrets)); err != nil {
		return nil, err
	}
	docs, errs := make([]*accepted, len(sources)), make([]error, len(sources))
	disk.Each(len(sources), runtime.GOMAXPROCS(0), func(i int) { docs[i], errs[i] = s.identify(sources[i]) })
	for _, d := range docs {
		for _, note := range d.notes {
			s.opt.Warn(fault.Prefixed(d.Name) + note)
		}
	}
	each := func(check func(*accepted) error) error {
		for i, d := range docs {
			if errs[i] == nil {
				errs[i] = check(d)
			}
		}
		return fault.Join(errs, func(err error) error { return err })
	}
	if err := each(s.screen); err != nil {
		return nil, err
	}
	rules := s.at.Rules()
	if err := s.at.CheckPlaces(); err != nil {
		return nil, err
	}
	if rules.Broken != nil && !rules.Off {
		return nil, rules.Broken
	}
	err := each(func(d *accepted) (err error) {
		rules.Document = d.Name
		if err = cmp.Or(CheckOperator(d.To), checkOperator(d.From)); err == nil {
			d.Verification, err = rules.Admit(d.From, d.To)
		}
		return err
	})
	if err == nil {
		err = each(func(d *accepted) error { return s.sign(d, rules) })
	}
	return docs, err
}

// identify parses and validates a source, and computes its id.
func (s *Store) identify(src Source) (*accepted, error) {
	d := &accepted{Document: store.Document{Name: src.Name}, source: src.Text}
	isMade := src.Make != nil
	src, redacted, err := src.resolve()
	if err != nil {
		return d, err
	}
	draft, note, err := parse(src, s.opt.Rules, s.opt.MaxDocumentBytes)
	if err != nil {
		return d, err
	}
	d.Document.Document, d.Redacted = draft.Document(), redacted
	d.addNotes(draft, note)
	if fault := document.CheckTime(d.Time, s.opt.Now()); fault != nil {
		fault.Line, fault.Column = draft.Locate(fault.Pointer)
		return d, &DocumentError{Name: src.Name, Faults: []Fault{*fault}}
	}
	id, err := document.ID(d.Document.Document)
	if err != nil {
		return d, fault.Invalid("", "%s%v", fault.Prefixed(src.Name), err)
	}
	if d.isClaimed = d.HandoffID != ""; d.isClaimed && d.HandoffID != id {
		return d, &IDMismatchError{Name: src.Name, Claimed: d.HandoffID, Computed: id}
	}
	d.HandoffID = id
	if _, is := kind.Extract(d.Body); !is && !isMade && kind.Announces(d.Body) {
		d.notes = append(d.notes, "the body is not exactly a record with its view: it is stored as text")
	}
	for _, bad := range relation.Of(d.References).Malformed {
		d.notes = append(d.notes, bad.Error()+", and says nothing: "+bad.Hint)
	}
	text := document.Render(d.Document.Document)
	if fault := document.CheckSize(text, s.opt.MaxDocumentBytes); fault != nil {
		return d, &DocumentError{Name: d.Name, Faults: []Fault{*fault}}
	}
	return d, nil
}

// addNotes adds what the writer must know about the text.
func (d *accepted) addNotes(draft *document.Draft, note string) {
	if note != "" {
		d.notes = append(d.notes, note)
	}
	if lines := draft.Comments; len(lines) > 0 {
		d.notes = append(d.notes, "comments in the frontmatter are not stored: line "+
			strings.Join(fault.Lines(lines, strconv.Itoa), ", "))
	}
}

// screen refuses a document with credentials, or redacts it if the options say so.
func (s *Store) screen(d *accepted) error {
	gate := operators.Gate{Allow: s.opt.AllowSecrets, Redact: s.opt.Redact}
	doc, v, err := gate.Document(d.Name, d.Document.Document, d.isClaimed)
	if found, is := errors.AsType[*DocumentError](err); is {
		found.MoveBody(form.LinesBefore(d.source, d.Body))
	}
	d.Document.Document, d.Allowed, d.Redacted = doc, v.Allowed, operators.RuleNames(append(d.Redacted, v.Redacted...))
	return err
}

// resolve returns the source with the document of Make.
func (src Source) resolve() (_ Source, redacted []string, err error) {
	if src.Make == nil {
		return src, nil, nil
	}
	m, err := src.Make()
	src.Fields = &m.Document
	return src, m.Redacted, err
}

// Parse validates src against the rules of the frontmatter and returns its document. HandoffID is the id that src
// contains, or "". Parse checks neither the time nor that id. maxBytes limits the size of src; 0 means
// DefaultMaxDocumentBytes. Faults are a *DocumentError.
func Parse(src Source, rules Rules, maxBytes int) (Document, error) {
	src, _, err := src.resolve()
	if err != nil {
		return Document{}, err
	}
	draft, _, err := parse(src, rules, maxBytes)
	if err != nil {
		return Document{}, err
	}
	return draft.Document(), nil
}

// parse returns a draft without faults that knows the places of its fields in src, and a note about its frontmatter.
func parse(src Source, rules Rules, maxBytes int) (draft *document.Draft, note string, err error) {
	if rules == nil {
		return nil, "", fault.Config("", "no rules are given")
	}
	if maxBytes == 0 {
		maxBytes = DefaultMaxDocumentBytes
	}
	switch {
	case src.Fields != nil:
		draft, _ = document.Compose(*src.Fields)
	case src.Given == nil:
		draft, _ = document.Parse(src.Text, maxBytes)
	default:
		var isWhole bool
		draft, isWhole, note = document.Read(src.Text, maxBytes,
			document.Filling{Given: *src.Given, Defaults: src.Defaults})
		if !isWhole {
			err = src.lacks(draft)
		}
	}
	if err != nil {
		return nil, "", err
	}
	if faults := draft.Check(rules); len(faults) > 0 {
		return nil, "", &DocumentError{Name: src.Name, Faults: faults}
	}
	return draft, note, nil
}

// lacks returns an error if a text for people lacks a text, a recipient or a sender.
func (src Source) lacks(d *document.Draft) error {
	switch name := fault.Prefixed(src.Name); {
	case d.Lacks("to"):
		return fault.Invalid("add --to NAME, or --to next for whoever works here next", "%sno recipient", name)
	case d.Lacks("from"):
		return fault.Invalid("run `handoff init --operator NAME`, or set HANDOFF_OPERATOR",
			"I don't know who you are")
	case strings.TrimSpace(d.Document().Body) == "" && !src.AllowEmpty:
		return fault.Invalid("write what the recipient needs; --allow-empty stores it as it is", "%sthe text is empty",
			name)
	}
	return nil
}

// PlainRules checks the frontmatter without a schema library. It accepts what schema.Frontmatter() accepts.
func PlainRules(head any) []Fault { return document.Shape(head) }

// AnnouncesRecord reports whether the body of a source may contain a record. Package record decides.
func AnnouncesRecord(src Source) bool {
	return kind.Announces(string(src.Text)) || src.Fields != nil && kind.Announces(src.Fields.Body)
}

// Redacted returns text with a mark in place of each credential, except those that the rules in allow find.
func Redacted(text string, allow []string) string {
	text, _ = operators.Redact(text, allow)
	return text
}

// CheckReason returns ErrInvalid for a reason of more than 2,000 bytes, or with a credential: reasons are kept for
// good.
func CheckReason(reason string) error { return operators.CheckReason(reason) }

// sign signs a new document with Options.Sign. The error is ErrDenied if the operators file requires a good signature
// and the document has none.
func (s *Store) sign(d *accepted, rules operators.Rules) error {
	verdict := Signature{State: SignatureUnsigned}
	if s.opt.Sign != nil {
		text := document.Render(d.Document.Document)
		keys, err := s.keys()
		if err == nil { // a good signature stays
			d.Signature, _ = s.at.Signature(d.HandoffID)
			verdict, _ = keys.Judge(d.From, text, d.Signature)
		}
		if err == nil && verdict.State != SignatureGood {
			if d.Signature, err = s.opt.Sign(SignatureNamespace, text); err == nil {
				verdict, err = keys.Judge(d.From, text, d.Signature)
			}
		}
		if err != nil {
			return fmt.Errorf("%s%w", fault.Prefixed(d.Name), err)
		}
		d.verdict = &verdict
	}
	keys := operators.Keys{Accepted: rules.List}
	if why := keys.Distrust(d.From, verdict); why != "" {
		return fault.Denied("sign it with --sign, and with a key that the operators file lists", "%s%s",
			fault.Prefixed(d.Name), why)
	}
	if d.verdict != nil && verdict.State != SignatureGood {
		s.opt.Warn(fault.Prefixed(d.Name) + "it is signed, but the signature is " + verdict.State +
			": list the key in ssh_keys of " + d.From + " in the operators file")
	}
	return nil
}
