package handoff

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
)

// Seen has what was shown to an operator in a session on this machine. It is a file in the user's state: the handoff
// that was read last, then a word for each that was shown, the newest first. The file can be lost, and changes nothing
// in the store.
type Seen struct {
	s     *Store
	file  string   // "" if nothing is kept
	last  string   // the beginning of the id of the handoff that was read last
	words []string // the beginnings of ids
}

const (
	mostSeen   = 1000
	seenDigits = 16
)

// Seen returns what was shown to Options.Reader.
func (s *Store) Seen() *Seen {
	seen := &Seen{s: s}
	if s.opt.Reader == nil {
		return seen
	}
	who := s.opt.Reader()
	seen.file = json.SHA256Hex([]byte(who.Operator + " " + who.Session))[:seenDigits]
	if lines := strings.Split(string(s.at.ReadNote(seen.file)), "\n"); len(lines) > 1 {
		seen.last, seen.words = lines[0], lines[1:]
	}
	return seen
}

func seenWord(id string) string {
	id = strings.TrimPrefix(id, form.IDPrefix)
	return id[:min(seenDigits, len(id))]
}

// Has reports whether a handoff was shown.
func (seen *Seen) Has(id string) bool { return slices.Contains(seen.words, seenWord(id)) }

// Add notes that handoffs were shown, the newest last.
func (seen *Seen) Add(ids ...string) {
	known, words := map[string]bool{}, []string(nil)
	for _, word := range seen.words {
		known[word] = true
	}
	isNew := false
	for _, id := range slices.Backward(ids[max(0, len(ids)-mostSeen):]) {
		words = append(words, seenWord(id))
		isNew = isNew || !known[words[len(words)-1]]
	}
	if !isNew {
		return
	}
	clear(known)
	seen.words = slices.DeleteFunc(append(words, seen.words...), func(word string) bool {
		was := known[word]
		known[word] = true
		return was
	})
	seen.save()
}

// AddRead notes that a handoff was read.
func (seen *Seen) AddRead(id string) {
	if word := seenWord(id); seen.last != word || !seen.Has(id) {
		seen.last = word
		seen.words = append([]string{word}, seen.words...)
		seen.save()
	}
}

// save keeps the notes as well as it can.
func (seen *Seen) save() {
	if seen.file != "" {
		words := seen.words[:min(len(seen.words), mostSeen)]
		seen.s.at.WriteNote(seen.file, []byte(seen.last+"\n"+strings.Join(words, "\n")))
	}
}

// Last returns the handoff that was read last. ok is false if none was, or if it is superseded, expired, archived or
// withdrawn.
func (seen *Seen) Last() (e Entry, ok bool) {
	if seen.last == "" {
		return e, false
	}
	e, err := seen.s.Find(seen.last)
	return e, err == nil && !isStale(e.State)
}

// Newer returns the unread handoffs to an operator that came in after one and were not shown, the newest last.
func (seen *Seen) Newer(operator string, after Entry) (all []Entry) {
	if after.of == nil || operator == "" {
		return nil
	}
	unread, err := seen.s.List(Filter{To: operator, Unread: true})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(unread, func(e Entry) bool { return e.of.Order <= after.of.Order || seen.Has(e.ID) })
}
