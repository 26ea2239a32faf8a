package handoff

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Stored is a handoff that was read from the store, with its entry.
type Stored struct {
	Document
	Entry Entry
	Path  string // relative to the project root if inside it
	Text  []byte // the stored bytes

	Signature Signature
}

// Read returns the handoff with an id. id is a full id, a unique prefix of 4 or more hex digits with or without
// sha256:, a file name as in a receipt, or @ for the newest handoff to Options.Me that was shown
// here ([Seen]) and is not superseded, expired, archived or withdrawn. Case does not matter.
//
// Read proves that the content is as it was written. Otherwise the error is ErrIntegrity, and the content is returned
// with it for inspection. An unknown id, or a prefix of several ids, is ErrInvalid.
func (s *Store) Read(id string) (Stored, error) {
	e, err := s.Find(id)
	if err != nil {
		return Stored{}, err
	}
	got, err := s.Load(e)
	if err != nil {
		_, body, _ := document.Split(got.Text)
		got.Body = string(body)
	}
	return got, err
}

const minPrefix = 4 // the fewest hex digits of an id

// Find returns the entry of a handoff. id and errors are as in Read, but Find does not look at the document.
func (s *Store) Find(id string) (Entry, error) {
	if id == "@" {
		return s.newestToMe()
	}
	prefix := strings.TrimPrefix(strings.ToLower(id), form.IDPrefix)
	isFile := strings.HasSuffix(id, ".md")
	if !isFile && (len(prefix) < minPrefix || len(prefix) > 64 || !form.IsHex(prefix)) {
		return Entry{}, fault.Invalid("use 4 or more hex digits, a file name, or @", "%q is not an id", id)
	}
	look, err := s.look(false)
	if err != nil {
		return Entry{}, err
	}
	found := s.matching(look, id, prefix, isFile)
	switch len(found) {
	case 0:
		return Entry{}, s.unknown(look, id, prefix)
	case 1:
		return entry(look.View, found[0]), nil
	}
	var ids []string
	for _, h := range found {
		ids = append(ids, h.ID)
	}
	return Entry{}, fault.Invalid("add more digits", "%q matches %d handoffs: %s", id, len(ids), fault.Some(ids))
}

// matching returns the listed handoffs with an id or a file name.
func (s *Store) matching(look *store.Look, id, prefix string, isFile bool) (found []*facts.Handoff) {
	dir, name := filepath.Split(filepath.Clean(filepath.FromSlash(id)))
	switch {
	case isFile && dir != "" && !s.isNamed(dir):
		return nil
	case isFile:
		return slices.DeleteFunc(look.Listed(), func(h *facts.Handoff) bool { return h.File != name })
	}
	return slices.DeleteFunc(look.Listed(), func(h *facts.Handoff) bool {
		return !strings.HasPrefix(h.ID[len(form.IDPrefix):], prefix)
	})
}

// isNamed reports whether dir names the handoffs directory: as a path, or by its last names, as receipts do. Two
// projects can have files with the same names.
func (s *Store) isNamed(dir string) bool {
	if store.Within(s.opt.Dir, dir) && store.Within(dir, s.opt.Dir) {
		return true
	}
	const separator = string(filepath.Separator)
	for strings.HasPrefix(dir, ".."+separator) {
		dir = dir[len("..")+1:]
	}
	return dir != "" && strings.HasSuffix(s.opt.Dir+separator, separator+dir)
}

// unknown returns the error for an id that is not listed.
func (s *Store) unknown(look *store.Look, id, prefix string) error {
	h := look.Of(form.IDPrefix + prefix)
	switch {
	case h != nil && h.Pruned:
		return fault.Invalid("run `handoff import FILE` with the bundle that prune wrote", "%s was pruned", id)
	case h != nil && h.Lost:
		return fault.Invalid("write the document again", "%s is lost: its file was missing or damaged", id)
	}
	return s.at.UnknownID(id)
}

// newestToMe resolves @: the newest that was shown here, or the newest if none was. It fails if the operator is
// unknown.
func (s *Store) newestToMe() (e Entry, err error) {
	me := ""
	if s.opt.Me != nil {
		me = s.opt.Me()
	}
	if me == "" {
		return e, fault.Invalid("run `handoff init`, set HANDOFF_OPERATOR, or add --operator NAME",
			"I don't know who you are")
	}
	found, err := s.List(Filter{To: me})
	if err != nil {
		return e, err
	}
	seen := s.Seen()
	for _, one := range slices.Backward(found) {
		switch {
		case isStale(one.State):
		case seen.Has(one.ID):
			return one, nil
		case e.of == nil:
			e = one
		}
	}
	if e.of == nil {
		return e, fault.Invalid("run `handoff list` (in a new clone: `handoff sync`)", "no handoff is addressed to %s",
			fault.Own(me))
	}
	return e, nil
}

// FindEach returns the entries of ids, as Find does.
func (s *Store) FindEach(ids []string) (entries []Entry, err error) {
	for _, id := range ids {
		e, err := s.Find(id)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func idsOf(entries []Entry) (ids []string) {
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// Load returns the handoff of an entry from List. It proves the content as Read does.
func (s *Store) Load(e Entry) (got Stored, err error) {
	var failed error
	err = s.LoadEach([]Entry{e}, func(one Stored, why error) bool {
		got, failed = one, why
		return false
	})
	return got, cmp.Or(err, failed)
}

// LoadEach calls do with the result of Load for each entry, until do returns false.
func (s *Store) LoadEach(entries []Entry, do func(Stored, error) bool) error {
	if len(entries) == 0 {
		return nil
	}
	d, err := s.at.Open()
	if err != nil {
		return err
	}
	if d != nil {
		defer d.Close()
	}
	keys, err := s.keys()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !do(s.load(d, keys, e)) {
			break
		}
	}
	return nil
}

// load returns the proven handoff of an entry, with the result of verifying its signature.
func (s *Store) load(d *disk.Dir, keys operators.Keys, e Entry) (got Stored, err error) {
	got = Stored{Entry: e, Path: s.at.RelPath(e.File)}
	if e.of == nil {
		return got, s.at.UnknownID(e.ID)
	}
	if got.Document, got.Text, err = s.at.Load(d, e.of); err != nil {
		return got, err
	}
	doc, shown := got.Document, &got.Entry // the log may say something else
	shown.From, shown.To, shown.Topic, shown.Time, shown.Tags = doc.From, doc.To, doc.Topic, doc.Time, doc.Tags
	armored, err := s.at.Signature(e.ID)
	if err == nil {
		got.Signature, err = keys.Judge(doc.From, got.Text, armored)
	}
	return got, err
}

// keys returns what names the owners of keys: the user's allowed signers, and the accepted rules.
func (s *Store) keys() (operators.Keys, error) {
	look, err := s.look(true)
	if err != nil {
		return operators.Keys{}, err
	}
	return s.at.Keys(s.at.Accepted(look.View), operators.Namespace), nil
}

// Distrust returns what is missing if the accepted rules require a good signature of the sender, otherwise "". The body
// must then not be shown.
func (s *Store) Distrust(from string, sig Signature) (why string) {
	keys, err := s.keys()
	if err != nil {
		return fmt.Sprintf("cannot tell whether handoffs of %s must be signed: %v", from, err)
	}
	return keys.Distrust(from, sig)
}
