package facts

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"maps"
	"reflect"
	"slices"
	"time"
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
	head := v.general
	head.Places, head.Lost = maps.Clone(v.Places), maps.Clone(v.Lost)
	var halves [2][]*Handoff
	for _, h := range v.all {
		half := &halves[1]
		if first[h] {
			half = &halves[0]
		}
		*half = append(*half, h)
		for _, t := range h.Turns {
			t.Place, t.IsLost = v.Places[t.ID], v.Lost[t.ID]
			delete(head.Places, t.ID)
			delete(head.Lost, t.ID)
		}
	}
	return encode(head, halves[0]), encode(general{At: v.At}, halves[1])
}

// isSettled reports whether no event about a handoff waits for its time, and no turn is recent.
func (v View) isSettled(h *Handoff) bool {
	waits := func(at time.Time) bool {
		_, hasEffect := v.TimeOf(h, at)
		return !hasEffect
	}
	return !slices.ContainsFunc(h.Notes, func(n Note) bool { return waits(n.At) }) &&
		!slices.ContainsFunc(h.Turns, func(t *Turn) bool { return waits(t.At) || v.Now.Sub(t.At) < recently })
}

var errSnapshot = errors.New("not a snapshot")

// Restore returns the facts of a snapshot, for the log to be read on from At. Without closed, handoffs that need no
// work are left out: ask [Facts.IsWhole] after reading the log. It fails if a file is damaged, or if the files are not
// of one snapshot.
func Restore(open, closed []byte) (*Facts, error) {
	f := New()
	head, all, ok := decode(open)
	if !ok || head.Places == nil || head.Lost == nil || head.Known == nil || head.Seals == nil ||
		head.Others == nil || head.Sync.Logs == nil {
		return nil, errSnapshot
	}
	f.general = head
	if f.isPart = closed == nil; !f.isPart {
		head, rest, ok := decode(closed)
		if !ok || head.At != f.At {
			return nil, errSnapshot
		}
		all = append(all, rest...)
		slices.SortFunc(all, func(a, b *Handoff) int { return a.Order - b.Order })
	}
	for _, h := range all {
		f.insert(h)
		for _, t := range h.Turns {
			if t.Place > 0 {
				f.Places[t.ID] = t.Place
			}
			if t.IsLost {
				f.Lost[t.ID] = true
			}
		}
	}
	return f, nil
}

// IsWhole reports whether the facts say all about the handoffs that need work. Otherwise the log has an event that
// closed handoffs decide about.
func (f *Facts) IsWhole() bool { return !f.lacks }

// encode returns one of the two files.
func encode(head general, all []*Handoff) []byte {
	made, _ := json.Marshal(head) // its rules were JSON before
	text, c := string(made), &codec{}
	c.value(reflect.ValueOf(&text).Elem())
	c.value(reflect.ValueOf(&all).Elem())
	return seal(c.made)
}

// seal puts a checksum in front of text.
func seal(text []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(text)), text...)
}

// decode is the inverse of encode.
func decode(file []byte) (head general, all []*Handoff, ok bool) {
	if len(file) < 4 || binary.BigEndian.Uint32(file) != crc32.ChecksumIEEE(file[4:]) {
		return head, nil, false
	}
	text, c := "", &codec{text: string(file[4:]), isRead: true}
	c.value(reflect.ValueOf(&text).Elem())
	c.value(reflect.ValueOf(&all).Elem())
	ok = !c.isWrong && c.text == "" && json.Unmarshal([]byte(text), &head) == nil
	return head, all, ok
}

// A codec writes values, or reads them. What it reads shares one text, so that a large snapshot is read quickly.
type codec struct {
	made    []byte // what was written
	text    string // what is to be read
	isRead  bool
	isWrong bool // the text is not what was written
}

// number writes n, or returns the number that is read.
func (c *codec) number(n int64) int64 {
	if !c.isRead {
		c.made = binary.AppendVarint(c.made, n)
		return n
	}
	n, used := binary.Varint([]byte(c.text[:min(len(c.text), binary.MaxVarintLen64)]))
	if used <= 0 {
		c.isWrong, used = true, 0
	}
	c.text = c.text[used:]
	return n
}

// length writes or reads how many bytes or items follow. Each of them takes at least one byte.
func (c *codec) length(n int) int {
	read := c.number(int64(n))
	if c.isRead && (read < 0 || read > int64(len(c.text))) {
		c.isWrong, read = true, 0
	}
	return int(read)
}

// value writes or reads a value. Of a struct it has the exported fields; a pointer is not nil.
func (c *codec) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		v.SetInt(c.number(v.Int()))
	case reflect.Bool:
		n := int64(0)
		if v.Bool() {
			n = 1
		}
		v.SetBool(c.number(n) == 1)
	case reflect.String:
		n := c.length(v.Len())
		if !c.isRead {
			c.made = append(c.made, v.String()...)
			return
		}
		v.SetString(c.text[:n])
		c.text = c.text[n:]
	case reflect.Slice:
		n := c.length(v.Len())
		if c.isRead && n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := 0; i < n && !c.isWrong; i++ {
			c.value(v.Index(i))
		}
	case reflect.Pointer:
		if c.isRead {
			v.Set(reflect.New(v.Type().Elem()))
		}
		c.value(v.Elem())
	case reflect.Struct:
		if at, is := v.Addr().Interface().(*time.Time); is {
			c.time(at)
			return
		}
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() {
				c.value(field)
			}
		}
	}
}

func (c *codec) time(at *time.Time) {
	n := c.number(at.UnixMicro())
	if *at = time.UnixMicro(n).UTC(); n == noTime {
		*at = time.Time{}
	}
}

var noTime = time.Time{}.UnixMicro()
