package model

import (
	"fmt"
	"hash/maphash"
	"strings"
)

// A bound limits a path from an empty store.
type bound struct {
	commands, kills, cuts, fails, states int
	ops                                  []int
	damage                               bool // also try what bad bytes, removed files and repairs lead to
}

// A node is a state and how it was reached.
type node struct {
	s      state
	parent int32
	how    string
}

type explorer struct {
	*rules
	bound
	nodes   []node
	seen    map[uint64]bool
	found   map[string]string // property: the first trace that breaks it
	edges   int
	cuts    int
	damages int
	enough  func() bool // whether to stop
}

var seed = maphash.MakeSeed()

func (e *explorer) add(s *state, parent int32, how func() string) {
	h := maphash.Comparable(seed, *s)
	if e.seen[h] || len(e.nodes) >= e.states {
		return
	}
	e.seen[h] = true
	e.nodes = append(e.nodes, node{*s, parent, how()})
}

func (e *explorer) fail(property string, parent int32, how ...string) {
	if _, ok := e.found[property]; ok {
		return
	}
	for ; parent > 0; parent = e.nodes[parent].parent {
		how = append([]string{e.nodes[parent].how}, how...)
	}
	e.found[property] = strings.Join(how, "; ")
}

// check checks what must hold in every state that memory shows. It returns the property that does not.
func (e *explorer) check(s *state) string {
	good, rest := scan(s, e.rules)
	if !s.isRaw {
		if rest == damage {
			return "stop"
		}
		if a := lines[s.acked]; s.acked != 0 && (good <= a.pos || s.mem[a.pos] != s.acked) {
			return "G1 event"
		}
	}
	for i := int8(0); i < good; { // a batch is whole
		n := whole(s.mem[i:good], -1, false)
		if n == 0 || i > 0 && lines[s.mem[i]].prev != s.mem[i-1] {
			return "G3"
		}
		i += n
	}
	for d, h := range fold(s, good) {
		if h.isLive && !s.holds(int(h.name), d) && !s.isRaw {
			if s.acked != 0 && lines[h.by].pos <= lines[s.acked].pos {
				return "G1 document"
			}
			return "G4"
		}
	}
	if s.index == damaged {
		return "note in INDEX.md"
	}
	if s.winner[0] == 3 {
		return "one winner"
	}
	return ""
}

// visible checks what readers see before each call: at most the last change may be undurable, and a pin that was read
// before the log must fit.
func (e *explorer) visible(x *run, before *state) string {
	for i := range x.snaps {
		s := &x.snaps[i]
		good, _ := scan(s, e.rules)
		last := good
		if good > 0 {
			last -= lines[s.mem[good-1]].n
		}
		if last > 0 && !s.isDurable(last) {
			return "one unsynced"
		}
		for u := range s.pin {
			p := before.pin[u]
			if e.PinLast {
				p = x.s.pin[u]
			}
			if p != 0 && (s.memLen <= lines[p].pos || s.mem[lines[p].pos] != p) {
				return "reader warned"
			}
		}
	}
	return ""
}

// outcome checks what a command answered.
func (e *explorer) outcome(x *run, before *state, op, failAt int) string {
	s := &x.s
	switch {
	case x.code == 6 && !before.isRaw:
		return "stop"
	case x.code == 1 && failAt == 0:
		return "exit 1 without a cause"
	}
	if x.code == 0 && x.created && op <= opBatch && !before.isRaw {
		for d, h := range x.f {
			if (op == d || op == opBatch) && h.isLive && before.holds(int(h.name), d) {
				for _, c := range s.mem[lines[x.basis].pos:s.memLen] {
					l := lines[c]
					if c != bad && int(l.doc) == d && l.kind == evWrite && c != h.by && l.pos > lines[h.by].pos {
						return "twice"
					}
				}
			}
		}
	}
	if good, _ := scan(s, e.rules); x.appended && !s.isDurable(good) {
		return "G5 after the command"
	}
	for n, v := range before.name { // nothing is removed but by prune, or because it is damaged
		if v > 0 && bodyOf(v) != damaged && s.name[n] == 0 && op != opPrune {
			good, _ := scan(s, e.rules)
			if h := fold(s, good)[docOf(v)]; !h.isPruned {
				return "removed"
			}
		}
	}
	return ""
}

func (e *explorer) explore() {
	s := newState()
	e.seen, e.found = map[uint64]bool{}, map[string]string{}
	e.add(&s, -1, func() string { return "" })
	for at := int32(0); int(at) < len(e.nodes); at++ {
		if e.enough != nil && e.enough() {
			return
		}
		s := e.nodes[at].s
		e.cutAt(&s, at, "", "idle")
		if e.damage {
			e.tryDamage(&s, at)
		}
		if s.lost != 0 {
			t := s
			t.evict()
			if p := e.check(&t); p != "" {
				e.fail(p, at, "pages evicted")
			}
			e.add(&t, at, func() string { return "pages evicted" })
		}
		if int(s.commands) == e.commands {
			continue
		}
		for _, op := range e.ops {
			for u := int8(0); u < 2; u++ {
				if op == opCopy && u == 1 {
					continue
				}
				x := e.step(&s, at, u, op, 0, false)
				for f := 1; x != nil && f <= x.syncs && int(s.fails) < e.fails; f++ {
					e.step(&s, at, u, op, f, false)
					e.step(&s, at, u, op, f, true)
				}
			}
		}
	}
}

// step runs one command to its end, and stops it everywhere.
func (e *explorer) step(s *state, at int32, u int8, op, failAt int, evict bool) *run {
	x := do(*s, e.rules, u, op, failAt, evict)
	if x.code == skipped {
		return nil
	}
	e.edges++
	name := fmt.Sprintf("%c %s", 'A'+rune(u), opNames[op])
	if failAt > 0 {
		name += fmt.Sprintf(" (sync %d fails)", failAt)
	}
	end := func() string { return fmt.Sprintf("%s: %d", name, x.code) }
	if p := e.visible(x, s); p != "" {
		e.fail(p, at, name)
	}
	if p := e.outcome(x, s, op, failAt); p != "" {
		e.fail(p, at, end())
	} else if p := e.check(&x.s); p != "" {
		e.fail(p, at, end())
	}
	e.add(&x.s, at, end)
	for i := range x.snaps {
		t := x.snaps[i]
		if i > 0 && t == x.snaps[i-1] {
			continue
		}
		e.cutAt(&t, at, name, x.what[i])
		if int(t.kills) < e.kills {
			t.kills++
			t.serial++
			e.add(&t, at, func() string { return name + " killed before " + x.what[i] })
			if int(t.fails) < e.fails && t.dirty != 0 {
				t.fails++ // the kernel writes by itself, fails, and nobody hears of it
				t.loseLog()
				e.add(&t, at, func() string { return name + " killed before " + x.what[i] + ", pages lost" })
			}
		}
	}
	return x
}

func (e *explorer) cutAt(s *state, at int32, name, before string) {
	if int(s.cuts) == e.bound.cuts {
		return
	}
	s.cut(e.rules, func(t *state) {
		e.cuts++
		how := func() string { return fmt.Sprintf("%s power cut before %s, leaves %s", name, before, t) }
		if p := e.check(t); p != "" {
			e.fail(p, at, how())
			return
		}
		e.add(t, at, how)
	})
}

var kinds = [...]string{"", "write", "mark", "take", "prune", "recovered", "lost"}

// String shows what a state has on the disk.
func (s *state) String() string {
	var b strings.Builder
	if s.logName == 0 {
		b.WriteString("no log")
	}
	for _, c := range s.mem[:s.memLen] {
		if l := lines[c]; c == bad {
			b.WriteString("[bad]")
		} else {
			fmt.Fprintf(&b, "[%s d%d %d/%d by %c #%d]", kinds[l.kind], l.doc, l.i, l.n, 'A'+rune(l.user), c)
		}
	}
	for n, v := range s.name {
		if v > 0 {
			fmt.Fprintf(&b, " name%d=d%d", n, docOf(v))
			if bodyOf(v) == damaged {
				b.WriteString("(damaged)")
			}
		}
	}
	if s.pin != [2]int32{} {
		fmt.Fprintf(&b, " pins %v", s.pin)
	}
	return b.String()
}

// tryDamage makes each line bad, damages and removes each document, and repairs with every kill and cut in between.
func (e *explorer) tryDamage(s *state, at int32) {
	good, rest := scan(s, e.rules)
	if rest != clean || good == 0 || !s.isDurable(good) || s.cuts > 0 || s.kills > 0 || s.fails > 0 {
		return
	}
	last := good - lines[s.mem[good-1]].n
	try := func(what string, want6 bool, at2 int8, t state) { // at2: the line that is damaged, or -1
		e.damages++
		t.isRaw, t.acked, t.winner = true, 0, [nDocs]int8{}
		for u := int8(0); u < 2; u++ {
			who := fmt.Sprintf("%s, %c: ", what, 'A'+rune(u))
			x := do(t, e.rules, u, opWrite1, 0, false)
			mine := at2 >= 0 && s.pin[u] != 0 && lines[s.pin[u]].pos >= at2 && !(u == 1 && e.NoPinB)
			if x.code != skipped && (want6 || mine) && x.code != 6 {
				e.fail("damage is 6", at, who, fmt.Sprint(x.code))
			}
			e.repaired(t, at, who, u)
			// what the other user did without a repair must not make it worse
			if x.code == 0 {
				e.repaired(x.s, at, who+"write d1, ", u)
			}
		}
	}
	for i := int8(0); i < good; i++ {
		t := *s
		t.mem[i], t.dur[i] = bad, bad
		try(fmt.Sprint("line ", i, " damaged"), i < last, i, t)
		l := lines[s.mem[i]]
		l.serial = 99
		t.mem[i] = number(l)
		t.dur[i] = t.mem[i]
		try(fmt.Sprint("line ", i, " changed"), i < last, i, t)
	}
	t := *s
	t.logName, t.logDisk, t.memLen, t.durLen = 0, 1, 0, 0
	t.mem, t.dur = [maxLog]int32{}, [maxLog]int32{}
	try("log removed", false, -1, t)
	for n, v := range s.name {
		if v > 0 && s.nameDisk[n] == 1<<v {
			t := *s
			t.name[n], t.nameDisk[n] = 0, 1
			try(fmt.Sprint("name ", n, " removed"), false, -1, t)
			t.name[n] = file(docOf(v), damaged)
			t.nameDisk[n] = 1 << t.name[n]
			try(fmt.Sprint("name ", n, " damaged"), false, -1, t)
		}
	}
}

// repaired repairs a state, with a kill or a cut at each call, and again; then nothing may be wrong.
func (e *explorer) repaired(t state, at int32, what string, u int8) {
	ends := func(t state, what string) {
		x := do(t, e.rules, u, opRepair, 0, false)
		good, rest := scan(&x.s, e.rules)
		if x.code == skipped {
			return
		}
		wrong := x.code != 0 || rest != clean
		for d, h := range fold(&x.s, good) {
			wrong = wrong || h.isLive && !x.s.holds(int(h.name), d)
		}
		for n, v := range t.name {
			if v > 0 && bodyOf(v) != damaged && x.s.name[n] == 0 && !x.f[docOf(v)].isPruned {
				e.fail("repair moves a good document", at, what, t.String())
			}
		}
		for v := int8(0); v < 2 && !wrong; v++ { // the other one may have to repair too
			y := do(x.s, e.rules, v, opWrite1, 0, false)
			if y.code == 6 && v != u {
				y = do(do(x.s, e.rules, v, opRepair, 0, false).s, e.rules, v, opWrite1, 0, false)
			}
			wrong = y.code != 0 && y.code != skipped
		}
		if wrong {
			e.fail("repair ends it", at, what, t.String(), "gives", x.s.String())
		}
	}
	x := do(t, e.rules, u, opRepair, 0, false)
	ends(t, what+"repair")
	for i := range x.snaps {
		k := x.snaps[i]
		ends(k, what+"repair killed before "+x.what[i]+", repair")
		k.cut(e.rules, func(c *state) { ends(*c, what+"cut before "+x.what[i]+", repair") })
	}
}

var all = []int{opWrite0, opWrite1, opBatch, opMark, opTake, opPrune, opRepair, opCopy}

// A control leaves a clause out. want are the properties that it breaks; none: the clause is not needed here.
type control struct {
	name string
	r    rules
	want string
}

var controls = []control{
	{"no sync of the body", rules{NoBodySync: true}, "G1 document, G4"},
	{"no sync of the directory", rules{NoDirSync: true}, "G1 document, G4"},
	{"no sync of the log", rules{NoLogSync: true}, "G1 event"},
	{"no sync of the state directory", rules{NoStateSync: true}, "G1 event"},
	{"event before the sync of the directory", rules{EventFirst: true}, "G4"},
	{"no rewrite of the last change", rules{NoRewrite: true}, "G1 event"},
	{"sync in place of the rewrite", rules{SyncOnly: true}, "G1 event"},
	{"no rewrite without a pin", rules{NoPinNoRewrite: true, NoPinB: true}, "G1 event"},
	{"the last line alone is written again", rules{RewriteLine: true}, "G1 event"},
	{"the pin is also set after a rewrite", rules{PinOnRewrite: true}, ""},
	{"readers read the log before the pin", rules{PinLast: true}, "reader warned"},
	{"end and pin compared by length", rules{LengthOnly: true}, "damage is 6"},
	{"the pin may name a line that recovery cuts", rules{PinRaw: true}, "repair ends it"},
	{"rewrite only if the log is shorter than the pin", rules{LongerOnly: true}, "G1 event"},
	{"a rewrite whose sync fails is truncated", rules{CutOnRewriteFail: true}, "G1 event"},
	{"no truncation after a failed sync", rules{NoTruncate: true}, "G5"},
	{"a pin that a cut can tear", rules{PinTorn: true}, "stop"},
	{"pin before the sync", rules{PinEarly: true}, "stop"},
	{"recovery keeps an incomplete batch", rules{KeepIncomplete: true}, "G3"},
	{"a batch is complete without its chain", rules{NoChain: true}, "G3"},
	{"recovery cuts a complete change", rules{CutComplete: true}, "G1 event"},
	{"a whole line behind bad bytes is damage", rules{AnyLine: true}, "stop"},
	{"the same, and the cut is synced", rules{AnyLine: true, SyncCut: true}, "stop"},
	{"recovery does not cut, only writes over it", rules{NoCut: true}, "repair ends it"},
	{"adoption without a sync of the file", rules{AdoptNoSync: true}, "G1 document"},
	{"adoption without a sync of the directory", rules{AdoptNoDir: true}, "G1 document"},
	{"the log is made by its first line", rules{LogAtAppend: true}, "stop"},
	{"the state directory is synced after the links", rules{StateLate: true}, "stop"},
	{"the first change is the one that makes the log", rules{FirstByFile: true}, "G1 event"},
	{"no fingerprint beside an empty log is 6", rules{PrintStrict: true}, "stop"},
	{"prune unlinks before its event", rules{PruneFirst: true}, "G1 document"},
	{"what prune left is known by its name", rules{LeftoverByName: true}, "repair moves"},
	{"repair moves by name", rules{MoveByName: true}, "repair moves"},
	{"a write looks at names alone", rules{NameOnly: true}, "twice"},
	{"INDEX.md with a note is not synced", rules{NoNoteSync: true}, "note"},
	{"assumption: a directory whose sync failed counts as clean", rules{WeakDirs: true}, "G1 document"},
	{"the same; adoption renames its own file over it", rules{WeakDirs: true, AdoptRename: true}, ""},
	{"assumption: bytes written again may tear", rules{TearsSame: true}, "G1 event"},
}

// run explores with crashes first, then with damage, until it finds what is wanted.
func (c control) run(states int) (e *explorer) {
	for _, b := range []bound{
		{commands: 3, kills: 1, cuts: 2, fails: 1, ops: all, states: states},
		{commands: 5, kills: 1, cuts: 2, fails: 1, ops: []int{opWrite0, opBatch}, states: states},
		{commands: 3, ops: all, damage: true, states: states},
	} {
		e = &explorer{rules: &c.r, bound: b}
		e.enough = func() bool { return c.want != "" && c.isAsWanted(e) }
		if e.explore(); e.enough() || c.want == "" && len(e.found) > 0 {
			break
		}
	}
	return e
}

func (c control) isAsWanted(e *explorer) bool {
	if c.want == "" {
		return len(e.found) == 0
	}
	for p := range e.found {
		if strings.Contains(c.want, p) || strings.HasPrefix(p, c.want) {
			return true
		}
	}
	return false
}
