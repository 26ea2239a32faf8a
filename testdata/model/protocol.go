package model

// The protocol: one command is a run of system calls. Before each call the state is kept, so that a kill, a power cut
// and a reader can be tried there.

// The rules of the protocol. The zero value is the protocol that holds; each field leaves a clause out, or reads a
// sentence of it in another way.
type rules struct {
	NoBodySync, NoDirSync, NoLogSync, NoStateSync    bool
	NoRewrite, SyncOnly, NoPinNoRewrite              bool // step 3
	RewriteLine, PinOnRewrite                        bool // only the last line; the pin is set after it
	LengthOnly, LongerOnly, PinRaw                   bool // wrong comparisons of end and pin
	CutOnRewriteFail, NoTruncate, PinEarly           bool // step 6
	KeepIncomplete, NoChain, CutComplete, AnyLine    bool // recovery; AnyLine: a whole line behind bad bytes is damage
	SyncCut, NoCut                                   bool
	AdoptNoSync, AdoptNoDir, AdoptRename             bool // adoption renames a synced copy over the file
	LogAtAppend, StateLate, FirstByFile, PrintStrict bool // the first change
	PruneFirst, LeftoverByName, MoveByName           bool
	NameOnly, EventFirst, NoNoteSync, PinLast        bool // PinLast: readers read the log, then the pin
	PinTorn                                          bool // a cut may mix two pins
	WeakDirs, TearsSame, NoPinB                      bool // assumptions about file system and users
}

const (
	clean = iota
	torn
	damage
)

// scan returns the number of lines in complete changes, and what follows them.
func scan(s *state, r *rules) (good int8, rest int) {
	cells := s.mem[:s.memLen]
	n := int8(len(cells))
	prev := int32(0)
	for good < n {
		size := whole(cells[good:], prev, r.NoChain)
		if size == 0 && r.KeepIncomplete && cells[good] != bad && lines[cells[good]].prev == prev {
			size = 1
		}
		if size == 0 {
			break
		}
		good += size
		prev = cells[good-1]
	}
	switch {
	case good == n:
		return good, clean
	case isDamage(cells[good:], good, r):
		return good, damage
	}
	return good, torn
}

// whole returns the length of the complete change at the beginning of cells, or 0. prev < 0 asks for no line before it.
func whole(cells []int32, prev int32, noChain bool) int8 {
	if len(cells) == 0 || cells[0] == bad {
		return 0
	}
	first := lines[cells[0]]
	if first.i != 1 || prev >= 0 && first.prev != prev || int(first.n) > len(cells) {
		return 0
	}
	for i := int8(1); i < first.n; i++ {
		if cells[i] == bad {
			return 0
		}
		l := lines[cells[i]]
		if l.n != first.n || l.i != i+1 || l.prev != cells[i-1] && !noChain {
			return 0
		}
	}
	return first.n
}

// isDamage says whether what follows the last complete change proves that a synced line is bad.
func isDamage(rest []int32, at int8, r *rules) bool {
	if !r.AnyLine { // a complete change is behind it
		for i := range rest {
			if whole(rest[i:], -1, false) > 0 {
				return true
			}
		}
		return false
	}
	var of line // as one may read it: a whole line of another change is behind it
	start := int8(0)
	for i, c := range rest {
		if c == bad {
			continue
		}
		l := lines[c]
		switch {
		case l.n == 1:
			return true
		case of.n == 0:
			of, start = l, at+int8(i)-l.i
		case l.n != of.n || at+int8(i)-l.i != start || rest[i-1] != bad && l.prev != rest[i-1]:
			return true
		}
	}
	return false
}

// What the log says of a document.
type facts struct {
	isLive, isPruned bool
	name             int8
	by               int32 // the line that says so
	mark             [2]int32
	take             int32
	taker            int8
}

func fold(s *state, good int8) (f [nDocs]facts) {
	for _, c := range s.mem[:good] {
		l := lines[c]
		h := &f[l.doc]
		switch l.kind {
		case evWrite:
			h.isLive, h.isPruned, h.name, h.by = true, false, l.name, c
		case evMark:
			if h.mark[l.user] == 0 {
				h.mark[l.user] = c
			}
		case evTake:
			h.take, h.taker = c, l.user
		case evPrune:
			h.isLive, h.isPruned = false, true
		case evLost:
			h.isLive = false
		}
	}
	return f
}

// Commands.
const (
	opWrite0 = iota
	opWrite1
	opBatch
	opMark
	opTake
	opPrune
	opRepair
	opCopy // not ours: somebody puts a document in the directory and syncs nothing
	nOps
)

var opNames = [...]string{"write d0", "write d1", "write d0 d1", "mark-read d0", "take d0", "prune d0",
	"verify --repair", "copy of d0 by hand"}

const skipped = -1

// A run is one command of user u that began in a state. failAt is the sync that fails.
type run struct {
	*rules
	s        state
	u        int8
	snaps    []state
	what     []string
	syncs    int
	failAt   int
	evict    bool
	code     int
	basis    int32 // the line that the answer rests on
	created  bool
	appended bool
	late     bool
	f        [nDocs]facts
}

type event struct{ kind, doc, name int8 }

func (x *run) at(call string) {
	x.snaps, x.what = append(x.snaps, x.s), append(x.what, call)
}

func (x *run) fails(call string) bool {
	x.at(call)
	x.syncs++
	if x.syncs == x.failAt {
		x.s.fails++
		x.s.serial++
		return true
	}
	return false
}

func (x *run) syncLog() bool {
	if x.fails("sync log") {
		x.s.loseLog()
		if x.evict {
			x.s.evict()
		}
		return false
	}
	x.s.syncLog()
	return true
}

func (x *run) syncDir() bool {
	if x.fails("sync directory") {
		if x.WeakDirs {
			x.s.nameLost = 1<<nNames - 1
		}
		return false
	}
	x.s.syncNames()
	return true
}

func (x *run) syncState() bool {
	if x.NoStateSync {
		return true
	}
	if x.fails("sync state directory") {
		return false
	}
	x.s.logDisk, x.s.printDisk = 1<<x.s.logName, 1<<x.s.printName
	return true
}

func (x *run) makeLog() {
	if x.s.logName == 0 {
		x.at("create log")
		x.s.logName = 1
		x.s.logDisk |= 2
	}
}

func (x *run) pinOf() int32 {
	if x.u == 1 && x.NoPinB {
		return 0
	}
	return x.s.pin[x.u]
}

// pinFits reports whether the pinned line is one of those that recovery keeps.
func (x *run) pinFits(good int8) bool {
	p := x.pinOf()
	if x.PinRaw { // one of the file
		good = x.s.memLen
	}
	return p == 0 || x.s.logName == 0 || good > lines[p].pos && (x.s.mem[lines[p].pos] == p || x.LengthOnly)
}

// begin is step 3, and what the first change does. It returns the exit code, or 0 to go on.
func (x *run) begin(repair bool) (good int8, wasBad bool, code int) {
	s := &x.s
	good, rest := scan(s, x.rules)
	if s.logName == 0 && !repair {
		for _, v := range s.name {
			if v != 0 {
				return 0, false, 6 // documents, no log
			}
		}
	}
	if s.logName == 1 && s.printName == 0 && (good > 0 || x.PrintStrict) {
		return 0, false, 6 // [CROSS-HOST-REFUSED]
	}
	isFirst := good == 0
	if x.FirstByFile {
		isFirst = s.logName == 0
	}
	if isFirst {
		if s.printName == 0 {
			x.at("name machine-fingerprint")
			s.printName = 1
			s.printDisk |= 2
		}
		if !x.LogAtAppend {
			x.makeLog()
		}
		if x.late = x.StateLate; !x.late && !x.syncState() {
			return 0, false, 1
		}
	}
	wasBad = rest == damage || !x.pinFits(good)
	if wasBad && !repair {
		return 0, true, 6
	}
	if rest != clean && !x.NoCut {
		x.at("cut the log")
		s.truncate(good)
		if x.SyncCut && !x.syncLog() {
			return 0, false, 1
		}
	}
	if good == 0 || x.NoRewrite || x.pinOf() == 0 && x.NoPinNoRewrite {
		return good, wasBad, 0
	}
	end := s.mem[good-1]
	p := x.pinOf()
	isPinned := p == end || p != 0 && x.LengthOnly && lines[p].pos == good-1
	if isPinned || p != 0 && x.LongerOnly {
		return good, wasBad, 0
	}
	start := good - lines[end].i
	if x.RewriteLine {
		start = good - 1
	}
	if x.CutComplete {
		x.at("cut the last change")
		s.truncate(start)
		return start, wasBad, 0
	}
	if !x.SyncOnly {
		for i := start; i < good; i++ {
			x.at("write the last change again")
			s.put(i, s.mem[i])
		}
	}
	if !x.syncLog() {
		if x.CutOnRewriteFail {
			x.at("truncate")
			s.truncate(start)
		}
		return 0, wasBad, 1
	}
	if x.PinOnRewrite && (x.u == 0 || !x.NoPinB) {
		x.at("pin")
		s.pin[x.u] = end
	}
	return good, wasBad, 0
}

// commit is steps 6 and 7.
func (x *run) commit(good int8, events []event) int {
	s := &x.s
	prev := int32(0)
	if good > 0 {
		prev = s.mem[good-1]
	}
	x.makeLog()
	if int(good)+len(events) > maxLog {
		return skipped
	}
	for i, e := range events {
		x.at("append line")
		prev = number(line{prev: prev, kind: e.kind, doc: e.doc, name: e.name, user: x.u, i: int8(i + 1),
			n: int8(len(events)), pos: good + int8(i), serial: s.serial})
		s.put(good+int8(i), prev)
	}
	x.appended = true
	if x.PinEarly {
		x.at("pin")
		s.pin[x.u] = prev
	}
	if !x.NoLogSync && !x.syncLog() {
		if !x.NoTruncate {
			x.at("truncate")
			s.truncate(good)
		}
		return 1
	}
	if x.u == 0 || !x.NoPinB {
		x.at("pin")
		s.pin[x.u] = prev
	}
	x.at("rename INDEX.md")
	s.index = synced
	if x.NoNoteSync {
		s.index = unsynced
	}
	s.indexDisk |= 1 << s.index
	x.rest(prev)
	return 0
}

// rest says that the answer rests on a line.
func (x *run) rest(l int32) {
	if x.basis == 0 || lines[l].pos > lines[x.basis].pos {
		x.basis = l
	}
}

func (x *run) write(docs ...int) int {
	body := int8(synced) // step 1: the temporary files
	if x.NoBodySync {
		body = unsynced
	}
	good, _, code := x.begin(false)
	if code != 0 {
		return code
	}
	s := &x.s
	x.f = fold(s, good)
	var events []event
	names := false
	for _, d := range docs {
		h := x.f[d]
		if h.isLive && s.holds(int(h.name), d) && !x.NameOnly {
			x.rest(h.by)
			continue
		}
		n := 0
		for ; n < nNames && s.name[n] != 0 && !s.holds(n, d); n++ {
		}
		switch {
		case n == nNames:
			return skipped
		case s.name[n] == 0:
			x.at("link")
			s.setName(n, file(d, body))
			names = true
		case x.NameOnly && h.isLive && int(h.name) == n:
			x.rest(h.by)
			continue
		case x.AdoptRename:
			x.at("rename over")
			s.setName(n, file(d, synced))
			names = true
		default:
			if !x.AdoptNoSync {
				x.at("sync document")
				s.syncFile(n)
			}
			names = names || !x.AdoptNoDir
		}
		events = append(events, event{evWrite, int8(d), int8(n)})
	}
	x.created = len(events) > 0
	sync := func() bool { return !names || x.NoDirSync || x.syncDir() }
	if !x.EventFirst && !sync() || x.late && !x.syncState() {
		return 1
	}
	if len(events) == 0 {
		return 0
	}
	if code = x.commit(good, events); code == 0 && x.EventFirst && !sync() {
		return 1
	}
	return code
}

func (x *run) act(kind int8) int {
	good, _, code := x.begin(false)
	if code != 0 {
		return code
	}
	x.f = fold(&x.s, good)
	h := x.f[0]
	switch {
	case !h.isLive:
		return skipped
	case kind == evMark && h.mark[x.u] != 0:
		x.rest(h.mark[x.u])
		return 0
	case kind == evTake && h.take != 0 && h.taker != x.u:
		x.rest(h.take)
		return 11
	case kind == evTake && h.take != 0:
		x.rest(h.take)
		return 0
	}
	unlink := func() {
		if x.s.holds(int(h.name), 0) {
			x.at("unlink")
			x.s.setName(int(h.name), 0)
		}
	}
	if kind == evPrune && x.PruneFirst {
		unlink()
	}
	code = x.commit(good, []event{{kind, 0, h.name}})
	if kind == evPrune && code == 0 {
		unlink()
	}
	return code
}

func (x *run) repair() int {
	good, wasBad, code := x.begin(true)
	if code != 0 {
		return code
	}
	s := &x.s
	var events []event
	if wasBad {
		events = append(events, event{evRecovered, 0, 0})
	}
	f := fold(s, good)
	x.f = f
	names := false
	listed := func(n int) bool {
		for d := range nDocs {
			if f[d].isLive && int(f[d].name) == n && s.holds(n, d) {
				return true
			}
		}
		return false
	}
	for d := range nDocs {
		h := f[d]
		n := int(h.name)
		if h.isPruned && s.name[n] != 0 && !listed(n) && (s.holds(n, d) || x.LeftoverByName) ||
			h.isPruned && x.LeftoverByName && s.name[n] != 0 {
			x.at("remove what prune left")
			s.setName(n, 0)
		}
		if h.isLive && !s.holds(n, d) {
			if s.name[n] != 0 && (!listed(n) && bodyOf(s.name[n]) == damaged || x.MoveByName) {
				x.at("move to kept")
				s.setName(n, 0)
				names = true
			}
			events = append(events, event{evLost, int8(d), h.name})
			f[d].isLive = false
		}
	}
	for n := range nNames {
		for d := range nDocs {
			if s.holds(n, d) && !f[d].isLive && !f[d].isPruned {
				if x.AdoptRename {
					x.at("rename a copy over")
					s.setName(n, file(d, synced))
				} else {
					x.at("sync document")
					s.syncFile(n)
				}
				names, f[d].isLive = true, true
				events = append(events, event{evWrite, int8(d), int8(n)})
			}
		}
	}
	if names && !x.syncDir() {
		return 1
	}
	if len(events) == 0 {
		return 0
	}
	return x.commit(good, events)
}

// do runs a command. Its last snapshot is the state after it.
func do(s state, r *rules, u int8, op, failAt int, evict bool) *run {
	x := &run{rules: r, s: s, u: u, failAt: failAt, evict: evict}
	x.s.commands++
	switch op {
	case opWrite0, opWrite1:
		x.code = x.write(op)
	case opBatch:
		x.code = x.write(0, 1)
	case opMark:
		x.code = x.act(evMark)
	case opTake:
		x.code = x.act(evTake)
	case opPrune:
		x.code = x.act(evPrune)
	case opRepair:
		x.code = x.repair()
	case opCopy:
		x.code = skipped
		if x.s.name[0] == 0 && x.s.logDisk == 2 {
			x.code = 0
			x.s.setName(0, file(0, unsynced))
		}
	}
	if (x.code == 0 || x.code == 11) && x.basis != 0 { // a refusal is a promise too
		if x.s.acked == 0 || lines[x.basis].pos > lines[x.s.acked].pos {
			x.s.acked = x.basis
		}
		if op == opTake && x.code == 0 {
			x.s.winner[0] |= 1 << u
		}
	}
	return x
}
