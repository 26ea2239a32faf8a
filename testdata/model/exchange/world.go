package exchange

import "slices"

// A Spec says which clauses a run has. Those of the program are protocol.
type Spec struct {
	// Clauses of the protocol.
	Wait     bool // an event's time is the stated one; more than grace ahead of the clock it has no effect yet
	Bump     bool // a fact states a time after those that it follows
	Grace    bool // the grace binds who takes over; the fold asks only for the end of the lease
	TwiceAll bool // every action online, not only take, must count with and without rules and times
	TwiceOwn bool // every action must count with what has not come, too (rules applied)
	SealMade bool // a seal lists only lines that were made here
	OverEnds bool // a take with over may name the done or withdraw that stands in its way
	Reread   bool // a handoff that comes in after lines about it were passed over: its logs are read again
	ListWins bool // a turn that a log lists counts there, also after sync.lost
	RulesEnd bool // a take is refused, too, while one that counts without rules was ended only by what does not count here

	// Controls: a clause is left out, which must be found.
	NoCAS, NoOf, Arrival, ReadFirst, ThroughKept, ThroughLate, LocalOnly, Stated, NoSeals, SealAway bool

	// Clauses left out, to see whether anything misses them.
	NoLost, RestoreOwn, NoReadFirst, NoHeldLines bool
}

// A Config says what may happen.
type Config struct {
	Kills, Restore, Copy, Foreign, Asserted, Rules, Seals, Skew, Flood, Offline, Die, Future bool
}

// Kind is the type of an event.
type Kind uint8

const (
	Doc Kind = iota
	MarkRead
	MarkUnread
	Archive
	Unarchive
	Seal
	Take // and all after it are turns
	Renew
	Release
	Done
	Reopen
	Withdraw
	Resume
)

var kinds = []string{"document", "mark_read", "mark_unread", "archive", "unarchive", "seal", "take", "renew", "release",
	"done", "reopen", "withdraw", "resume"}

// ID is the id of an event: equal events have the same.
type ID int

// Event is a line. Nonce is 0 in facts.
type Event struct {
	Kind      Kind
	H, Op     int
	Sess      int
	At, Until int
	Of        [8]ID
	Over      bool
	Nonce     int
	Ids       [6]ID // of a seal
}

func (k Kind) isTurn() bool { return k >= Take }

const (
	ann, ben, xen, yan, zoe = 0, 1, 2, 3, 4 // yan is known nowhere, zoe everywhere
	clones, handoffs        = 3, 2
	logs                    = clones + handoffs // outboxes, then turn logs
	grace, lease, maxRenew  = 50, 120, 200      // a minute is 10
	heldCap                 = 6
	far                     = 1 << 40 // "2099"
)

var names = []string{"ann", "ben", "xen", "yan", "zoe"}
var sender = [handoffs]int{ann, xen} // all handoffs are to ben; ann has the capability human

// Commit is a batch at its place; ids are never reused, so a restored log does not continue what was read.
type Commit struct {
	ID    int
	Lines []ID
}

type entryKind uint8

const (
	isEvent entryKind = iota
	isRead
	isBegin
	isLost
)

// Entry is an event of the audit log.
type Entry struct {
	Kind    entryKind
	Ev      ID
	From    int // the log that it came from, -1: made here
	Seen    int // the envelope's time
	Log     int
	End     int
	Turns   []ID
	Through int
}

type heldLine struct {
	Ev   ID
	Log  int
	Seen int
}

// Clone is a store. All but held is derived from its audit log.
type Clone struct {
	W      *World
	N      int // its place, and its session
	Writer int // its outbox
	Log    []Entry
	Held   []heldLine
	Missed [handoffs]bool // lines about it were passed over
	Know   uint           // operators
	Skew   int
	Dead   bool
	cache  *view
	cached int
}

func (c *Clone) hasKey() bool { return c.N == 0 || c.Writer == 0 } // ann's

func (c *Clone) now() int { return max(1, c.W.Now+c.Skew) }

// view is what the audit log says.
type view struct {
	pos     [logs]int
	order   [handoffs][]ID // of turns
	listed  []bool
	have    []bool
	made    []bool // here
	lost    []bool
	sealed  []bool
	seen    []int
	through int
	facts   []ID
	unsent  []ID // documents, facts, seals
	turns   []ID // unsent
	docs    [handoffs]bool
}

func (c *Clone) view() *view {
	if c.cache != nil && c.cached == len(c.Log) && len(c.cache.have) == len(c.W.Ev) {
		return c.cache
	}
	w, n := c.W, len(c.W.Ev)
	v := &view{listed: make([]bool, n), have: make([]bool, n), made: make([]bool, n), lost: make([]bool, n),
		sealed: make([]bool, n), seen: make([]int, n)}
	var arrived, made [handoffs][]ID
	begin := 0
	for i, e := range c.Log {
		if e.Kind == isBegin {
			begin = i
		}
	}
	for i, e := range c.Log {
		switch e.Kind {
		case isEvent:
			if v.have[e.Ev] {
				continue
			}
			ev := w.Ev[e.Ev]
			v.have[e.Ev], v.seen[e.Ev], v.made[e.Ev] = true, e.Seen, e.From < 0
			switch {
			case ev.Kind == Doc:
				v.docs[ev.H] = true
			case ev.Kind == Seal && ev.Op != ann: // only ann has a key
			case ev.Kind == Seal:
				for _, id := range ev.Ids {
					v.sealed[id] = true
				}
			case ev.Kind.isTurn():
				arrived[ev.H] = append(arrived[ev.H], e.Ev)
			default:
				v.facts = append(v.facts, e.Ev)
			}
		case isRead:
			if i < begin {
				if w.Sp.ThroughKept && e.Log == c.Writer {
					v.through = e.Through
				}
				continue
			}
			v.pos[e.Log] = e.End
			if e.Log == c.Writer {
				v.through = e.Through
			}
			for _, t := range e.Turns {
				if h := w.Ev[t].H; !v.listed[t] {
					v.listed[t] = true
					v.order[h] = append(v.order[h], t)
				}
			}
		case isLost:
			v.lost[e.Ev] = true
		}
	}
	for h := range v.order {
		var order []ID
		from := v.order[h]
		if w.Sp.Arrival {
			from = nil
		}
		for _, t := range from {
			if v.have[t] && (w.Sp.ListWins || !v.lost[t]) {
				order = append(order, t)
			}
		}
		for _, t := range arrived[h] {
			if (!v.listed[t] || w.Sp.Arrival) && !v.lost[t] {
				order = append(order, t)
				if !v.listed[t] {
					made[h] = append(made[h], t)
				}
			}
		}
		v.order[h] = order
		v.turns = append(v.turns, made[h]...)
	}
	for i, e := range c.Log {
		if e.Kind == isEvent && e.From < 0 && i >= v.through && !w.Ev[e.Ev].Kind.isTurn() && w.Ev[e.Ev].Kind != Seal {
			v.unsent = append(v.unsent, e.Ev)
		}
	}
	c.cache, c.cached = v, len(c.Log)
	return v
}

func (c *Clone) add(e ...Entry) { c.Log = append(c.Log, e...) }

// State is who holds a handoff.
type State struct {
	holder, end ID
	until, free int // free: when it was released or reopened last
	taken       bool
	counts      map[ID]bool
	took        map[ID]bool // made somebody the holder
}

// mode is how a fold judges.
type mode struct{ rules, times, all bool } // all: with the seals of the whole remote

func (c *Clone) timeOf(id ID, m mode) int {
	ev, v := c.W.Ev[id], c.view()
	t := ev.At
	if m.times && !c.W.Sp.Wait && !c.W.Sp.Stated {
		seen := c.now()
		if v.have[id] {
			seen = v.seen[id]
		}
		t = min(t, seen)
	}
	return max(t, c.W.DocAt[ev.H])
}

func (c *Clone) allowed(id ID, m mode) bool {
	ev, sp := c.W.Ev[id], c.W.Sp
	if sp.Wait && m.times && ev.At > c.now()+grace {
		return false
	}
	if !m.rules {
		return true
	}
	v := c.view()
	sealed := v.sealed[id] || m.all && c.W.sealed[id] || c.hasKey() && (v.made[id] || c.W.making == id)
	return c.Know>>ev.Op&1 == 1 && (!c.W.Cf.Seals || sp.NoSeals || ev.Op != ann || sealed)
}

// fold folds turns in their order.
func (c *Clone) fold(order []ID, m mode) State {
	s := State{counts: map[ID]bool{}, took: map[ID]bool{}}
	for _, id := range order {
		if c.apply(&s, id, m) {
			s.counts[id] = true
		}
	}
	return s
}

func (c *Clone) apply(s *State, id ID, m mode) bool {
	w, ev := c.W, c.W.Ev[id]
	if !c.allowed(id, m) {
		return false
	}
	t := c.timeOf(id, m)
	of := func(x ID) bool { return x != 0 && (w.Sp.NoOf || slices.Contains(ev.Of[:], x)) }
	held := s.holder != 0 && s.end == 0
	mine := held && w.Ev[s.holder].Op == ev.Op && w.Ev[s.holder].Sess == ev.Sess
	slack := grace
	if w.Sp.Grace {
		slack = 0
	}
	lapsed := held && s.until != 0 && t > s.until+slack
	ends := !m.rules || ev.Op == ben || ev.Op == ann
	human := !m.rules || ev.Op == ann || ev.Op == sender[ev.H]
	switch ev.Kind {
	case Take, Resume:
		over := ev.Over && ends
		switch {
		case s.end != 0 && !(w.Sp.OverEnds && over && of(s.end)):
			return false
		case mine:
			s.until = later(s.until, ev.Until)
			return true
		case held && !(of(s.holder) && (lapsed || over)):
			return false
		}
		s.holder, s.end, s.until, s.taken, s.took[id] = id, 0, ev.Until, true, true
	case Renew:
		if !mine || !of(s.holder) || later(s.until, ev.Until) == s.until || ev.Until == 0 || ev.Until-t > maxRenew {
			return false
		}
		s.until = ev.Until
	case Release:
		if !held || !of(s.holder) || !mine && !human {
			return false
		}
		s.holder, s.free = 0, t
	case Done:
		if s.end != 0 || held && !(mine && of(s.holder)) {
			return false
		}
		s.end = id
	case Reopen:
		if s.end == 0 || !of(s.end) || w.Ev[s.end].Op != ev.Op && ev.Op != sender[ev.H] {
			return false
		}
		s.holder, s.end, s.free = 0, 0, t
	case Withdraw:
		if s.end != 0 || s.taken || ev.Op != sender[ev.H] {
			return false
		}
		s.end = id
	}
	return true
}

// open returns a take that counts without rules, that nothing ended that counts here, nor its own session, and that e
// does not name: one that lapsed, or one that did not.
func (c *Clone) open(order []ID, local, bare State, e Event, lapsed bool) ID {
	w := c.W
	until := func(t ID) int { // with what its session renewed
		end := w.Ev[t].Until
		for _, x := range order {
			if y := w.Ev[x]; y.Op == w.Ev[t].Op && y.Sess == w.Ev[t].Sess && (y.Kind == Renew && slices.Contains(y.Of[:], t) || y.Kind == Take || y.Kind == Resume) {
				end = later(end, y.Until)
			}
		}
		return end
	}
	for _, t := range order {
		k := w.Ev[t]
		if !bare.took[t] || slices.Contains(e.Of[:], t) || k.Op == e.Op && k.Sess == e.Sess ||
			lapsed != (until(t) != 0 && e.At > until(t)+grace) {
			continue
		}
		if !slices.ContainsFunc(order, func(x ID) bool {
			y := w.Ev[x]
			return x != t && slices.Contains(y.Of[:], t) && (local.counts[x] && y.Kind != Renew || bare.counts[x] && y.Op == k.Op && y.Sess == k.Sess &&
				(y.Kind == Release || y.Kind == Done))
		}) {
			return t
		}
	}
	return 0
}

func later(a, b int) int { // 0 is no end
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

// isRead reports whether an operator has read a handoff, isArchived whether it is hidden.
func (c *Clone) isRead(h, op int, s State) bool {
	m := mode{rules: true, times: true}
	at, best, read := -1, ID(0), false
	look := func(id ID, is bool) {
		if t := c.timeOf(id, m); t > at || t == at && id > best {
			at, best, read = t, id, is
		}
	}
	for _, id := range c.view().facts {
		if ev := c.W.Ev[id]; ev.H == h && ev.Op == op && ev.Kind <= MarkUnread && c.allowed(id, m) {
			look(id, ev.Kind == MarkRead)
		}
	}
	for _, id := range c.view().order[h] {
		if ev := c.W.Ev[id]; ev.Op == op && s.counts[id] && (ev.Kind == Take || ev.Kind == Done) {
			look(id, true)
		}
	}
	return read && (at > s.free || s.free == 0)
}

func (c *Clone) isArchived(h int) bool {
	m := mode{rules: true, times: true}
	at, best := -1, ID(0)
	for _, id := range c.view().facts {
		ev := c.W.Ev[id]
		if t := c.timeOf(id, m); ev.H == h && ev.Kind >= Archive && ev.Kind <= Unarchive && c.allowed(id, m) &&
			(t > at || t == at && id > best) {
			at, best = t, id
		}
	}
	return best != 0 && c.W.Ev[best].Kind == Archive
}
