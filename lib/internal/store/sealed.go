package store

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A sealed is the entry of an archive in the cache disk.Sealed. With it, a search for unread handoffs or for
// names need not read the archive. It is valid as long as the archive has the stamp.
type sealed struct {
	Stamp  string   `json:"stamp"`
	Unread []string `json:"unread"` // recipients of handoffs that they have not marked as read
	Names  []string `json:"names"`  // senders and recipients
}

// KeepSealed updates the cache of archives, for commands that only read. It is best effort.
func (s *Store) KeepSealed() {
	d, err := s.Prover()
	if err != nil || d == nil {
		return
	}
	defer d.Close()
	known, now := s.sealed(), make(map[string]sealed)
	names, err := indexNames(d)
	for _, name := range names[1:] {
		stamp, _, stampErr := d.Stamp(name)
		a, ok := known[name]
		if stampErr == nil && a.Stamp != stamp {
			var text []byte
			if text, err = ReadIndex(d, name); err != nil {
				return
			}
			a, ok = describe(text)
			a.Stamp = stamp
		}
		if ok && stampErr == nil {
			now[name] = a
		}
	}
	if text, marshalErr := json.Marshal(now); err == nil && marshalErr == nil {
		s.Cache(disk.Sealed, text)
	}
}

// describe returns the cache entry for the text of an archive. ok is false if the archive was edited by hand:
// then it is read each time.
func describe(text []byte) (a sealed, ok bool) {
	for l := range index.Lines(AsString(text)) {
		switch {
		case !l.IsRow && !l.IsFurniture():
			return a, false
		case !l.IsRow:
			continue
		case l.Row.UnreadBy(""):
			a.Unread = append(a.Unread, l.Row.To)
		}
		a.Names = append(a.Names, l.Row.From, l.Row.To)
		if len(a.Names) > 1<<12 {
			a.Names = distinct(a.Names)
		}
	}
	a.Unread, a.Names = distinct(a.Unread), distinct(a.Names)
	return a, index.HasTable(text)
}

func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

func (s *Store) sealed() (all map[string]sealed) {
	if json.Unmarshal(s.Cached(disk.Sealed), &all) != nil {
		return nil
	}
	return all
}

// skipSealed returns a function that reports whether an archive need not be read, since done accepts its
// cache entry.
func (s *Store) skipSealed(d *disk.Dir, done func(sealed) bool) func(name string) bool {
	all := sync.OnceValue(s.sealed)
	return func(name string) bool {
		if v, ok := d.View().(*dirView); ok {
			if v.once.Do(v.read); v.lags || v.err != nil {
				return false // the files lag behind the journal
			}
		}
		a, known := all()[name]
		if !known {
			return false
		}
		stamp, _, err := d.Stamp(name)
		return err == nil && stamp == a.Stamp && done(a)
	}
}

// SkipRead returns the Skip of a Choice of handoffs that recipient has not marked as read.
func (s *Store) SkipRead(d *disk.Dir, recipient string) func(name string) bool {
	isTo := func(to string) bool { return document.IsTo(to, recipient) }
	return s.skipSealed(d, func(a sealed) bool { return !slices.ContainsFunc(a.Unread, isTo) })
}
