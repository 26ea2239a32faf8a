package exchange

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Step is a command, or something that happens.
type Step struct {
	What, C, H int
	L          luck
}

var whats = []string{"write", "mark", "unmark", "take", "release", "done", "reopen", "withdraw", "renew", "steal", "offline take",
	"offline done", "sync", "sync", "sync", "clock", "clock", "skew", "restored", "copy", "foreign", "foreign", "trust", "archive",
	"flood", "resume", "offline release", "undo archive", "die"}

func (w *World) say(id ID) string {
	e := w.Ev[id]
	s := fmt.Sprintf("%s#%d h%d %s/s%d at %d", kinds[e.Kind], id, e.H, names[e.Op], e.Sess, e.At)
	if e.Until != 0 {
		s += fmt.Sprintf(" until %d", e.Until)
	}
	if e.Of != [8]ID{} {
		s += fmt.Sprint(" of ", e.Of)
	}
	if e.Over {
		s += " over"
	}
	return s
}

func (w *World) fail(property, format string, args ...any) {
	w.bad = append(w.bad, property+": "+fmt.Sprintf(format, args...))
}

func newWorld(sp Spec, cf Config) *World {
	w := &World{Sp: sp, Cf: cf, Ev: []Event{{}}, index: map[Event]ID{}, Now: 1000, risk: map[ID]bool{}, from: map[ID]int{}, sealed: make([]bool, 64)}
	for i := range w.C {
		w.C[i] = &Clone{W: w, N: i, Writer: i, Know: 1<<ann | 1<<ben | 1<<xen | 1<<zoe}
		w.told[i] = map[ID]int{}
	}
	if cf.Rules {
		w.C[1].Know = 1<<ann | 1<<ben | 1<<zoe // does not know xen
		w.C[0].Know = 1<<ann | 1<<xen | 1<<zoe // does not know ben
	}
	for h := range handoffs { // written by its sender, at a clone that knows the sender
		w.DocAt[h] = 1000
		c := w.C[2*h]
		c.add(Entry{Ev: w.make(Event{Kind: Doc, H: h, Op: sender[h], At: 1000}), From: -1, Seen: 1000})
	}
	return w
}

func (w *World) step(st Step) {
	c, l, cf := w.C[st.C], st.L, w.Cf
	w.Now++
	if c.Dead {
		return
	}
	op := []int{ann, ben, ben}[st.C]
	if cf.Rules && st.C == 2 && l.n(2) == 0 {
		op = xen
	}
	sess, said := st.C, ""
	if op == xen {
		sess = 3
	}
	what := whats[st.What]
	switch what {
	case "mark":
		c.fact(MarkRead, st.H, op)
	case "unmark":
		c.fact(MarkUnread, st.H, op)
	case "archive":
		c.fact(Archive, st.H, op)
	case "undo archive":
		c.fact(Unarchive, st.H, op)
	case "take", "release", "done", "reopen", "withdraw", "resume":
		k := map[string]Kind{"take": Take, "release": Release, "done": Done, "reopen": Reopen, "withdraw": Withdraw, "resume": Resume}[what]
		said = c.act(k, st.H, op, sess, true, false, &l)
	case "steal":
		if op != ann && st.C != 1 {
			return
		}
		said = c.act(Take, st.H, op, sess+10, true, true, &l)
	case "offline take", "offline done", "offline release", "renew":
		k := map[string]Kind{"offline take": Take, "offline done": Done, "offline release": Release, "renew": Renew}[what]
		if !cf.Offline && k != Renew {
			return
		}
		said = c.act(k, st.H, op, sess, false, false, &l)
	case "sync":
		code := c.sync(&l)
		if code == 6 && l.n(2) == 0 {
			said = "6, restore "
			code = c.restore(&l)
		}
		said += fmt.Sprint(code)
	case "clock":
		w.Now += []int{1, 3, 10, 60, 130, 200}[l.n(6)]
	case "skew":
		if !cf.Skew {
			return
		}
		c.Skew = []int{-20, -2, 0, 2, 20}[l.n(5)]
		said = fmt.Sprint(c.Skew)
	case "restored":
		if !cf.Restore {
			return
		}
		log := l.n(logs)
		if n := len(w.Remote[log]); n > 0 {
			keep := l.n(n)
			for _, b := range w.Remote[log][keep:] {
				for _, id := range b.Lines {
					w.risk[id] = true
				}
			}
			w.Remote[log] = slices.Clone(w.Remote[log][:keep])
			said = fmt.Sprintf("log %d to %d batches", log, keep)
		}
	case "copy":
		if !cf.Copy || w.C[1].Writer == 0 || len(w.C[1].Log) > 0 {
			return
		}
		a, b := w.C[0], w.C[1]
		b.Writer, b.Log, b.Held, b.Know = a.Writer, slices.Clone(a.Log), slices.Clone(a.Held), a.Know
		b.cache, b.Missed = nil, a.Missed
		c = b
	case "die":
		if cf.Die && st.C == 0 && len(w.acks) > 0 {
			c.Dead = true
		}
	case "foreign":
		if cf.Foreign {
			said = w.foreign(st.H, &l)
		}
	case "flood":
		if cf.Flood {
			lines := make([]ID, heldCap+1)
			for i := range lines {
				w.nonce++
				lines[i] = w.make(Event{Kind: Take, H: st.H, Op: yan, At: w.Now, Nonce: -w.nonce})
			}
			w.push(clones+st.H, lines)
		}
	case "trust":
		if cf.Rules && l.n(3) == 0 {
			c.Know |= 1 << []int{ben, xen, xen}[st.C]
			c.admit()
		}
	default:
		return
	}
	w.trace = append(w.trace, fmt.Sprintf("%d %c h%d %s: %s", w.Now, 'A'+rune(c.N), st.H, what, said))
	w.check(false)
}

func (w *World) push(log int, lines []ID) {
	pos := 0
	if l := w.Remote[log]; len(l) > 0 {
		pos = l[len(l)-1].ID
	}
	w.append(log, pos, lines)
}

// foreign appends anything well-formed.
func (w *World) foreign(h int, l *luck) string {
	if l.n(6) == 0 && w.nonce > 0 { // what was there, once more, perhaps elsewhere
		id := ID(1 + l.n(len(w.Ev)-1))
		if there := slices.ContainsFunc(w.Remote[:], func(cs []Commit) bool {
			return slices.ContainsFunc(cs, func(c Commit) bool { return slices.Contains(c.Lines, id) })
		}); there {
			w.push(l.n(logs), []ID{id})
			return "again " + w.say(id)
		}
	}
	e := Event{Kind: Kind(1 + l.n(int(Resume))), H: h, Op: yan, Sess: l.n(4), At: w.Now}
	if w.Cf.Seals && l.n(2) == 0 {
		e.Op = ann
	}
	if w.Cf.Asserted && l.n(2) == 0 {
		e.Op = zoe
	}
	if w.Cf.Future || !w.Cf.Asserted {
		e.At = []int{w.Now, 0, far, w.Now + 100}[l.n(4)]
	}
	if e.Kind == Seal {
		e.Op = yan
		e.Ids[0] = ID(l.n(len(w.Ev)))
	}
	if e.Kind.isTurn() {
		e.Until = []int{0, w.Now + lease, far}[l.n(3)]
		s := w.C[2].fold(w.logOrder(h), mode{all: true})
		e.Of[0] = turn(s)
		if l.n(4) == 0 {
			e.Of[0] = ID(l.n(len(w.Ev)))
		}
		e.Over = e.Op != zoe && l.n(2) == 0
	}
	id := w.fresh(e)
	w.from[id] = w.Now
	w.push(place(e, l.n(clones)), []ID{id})
	return w.say(id)
}

// logOrder returns the turns at the remote.
func (w *World) logOrder(h int) (order []ID) {
	seen := map[ID]bool{}
	for _, b := range w.Remote[clones+h] {
		for _, id := range b.Lines {
			if e := w.Ev[id]; e.Kind.isTurn() && e.H == h && e.Nonce >= 0 && !seen[id] {
				order = append(order, id)
				seen[id] = true
			}
		}
	}
	return order
}

func (w *World) acked(id ID) *ack {
	for i := range w.acks {
		if w.acks[i].id == id {
			return &w.acks[i]
		}
	}
	return nil
}

// exclusive checks, after an acknowledged take, that no other acknowledged one is held at once.
func (w *World) exclusive(id ID) {
	e := w.Ev[id]
	if e.Kind != Take && e.Kind != Resume || e.Over {
		return
	}
	order := w.logOrder(e.H)
	for _, z := range w.C {
		s := z.fold(order, mode{rules: true, times: true, all: true})
		x := s.holder
		if x == 0 || x == id || s.end != 0 || w.risk[x] || w.risk[id] || s.until != 0 && w.Now > s.until {
			continue
		}
		a := w.acked(x)
		if a == nil || a.c != z.N || a.know != z.Know || w.Ev[x].Op == e.Op && w.Ev[x].Sess == e.Sess {
			continue
		}
		if slices.ContainsFunc(w.acks, func(a ack) bool { // a steal or a release that somebody was told is an end
			e := w.Ev[a.id]
			return (e.Over || e.Kind == Release) && slices.Contains(e.Of[:], x)
		}) {
			continue
		}
		if me := w.acked(id); z.Know == me.know && s.counts[id] {
			continue
		}
		w.fail("2", "%s was acknowledged while %c sees %s hold it", w.say(id), 'A'+rune(z.N), w.say(x))
	}
}

// check checks what must hold after each step, and at the end.
func (w *World) check(end bool) {
	for _, z := range w.C {
		v := z.view()
		for h := range handoffs {
			if !v.docs[h] || z.Dead {
				continue
			}
			s := State{counts: map[ID]bool{}, took: map[ID]bool{}}
			for _, id := range v.order[h] {
				was := turn(s)
				s.counts[id] = z.apply(&s, id, mode{rules: true, times: true})
				if now := turn(s); was > id && now != was {
					w.fail("2", "%s ended %s, which was made after it", w.say(id), w.say(was))
				}
			}
			for _, a := range w.acks {
				if w.Ev[a.id].H != h || a.know != z.Know || !(v.listed[a.id] || end) || s.counts[a.id] {
					continue
				}
				if !w.risk[a.id] {
					w.fail("1", "%s, acknowledged at %c, does not count at %c", w.say(a.id), 'A'+rune(a.c), 'A'+rune(z.N))
				} else if end && !w.C[a.c].Dead && w.told[a.c][a.id] != 1 && a.c == z.N {
					w.fail("1", "%s was lost with the remote, told %d times", w.say(a.id), w.told[a.c][a.id])
				}
			}
		}
	}
}

// finish lets everybody sync, and checks the rest.
func (w *World) finish() {
	w.trace = append(w.trace, "all sync")
	for round := range 6 {
		for _, c := range w.C {
			if c.Dead {
				continue
			}
			code := c.sync(nil)
			if code == 6 {
				code = c.restore(nil)
			}
			if code != 0 && round > 2 {
				w.fail("8", "%c cannot sync: %d", 'A'+rune(c.N), code)
			}
		}
	}
	w.check(true)
	for i, c := range w.C {
		if c.Dead {
			continue
		}
		v := c.view()
		for _, f := range w.facts {
			held := slices.ContainsFunc(c.Held, func(h heldLine) bool { return h.Ev == f.id })
			if !v.docs[w.Ev[f.id].H] {
				continue
			} else if !v.have[f.id] && !held && !(w.C[f.c].Dead) {
				w.fail("5", "%s, written at %c, is not at %c", w.say(f.id), 'A'+rune(f.c), 'A'+rune(i))
			} else if !v.have[f.id] && !held && w.risk[f.id] && slices.ContainsFunc(w.C[:], func(d *Clone) bool { return !d.Dead && d.view().have[f.id] }) {
				w.fail("5", "%s is at a clone, and not at %c", w.say(f.id), 'A'+rune(i))
			}
		}
		for h := range handoffs {
			lives := slices.ContainsFunc(w.C[:], func(d *Clone) bool { return !d.Dead && d.view().docs[h] })
			if !v.docs[h] && c.Know>>sender[h]&1 == 1 && lives {
				w.fail("5", "the document h%d is not at %c", h, 'A'+rune(i))
			}
		}
		for _, d := range w.C[:i] {
			if d.Know != c.Know || d.Dead {
				continue
			}
			for h := range handoffs {
				m := mode{rules: true, times: true}
				s, t := c.fold(v.order[h], m), d.fold(d.view().order[h], m)
				if v.docs[h] && d.view().docs[h] && (turn(s) != turn(t) || s.until != t.until) {
					w.fail("3", "h%d: %c sees %s until %d, %c %s until %d", h, 'A'+rune(d.N), w.say(turn(t)), t.until, 'A'+rune(c.N), w.say(turn(s)), s.until)
				}
				for _, op := range []int{ann, ben} {
					if v.docs[h] && d.view().docs[h] && c.isRead(h, op, s) != d.isRead(h, op, t) {
						w.fail("3", "h%d: %s has read it at %c: %v, at %c: %v", h, names[op], 'A'+rune(d.N), d.isRead(h, op, t), 'A'+rune(i), c.isRead(h, op, s))
					}
				}
				if v.docs[h] && d.view().docs[h] && c.isArchived(h) != d.isArchived(h) {
					w.fail("3", "h%d: archived at one of %c and %c", h, 'A'+rune(d.N), 'A'+rune(i))
				}
			}
		}
	}
	for _, a := range w.off {
		c := w.C[a.c]
		if c.Dead || a.know != c.Know {
			continue
		}
		counts := c.fold(c.view().order[w.Ev[a.id].H], mode{rules: true, times: true}).counts[a.id]
		if n := w.told[a.c][a.id]; !counts && n != 1 && !w.risk[a.id] || counts && n != 0 && c.Writer == c.N && !w.Cf.Copy || n > 1 {
			w.fail("4", "offline %s counts: %v, told %d times", w.say(a.id), counts, n)
		}
	}
	if w.Cf.Foreign {
		w.harmless()
	}
	w.wayOut()
}

// harmless checks that a foreign pusher changed nothing that the protocol does not admit.
func (w *World) harmless() {
	for _, c := range w.C {
		for h := range handoffs {
			if !c.view().docs[h] || c.Dead {
				continue
			}
			order := c.view().order[h]
			m := mode{rules: true, times: true}
			with := c.fold(order, m)
			var own []ID
			for _, id := range order {
				_, is := w.from[id] // what is stated for later has no effect yet
				if !is || c.allowed(id, m) && w.Ev[id].Op == zoe && w.Ev[id].At <= c.now()+grace {
					own = append(own, id)
				}
			}
			s := c.fold(own, m)
			if turn(s) != turn(with) || s.until != with.until {
				p := "6"
				if w.Cf.Asserted {
					p = "7"
				}
				w.fail(p, "h%d at %c: %s until %d; without the pusher or its lies %s until %d", h, 'A'+rune(c.N), w.say(turn(with)), with.until, w.say(turn(s)), s.until)
			}
		}
	}
}

// wayOut checks that the commands that refusals name lead to a take.
func (w *World) wayOut() {
	for _, c := range w.C {
		if c.Dead {
			continue
		}
		op := []int{ann, ben, ben}[c.N]
		for h := range handoffs {
			if !c.view().docs[h] || c.Know>>op&1 == 0 {
				continue
			}
			var said []string
			for _, k := range []Kind{Take, Reopen, Take} {
				said = append(said, c.act(k, h, op, 20, true, k == Take && len(said) == 2, nil))
				if s := said[len(said)-1]; k == Take && (s == "ok" || s == "existing") {
					said = nil
					break
				}
			}
			s := c.fold(c.view().order[h], mode{rules: true, times: true})
			if said != nil && s.end == 0 {
				w.fail("8", "%s at %c gets h%d by no command: take %s, done --undo %s, take --steal %s", names[op], 'A'+rune(c.N), h, said[0], said[1], said[2])
			}
		}
	}
}

func run(sp Spec, cf Config, steps []Step) *World {
	w := newWorld(sp, cf)
	for _, s := range steps {
		if w.step(s); len(w.bad) > 0 {
			return w
		}
	}
	w.finish()
	return w
}

func random(r *rand.Rand, cf Config, n int) (steps []Step) {
	if cf.Copy {
		n++
	}
	for i := range n {
		s := Step{What: r.IntN(len(whats)), C: r.IntN(clones), H: r.IntN(handoffs), L: luck(r.Uint32())}
		if cf.Copy && i < 12 && s.C == 1 {
			s.C = 0
		}
		steps = append(steps, s)
	}
	return steps
}

// find looks for a violation of a property ("" for any), and makes its trace small.
func find(sp Spec, cf Config, property string, seed uint64, limit time.Duration, runs int) (w *World, n int) {
	r := rand.New(rand.NewPCG(seed, 7))
	begin := time.Now()
	is := func(w *World) bool { return len(w.bad) > 0 && strings.HasPrefix(w.bad[0], property) }
	for n = 1; n <= runs && time.Since(begin) < limit; n++ {
		steps := random(r, cf, 8+r.IntN(40))
		if w = run(sp, cf, steps); !is(w) {
			continue
		}
		for again := true; again; {
			again = false
			for i := 0; i < len(steps); i++ {
				less := slices.Delete(slices.Clone(steps), i, i+1)
				if x := run(sp, cf, less); is(x) {
					steps, w, again = less, x, true
					i--
				}
			}
		}
		return w, n
	}
	return nil, n - 1
}

// protocol is what packages exchange and facts do.
var protocol = Spec{Wait: true, Bump: true, TwiceOwn: true, SealMade: true, OverEnds: true, Reread: true, ListWins: true, RulesEnd: true}

var rows = []struct {
	name string
	cf   Config
}{
	{"plain", Config{}},
	{"offline", Config{Offline: true}},
	{"kills", Config{Kills: true, Offline: true}},
	{"skew", Config{Skew: true}},
	{"copy", Config{Copy: true, Offline: true, Kills: true}},
	{"restore", Config{Restore: true, Offline: true}},
	{"restore+", Config{Restore: true, Kills: true, Copy: true, Offline: true}},
	{"die", Config{Restore: true, Die: true}},
	{"rules", Config{Rules: true}},
	{"rules+", Config{Rules: true, Kills: true, Offline: true, Skew: true}},
	{"foreign", Config{Foreign: true}},
	{"seals", Config{Foreign: true, Seals: true}},
	{"seals+", Config{Foreign: true, Seals: true, Restore: true, Offline: true}},
	{"asserted", Config{Foreign: true, Asserted: true}},
	{"future", Config{Foreign: true, Asserted: true, Future: true}},
	{"flood", Config{Rules: true, Flood: true}},
	{"rules+for", Config{Rules: true, Foreign: true}},
	{"all", Config{Kills: true, Restore: true, Copy: true, Foreign: true, Rules: true, Seals: true, Skew: true, Flood: true, Offline: true}},
}
