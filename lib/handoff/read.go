package handoff

import (
	"cmp"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Stored is a handoff that was read from the store, with its entry in the index.
type Stored struct {
	Document
	Entry Entry
	Path  string // relative to the project root if inside it
	Text  []byte // the stored bytes

	Signature Signature
}

// Read returns the handoff with an id. id is a full id, a unique prefix of 4 or more hex digits with or without
// sha256:, a file name as in a receipt, or @ for the newest handoff to Options.Me that is neither archived nor
// withdrawn. Case does not matter.
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

// Find returns the entry of a handoff. id and errors are as in Read, but Find does not look at the document.
func (s *Store) Find(id string) (Entry, error) {
	if id == store.Newest {
		return s.newestToMe()
	}
	d, err := s.reader(id)
	if err != nil {
		return Entry{}, err
	}
	defer d.Close()
	return s.at.Find(d, id)
}

// newestToMe resolves @. It fails if the operator is unknown.
func (s *Store) newestToMe() (Entry, error) {
	me := ""
	if s.opt.Me != nil {
		me = s.opt.Me()
	}
	if me == "" {
		return Entry{}, fault.Invalid("run `handoff init`, set HANDOFF_OPERATOR, or add --operator NAME",
			"I don't know who you are")
	}
	found, err := s.List(Filter{To: me, Present: true, Newest: 1})
	if err != nil || len(found) == 0 {
		return Entry{}, cmp.Or(err, fault.Invalid("run `handoff list`", "no handoff is addressed to %s", me))
	}
	return found[len(found)-1], nil
}

// reader opens the handoffs directory to read a handoff. In a store that does not exist, every id is unknown.
func (s *Store) reader(id string) (*disk.Dir, error) {
	d, err := s.at.Reader()
	if err == nil && d == nil {
		err = store.UnknownID(id, s.opt.Dir)
	}
	return d, err
}

// FindEach returns the entries of ids, as Find does. It reads the index once for all full ids.
func (s *Store) FindEach(ids []string) (entries []Entry, err error) {
	rows := store.Lookup{Store: s.at}
	for _, id := range ids {
		row, found, err := rows.Row(id)
		if err == nil && !found { // not a full id
			row, err = s.Find(id)
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, row)
	}
	return entries, nil
}

// Load returns the handoff of an entry from List. It proves the content as Read does.
func (s *Store) Load(e Entry) (Stored, error) {
	d, err := s.reader(e.ID)
	if err != nil {
		return Stored{}, err
	}
	defer d.Close()
	return s.load(d, e)
}

// LoadEach calls do with the result of Load for each entry, until do returns false.
func (s *Store) LoadEach(entries []Entry, do func(Stored, error) bool) error {
	if len(entries) == 0 {
		return nil
	}
	d, err := s.reader(entries[0].ID)
	if err != nil {
		return err
	}
	defer d.Close()
	for _, e := range entries {
		if !do(s.load(d, e)) {
			break
		}
	}
	return nil
}
