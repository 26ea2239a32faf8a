package facts

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"maps"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// recently is how long a turn keeps a handoff among those that are read first.
const recently = 7 * 24 * time.Hour

// Snapshot returns the facts as two files: of the handoffs that are unread or held as the view judges them, or that
// had a turn in the last week, with those that supersede one of them, and of all others. Each has a checksum, and
// both name the point of the log.
func (v View) Snapshot() (open, closed []byte) {
	first := map[*Handoff]bool{}
	for _, h := range v.all {
		if l := v.Life(h); !v.isSettled(h) || !h.Pruned && (h.IsUnread(l, "") || l.IsHeld()) {
			first[h] = true
			for _, by := range v.newer[h.ID] {
				first[by] = true
			}
		}
	}
	half := func(isFirst bool) []*Handoff {
		return slices.DeleteFunc(slices.Clone(v.all), func(h *Handoff) bool { return first[h] != isFirst })
	}
	return v.encode(half(true), true), v.encode(half(false), false)
}

// isSettled reports whether no event about a handoff waits for its time, and no turn is recent.
func (v View) isSettled(h *Handoff) bool {
	waits := func(at time.Time) bool {
		_, hasEffect := v.TimeOf(h, at)
		return !hasEffect
	}
	return !slices.ContainsFunc(h.notes, func(n note) bool { return waits(n.at) }) &&
		!slices.ContainsFunc(h.turns, func(t *Turn) bool { return waits(t.At) || v.Now.Sub(t.At) < recently })
}

var errSnapshot = errors.New("not a snapshot")

// Restore returns the facts of a snapshot, for the log to be read on from At. Without closed, handoffs that need no
// work are left out: ask [Facts.IsWhole] after reading the log. It fails if a file is damaged, or if the files are not
// of one snapshot.
func Restore(open, closed []byte) (*Facts, error) {
	f := New()
	if err := f.decode(open, true); err != nil {
		return nil, err
	}
	if f.isPart = closed == nil; f.isPart {
		return f, nil
	}
	at := f.At
	if err := f.decode(closed, false); err != nil || f.At != at {
		return nil, errSnapshot
	}
	slices.SortFunc(f.all, func(a, b *Handoff) int { return a.Order - b.Order })
	return f, nil
}

// IsWhole reports whether the facts say all about the handoffs that need work. Otherwise the log has an event that
// closed handoffs decide about.
func (f *Facts) IsWhole() bool { return !f.lacks }

// encode returns one of the two files.
func (f *Facts) encode(all []*Handoff, isOpen bool) []byte {
	c := &codec{}
	f.code(c, &all, isOpen)
	return seal(c.made)
}

// seal puts a checksum in front of text.
func seal(text []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(text)), text...)
}

// decode adds one of the two files.
func (f *Facts) decode(file []byte, isOpen bool) error {
	if len(file) < 4 || binary.BigEndian.Uint32(file) != crc32.ChecksumIEEE(file[4:]) {
		return errSnapshot
	}
	c, all := &codec{text: string(file[4:]), isRead: true}, []*Handoff(nil)
	f.code(c, &all, isOpen)
	if c.isWrong || c.text != "" {
		return errSnapshot
	}
	for _, h := range all {
		f.insert(h)
	}
	return nil
}

// code writes or reads a file: the point, in the first one what is not about handoffs that are here, and handoffs.
func (f *Facts) code(c *codec, all *[]*Handoff, isOpen bool) {
	at := f.At.String()
	c.word(&at)
	f.At, _ = log.ParsePoint(at)
	if isOpen {
		f.codeStore(c)
	}
	list(c, all, func(h **Handoff) {
		if c.isRead {
			*h = &Handoff{}
		}
		f.codeHandoff(c, *h)
	})
}

func (f *Facts) codeStore(c *codec) {
	rules, _ := json.Marshal(f.Rules) // it was JSON before
	text := string(rules)
	for _, s := range []*string{&f.Writer, &f.Sync.Remote, &text} {
		c.word(s)
	}
	if c.isRead && json.Unmarshal([]byte(text), &f.Rules) != nil {
		c.isWrong = true
	}
	c.time(&f.Recovered)
	c.words(&f.Sync.Missing)
	c.int(&f.Count)
	c.int(&f.listed)
	logs := slices.Sorted(maps.Keys(f.Sync.Logs))
	list(c, &logs, func(name *string) {
		c.word(name)
		r := f.Sync.Logs[*name]
		through := r.Through.String()
		c.word(&r.End)
		c.word(&through)
		r.Through, _ = log.ParsePoint(through)
		f.Sync.Logs[*name] = r
	})
	keys := slices.Sorted(maps.Keys(f.seals))
	list(c, &keys, func(key *string) {
		c.word(key)
		ids := slices.Sorted(maps.Keys(f.seals[*key]))
		c.words(&ids)
		f.seals[*key] = map[string]bool{}
		for _, id := range ids {
			f.seals[*key][id] = true
		}
	})
	others := slices.Sorted(maps.Keys(f.others))
	c.words(&others)
	for _, id := range others {
		f.others[id] = true
	}
	acted, sentTo := f.Names()
	for _, names := range []*[]string{&acted, &sentTo} {
		c.words(names)
		for _, name := range *names {
			f.addName(name, names == &acted)
		}
	}
	away := f.away()
	list(c, &away, func(id *string) {
		c.word(id)
		f.codePlace(c, *id)
	})
}

// away returns the ids of turns that are not here and that a sync.read or sync.lost names.
func (f *Facts) away() []string {
	ids := maps.Clone(f.lost)
	for id := range f.places {
		ids[id] = true
	}
	for _, h := range f.all {
		for _, t := range h.turns {
			delete(ids, t.ID)
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

func (f *Facts) codePlace(c *codec, id string) {
	place, isLost := f.places[id], f.lost[id]
	c.int(&place)
	c.flag(&isLost)
	if c.isRead && place > 0 {
		f.places[id] = place
	}
	if c.isRead && isLost {
		f.lost[id] = true
	}
}

func (f *Facts) codeHandoff(c *codec, h *Handoff) {
	for _, s := range []*string{&h.ID, &h.File, &h.From, &h.To, &h.Topic, &h.Time, &h.Source, &h.Record.Kind,
		&h.Record.Task, &h.Record.Token, &h.Verification} {
		c.word(s)
	}
	c.words(&h.Tags)
	c.words(&h.refs)
	c.int(&h.Order)
	c.flag(&h.Pruned)
	c.flag(&h.Lost)
	c.time(&h.at)
	list(c, &h.notes, func(n *note) {
		c.word(&n.kind)
		c.word(&n.operator)
		c.word(&n.id)
		c.time(&n.at)
		c.flag(&n.isOwn)
	})
	list(c, &h.turns, func(turn **Turn) {
		if c.isRead {
			*turn = &Turn{}
		}
		t := *turn
		for _, s := range []*string{&t.ID, &t.Type, &t.Operator, &t.Session, &t.Note} {
			c.word(s)
		}
		c.time(&t.At)
		c.time(&t.Until)
		c.words(&t.Of)
		c.flag(&t.Over)
		c.flag(&t.IsOwn)
		f.codePlace(c, t.ID)
	})
}

// A codec writes values, or reads them. So each type has its fields in one list.
type codec struct {
	made    []byte // what was written
	text    string // what is to be read
	isRead  bool
	isWrong bool // the text is not what was written
}

func (c *codec) number(n *int64) {
	if !c.isRead {
		c.made = binary.AppendVarint(c.made, *n)
		return
	}
	value, used := binary.Varint([]byte(c.text[:min(len(c.text), binary.MaxVarintLen64)]))
	if used <= 0 {
		c.isWrong, value, used = true, 0, 0
	}
	*n, c.text = value, c.text[used:]
}

func (c *codec) int(n *int) {
	long := int64(*n)
	c.number(&long)
	*n = int(long)
}

func (c *codec) flag(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	c.int(&n)
	*b = n == 1
}

func (c *codec) time(t *time.Time) {
	n := t.UnixMicro()
	c.number(&n)
	if *t = time.UnixMicro(n).UTC(); n == noTime {
		*t = time.Time{}
	}
}

var noTime = time.Time{}.UnixMicro()

// count writes or reads a number of bytes or items. An item takes a byte or more.
func (c *codec) count(n int) int {
	c.int(&n)
	if c.isRead && (n < 0 || n > len(c.text)) {
		c.isWrong, n = true, 0
	}
	return n
}

func (c *codec) word(s *string) {
	n := c.count(len(*s))
	if !c.isRead {
		c.made = append(c.made, *s...)
		return
	}
	*s, c.text = c.text[:n], c.text[n:]
}

func (c *codec) words(s *[]string) { list(c, s, c.word) }

func list[T any](c *codec, items *[]T, do func(*T)) {
	n := c.count(len(*items))
	if c.isRead && n > 0 {
		*items = make([]T, n)
	}
	for i := range *items {
		if do(&(*items)[i]); c.isWrong {
			return
		}
	}
}
