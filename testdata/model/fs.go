package model

// The file system and the format of the log.
//
// The log is a row of cells, one for each line. A cell has the number of a line, or bad: zeros, garbage or a part of a
// line. A line names the line before it (prev_hash), so its number stands for all that comes before it.

const (
	nDocs  = 2
	nNames = 3  // names that a document may get, in the order in which they are tried: both documents share them
	maxLog = 10 // lines
	bad    = 0  // a cell that is no line
)

// Kinds of events.
const (
	evWrite = iota + 1
	evMark
	evTake
	evPrune
	evRecovered // log.recovered
	evLost      // handoff.repair: the document is lost
)

// A line is one event. i of n is its place in a batch; serial makes the lines of repeated commands differ, as ts_utc
// does.
type line struct {
	prev            int32
	kind, doc, user int8
	name, i, n, pos int8
	serial          int8
}

var (
	lines   = []line{{pos: -1}} // number 0 is no line
	numbers = map[line]int32{}
)

func number(l line) int32 {
	id, ok := numbers[l]
	if !ok {
		id = int32(len(lines))
		lines, numbers[l] = append(lines, l), id
	}
	return id
}

// The body of a file with a document's name: what it is in memory.
const (
	synced   = 1 // whole, and on the disk
	unsynced = 2 // whole; a cut may damage it
	damaged  = 3
	unproved = 4 // whole; its sync failed, so that it counts as clean: no later sync writes it
)

func file(doc int, body int8) int8 { return int8(doc)*4 + body } // 0: no file
func docOf(v int8) int             { return int(v-1) / 4 }
func bodyOf(v int8) int8           { return (v-1)%4 + 1 }

// holds reports whether the file of name n is document d and verifies.
func (s *state) holds(n, d int) bool {
	v := s.name[n]
	return v > 0 && docOf(v) == d && bodyOf(v) != damaged
}

// A state is what memory shows, what the disk may show after a power cut, and what was promised to users.
type state struct {
	// the log
	mem    [maxLog]int32
	dur    [maxLog]int32    // on the disk for certain, if alt has nothing
	alt    [maxLog][4]int32 // else the disk may have one of these, or bad
	altN   [maxLog]int8
	memLen int8
	durLen int8
	sizes  uint16 // other lengths that the disk may show, as bits
	dirty  uint16 // cells that the next sync writes
	lost   uint16 // cells that a failed sync left clean, though the disk may lack them

	// the directories: values in memory, values that the disk may have (as bits), names that a failed sync left clean
	name                 [nNames]int8
	nameDisk             [nNames]uint16
	nameLost             uint8
	logName, logDisk     uint8
	printName, printDisk uint8 // machine-fingerprint; synced before its rename
	index, indexDisk     uint8 // INDEX.md with a note of a person: synced, unsynced, or damaged (empty)

	pin, pinDisk [2]int32 // 0 none; never synced

	// what is promised
	acked  int32 // the last line that a command with exit 0 rests on
	winner [nDocs]int8
	serial int8
	isRaw  bool // damage, or a file that somebody removed, was injected

	// budgets that were used
	commands, kills, cuts, fails int8
}

func newState() state {
	s := state{logDisk: 1, printDisk: 1, index: synced, indexDisk: 1 << synced}
	for n := range s.name {
		s.nameDisk[n] = 1
	}
	return s
}

func (s *state) put(i int8, v int32) { // pwrite of one line
	if i >= s.memLen {
		s.memLen = i + 1
		s.sizes |= 1 << s.memLen
	}
	s.mem[i] = v
	s.dirty |= 1 << i
	s.lost &^= 1 << i
	for k := int8(0); k < s.altN[i]; k++ {
		if s.alt[i][k] == v {
			return
		}
	}
	if int(s.altN[i]) == len(s.alt[i]) {
		panic("alt is too small")
	}
	s.alt[i][s.altN[i]] = v
	s.altN[i]++
}

func (s *state) truncate(n int8) {
	for i := n; i < s.memLen; i++ {
		s.mem[i] = 0
		s.dirty &^= 1 << i
	}
	s.memLen = n
	s.sizes |= 1 << n
}

func (s *state) syncLog() {
	for i := int8(0); i < maxLog; i++ {
		bit := uint16(1) << i
		switch {
		case i >= s.memLen: // a truncated block is free
			s.dur[i], s.altN[i], s.alt[i] = 0, 0, [4]int32{}
			s.lost &^= bit
		case s.dirty&bit != 0:
			s.dur[i], s.altN[i], s.alt[i] = s.mem[i], 0, [4]int32{}
		case i >= s.durLen:
			s.dur[i] = bad
		}
	}
	s.durLen, s.sizes, s.dirty = s.memLen, 0, 0
}

// loseLog is a sync, or the kernel's own writing, that failed.
func (s *state) loseLog() { s.lost, s.dirty = s.lost|s.dirty, 0 }

// evict makes memory forget the pages that a failed sync left clean.
func (s *state) evict() {
	for i := int8(0); i < s.memLen; i++ {
		if s.lost&(1<<i) != 0 {
			s.mem[i] = bad
			if i < s.durLen {
				s.mem[i] = s.dur[i]
			}
		}
	}
}

// isDurable reports whether the first n lines survive every cut.
func (s *state) isDurable(n int8) bool {
	if s.durLen < n || s.sizes&(1<<n-1) != 0 || s.logDisk != 2 {
		return false
	}
	for i := int8(0); i < n; i++ {
		for k := int8(0); k < s.altN[i]; k++ {
			if s.alt[i][k] != s.dur[i] {
				return false
			}
		}
	}
	return true
}

func (s *state) setName(n int, v int8) {
	s.name[n] = v
	s.nameDisk[n] |= 1 << v
	s.nameLost &^= 1 << n
}

func (s *state) syncNames() {
	for n := range s.name {
		if s.nameLost&(1<<n) == 0 {
			s.nameDisk[n] = 1 << s.name[n]
		}
	}
}

// syncFile syncs the document of a name.
func (s *state) syncFile(n int) {
	old := s.name[n]
	if old > 0 && bodyOf(old) == unsynced {
		s.name[n] = file(docOf(old), synced)
		if s.nameDisk[n]&(1<<old) != 0 {
			s.nameDisk[n] = s.nameDisk[n]&^(1<<old) | 1<<s.name[n]
		}
	}
}

// cut calls do with every state that a power cut can leave. all limits nothing: every combination is tried.
func (s *state) cut(r *rules, do func(*state)) {
	base := *s
	base.cuts++
	base.serial++
	base.sizes, base.dirty, base.lost, base.nameLost = 0, 0, 0, 0
	base.altN, base.alt = [maxLog]int8{}, [maxLog][4]int32{}
	var names func(n int, t state)
	names = func(n int, t state) {
		if n < nNames {
			for v := int8(0); v <= 4*nDocs; v++ {
				if s.nameDisk[n]&(1<<v) == 0 {
					continue
				}
				for _, w := range afterCut(v) {
					t.name[n], t.nameDisk[n] = w, 1<<w
					names(n+1, t)
				}
			}
			return
		}
		bits(uint16(s.logDisk), func(l int) {
			bits(uint16(s.printDisk), func(p int) {
				bits(uint16(s.indexDisk), func(x int) {
					for _, y := range afterCut(int8(x)) {
						t.index, t.indexDisk = uint8(y), 1<<y
						t.logName, t.logDisk = uint8(l), 1<<l
						t.printName, t.printDisk = uint8(p), 1<<p
						u := t
						if l == 0 {
							u.mem, u.dur, u.memLen, u.durLen = [maxLog]int32{}, [maxLog]int32{}, 0, 0
						}
						pins(s, u, r.PinTorn, do)
					}
				})
			})
		})
	}
	var cells func(i, size int8, t state)
	cells = func(i, size int8, t state) {
		if i == size {
			for ; i < maxLog; i++ {
				t.mem[i], t.dur[i] = 0, 0
			}
			t.memLen, t.durLen = size, size
			names(0, t)
			return
		}
		was := int32(bad)
		if i < s.durLen {
			was = s.dur[i]
		}
		seen := []int32{was}
		add := func(v int32) {
			for _, x := range seen {
				if x == v {
					return
				}
			}
			seen = append(seen, v)
		}
		for k := int8(0); k < s.altN[i]; k++ {
			if v := s.alt[i][k]; v != was || r.TearsSame {
				add(v)
				add(bad)
			}
		}
		for _, v := range seen {
			t.mem[i], t.dur[i] = v, v
			cells(i+1, size, t)
		}
	}
	bits(s.sizes|1<<s.durLen, func(size int) { cells(0, int8(size), base) })
}

// afterCut is what a cut makes of a file.
func afterCut(v int8) []int8 {
	if v == 0 || bodyOf(v) == synced || bodyOf(v) == damaged {
		return []int8{v}
	}
	return []int8{file(docOf(v), synced), file(docOf(v), damaged)}
}

// pins: each is on the disk, or the one before it, or it is empty.
func pins(s *state, t state, tears bool, do func(*state)) {
	of := func(u int) []int32 {
		p, old := s.pin[u], s.pinDisk[u]
		switch {
		case p == old:
			return []int32{p}
		case old == 0:
			return []int32{p, 0}
		case tears:
			mixed := number(line{pos: lines[p].pos, serial: 99}) // the offset of one, and the hash of the other
			return []int32{p, old, 0, mixed}
		}
		return []int32{p, old, 0}
	}
	for _, a := range of(0) {
		for _, b := range of(1) {
			u := t
			u.pin, u.pinDisk = [2]int32{a, b}, [2]int32{a, b}
			do(&u)
		}
	}
}

func bits(set uint16, do func(int)) {
	for i := 0; set>>i != 0; i++ {
		if set>>i&1 != 0 {
			do(i)
		}
	}
}
