package exchange

import "slices"

// luck decides what a step leaves open; it is part of the step, so a trace can be run again.
type luck uint32

func (l *luck) n(n int) int {
	*l = *l*1664525 + 1013904223
	return int(*l>>8) % n
}

// World is the remote, the clones, and what was acknowledged.
type World struct {
	Sp     Spec
	Cf     Config
	Ev     []Event
	index  map[Event]ID
	Remote [logs][]Commit
	C      [clones]*Clone
	Now    int
	DocAt  [handoffs]int
	nonce  int
	commit int
	making ID
	sealed []bool     // by the remote's seals
	from   map[ID]int // the true time of what a foreign pusher made
	acks   []ack
	facts  []ack
	off    []ack
	risk   map[ID]bool // it was acknowledged, and a restored remote lost it
	told   [clones]map[ID]int
	bad    []string
	trace  []string
}

type ack struct {
	id   ID
	c    int
	know uint
}

func (w *World) make(e Event) ID {
	if id, is := w.index[e]; is {
		return id
	}
	w.Ev = append(w.Ev, e)
	id := ID(len(w.Ev) - 1)
	w.index[e] = id
	return id
}

func (w *World) fresh(e Event) ID {
	w.nonce++
	e.Nonce = w.nonce
	return w.make(e)
}

func place(e Event, outbox int) int {
	if e.Kind.isTurn() {
		return clones + e.H
	}
	return outbox
}

// tail returns what a log has after a position, and whether it continues it.
func (w *World) tail(log, pos int) (lines []ID, end int, ok bool) {
	i := 0
	if pos != 0 {
		if i = 1 + slices.IndexFunc(w.Remote[log], func(c Commit) bool { return c.ID == pos }); i == 0 {
			return nil, pos, w.Sp.NoCAS
		}
	}
	end = pos
	for _, c := range w.Remote[log][i:] {
		lines, end = append(lines, c.Lines...), c.ID
	}
	return lines, end, true
}

// append appends a batch if the log ends at pos.
func (w *World) append(log, pos int, lines []ID) (end int, ok bool) {
	l := w.Remote[log]
	last := 0
	if len(l) > 0 {
		last = l[len(l)-1].ID
	}
	if last != pos && !w.Sp.NoCAS {
		return 0, false
	}
	w.commit++
	w.Remote[log] = append(slices.Clone(l), Commit{w.commit, lines})
	for _, id := range lines {
		for _, s := range w.Ev[id].Ids {
			for int(s) >= len(w.sealed) {
				w.sealed = append(w.sealed, make([]bool, 64)...)
			}
			w.sealed[s] = w.Ev[id].Kind == Seal && w.Ev[id].Op == ann || w.sealed[s]
		}
	}
	for len(w.sealed) <= len(w.Ev)+8 {
		w.sealed = append(w.sealed, make([]bool, 64)...)
	}
	return w.commit, true
}

// stored returns what a clone adds for the lines of a log that it reads.
func (c *Clone) stored(log int, lines []ID, end int, known map[ID]bool) (add []Entry) {
	w, v := c.W, c.view()
	read := Entry{Kind: isRead, Log: log, End: end, Through: v.through}
	here := v.docs
	count := 0
	for _, h := range c.Held {
		known[h.Ev] = true
		if h.Log == log && w.Ev[h.Ev].Kind != Doc {
			count++
		}
	}
	for _, id := range lines {
		ev := w.Ev[id]
		if ev.Kind != Seal && (ev.Kind.isTurn() != (log >= clones) || log >= clones && ev.H != log-clones) {
			continue // malformed
		}
		if ev.Kind.isTurn() {
			read.Turns = append(read.Turns, id)
		}
		if v.have[id] || known[id] {
			continue
		}
		known[id] = true
		switch stranger := ev.Nonce < 0; { // a line about a handoff that nobody has
		case ev.Kind == Seal, ev.Kind != Doc && !stranger && here[ev.H]:
			add = append(add, Entry{Ev: id, From: log, Seen: c.now()})
		case ev.Kind == Doc && c.Know>>ev.Op&1 == 1:
			add = append(add, Entry{Ev: id, From: log, Seen: c.now()})
			here[ev.H] = true
		case ev.Kind == Doc, count < heldCap && !w.Sp.NoHeldLines:
			c.Held = append(c.Held, heldLine{id, log, c.now()})
			count++
		case !stranger:
			c.Missed[ev.H] = true
		}
	}
	if log == c.Writer { // how far all that was made here stands in the outbox
		read.Through = len(c.Log)
		for i := v.through; i < len(c.Log); i++ {
			e := c.Log[i]
			if e.Kind == isEvent && e.From < 0 && place(w.Ev[e.Ev], log) == log && w.Ev[e.Ev].Kind != Seal && !slices.Contains(lines, e.Ev) {
				read.Through = i
				break
			}
		}
	}
	return append(add, read)
}

// receive reads a log. It reports whether there was news, and whether the log continues what was read.
func (c *Clone) receive(log int, l *luck) (news, ok bool) {
	pos := c.view().pos[log]
	lines, end, ok := c.W.tail(log, pos)
	if !ok || end == pos {
		return false, ok
	}
	held := slices.Clone(c.Held)
	add := c.stored(log, lines, end, map[ID]bool{})
	killed := l != nil && c.W.Cf.Kills && l.n(8) == 0
	switch {
	case killed && c.W.Sp.ReadFirst:
		c.add(add[len(add)-1])
	case killed:
		c.Held = held
	default:
		c.add(add...)
	}
	return true, true
}

// admit lets in what waited, and the lines about it.
func (c *Clone) admit() {
	w := c.W
	for _, d := range slices.Clone(c.Held) {
		ev := w.Ev[d.Ev]
		if ev.Kind != Doc || c.Know>>ev.Op&1 == 0 {
			continue
		}
		var rest []heldLine
		c.add(Entry{Ev: d.Ev, From: d.Log, Seen: d.Seen})
		for _, h := range c.Held {
			if e := w.Ev[h.Ev]; e.H != ev.H || e.Nonce < 0 {
				rest = append(rest, h)
			} else if e.Kind != Doc {
				c.add(Entry{Ev: h.Ev, From: h.Log, Seen: h.Seen})
			}
		}
		c.Held = rest
	}
	v := c.view()
	for h := range handoffs { // lines that waited for a document that was written or came in another way
		if !v.docs[h] {
			continue
		}
		c.Held = slices.DeleteFunc(c.Held, func(x heldLine) bool {
			is := w.Ev[x.Ev].H == h && w.Ev[x.Ev].Nonce >= 0
			if is {
				c.add(Entry{Ev: x.Ev, From: x.Log, Seen: x.Seen})
			}
			return is
		})
		if c.Missed[h] && w.Sp.Reread {
			for log := range logs {
				v := c.view()
				for _, b := range w.Remote[log] {
					for _, id := range b.Lines {
						if e := w.Ev[id]; e.H == h && e.Nonce >= 0 && !v.have[id] && e.Kind.isTurn() == (log >= clones) && e.Kind != Seal {
							c.add(Entry{Ev: id, From: log, Seen: c.now()})
							v = c.view()
						}
					}
				}
			}
			c.Missed[h] = false
		}
	}
}

// lose ends unsent turns that no longer count.
func (c *Clone) lose() {
	for _, id := range c.view().turns {
		if c.W.Sp.NoLost || c.fold(c.view().order[c.W.Ev[id].H], mode{rules: true, times: true}).counts[id] {
			continue
		}
		if w := c.W; w.Sp.Wait && w.Ev[id].At > c.now()+grace {
			continue
		}
		c.add(Entry{Kind: isLost, Ev: id})
		c.W.told[c.N][id]++
	}
}

// seal adds a seal to a batch of a clone that has the key.
func (c *Clone) seal(lines []ID) []ID {
	w := c.W
	if !w.Cf.Seals || !c.hasKey() {
		return lines
	}
	var mine []ID
	for _, id := range lines {
		if e := w.Ev[id]; e.Op == ann && e.Kind != Doc && e.Kind != Seal &&
			(!w.Sp.SealMade || c.view().made[id] || w.making == id) {
			mine = append(mine, id)
		}
	}
	lines = slices.Clone(lines)
	for part := range slices.Chunk(mine, len(Event{}.Ids)) {
		s := Event{Kind: Seal, Op: ann}
		copy(s.Ids[:], part)
		lines = append(lines, w.fresh(s))
	}
	return lines
}

// outcome of a request to append.
type outcome int

const (
	done outcome = iota
	moved
	noAnswer // or killed: nothing is recorded
)

// send appends all that is unsent, and one turn more, each log for itself, and records it.
func (c *Clone) send(more ID, l *luck) outcome {
	w, v := c.W, c.view()
	var out [logs][]ID
	out[c.Writer] = slices.Clone(v.unsent)
	for _, id := range v.turns {
		out[place(w.Ev[id], 0)] = append(out[place(w.Ev[id], 0)], id)
	}
	if more != 0 {
		out[place(w.Ev[more], 0)] = append(out[place(w.Ev[more], 0)], more)
	}
	lots := 9
	if w.Cf.Kills && l != nil {
		lots = l.n(9)
	}
	if lots == 0 {
		return noAnswer // killed before
	}
	at, was := len(c.Log), done
	var add []Entry
	for log, lines := range out {
		if len(lines) == 0 {
			continue
		}
		lines = c.seal(lines)
		v = c.view()
		end, ok := w.append(log, v.pos[log], lines)
		if !ok {
			was = moved
			continue
		}
		read := Entry{Kind: isRead, Log: log, End: end, Through: v.through}
		if log == c.Writer {
			read.Through = at
		}
		for _, id := range lines {
			if w.Ev[id].Kind.isTurn() {
				read.Turns = append(read.Turns, id)
			}
			if !v.have[id] {
				add = append(add, Entry{Ev: id, From: -1, Seen: c.now()})
			}
		}
		add = append(add, read)
		if more != 0 && slices.Contains(lines, more) {
			defer func() { w.making = 0 }()
		}
	}
	if lots == 1 { // killed after it, or the answer was lost
		return noAnswer
	}
	if lots == 2 && w.Cf.Kills && v.docs[0] { // another process marks between the append and the record
		c.fact(MarkRead, 0, []int{ann, ben, ben}[c.N])
		if w.Sp.ThroughLate {
			for i := range add {
				if add[i].Log == c.Writer && add[i].Kind == isRead {
					add[i].Through = len(c.Log)
				}
			}
		}
	}
	c.add(add...)
	if more != 0 && !c.view().listed[more] {
		return moved
	}
	if more != 0 {
		return done
	}
	return was
}

// sync is the command. It returns an exit code.
func (c *Clone) sync(l *luck) int {
	rewritten := false
	for range 4 {
		first := 0
		if l != nil {
			first = l.n(logs)
		}
		for i := range logs {
			if _, ok := c.receive((first+i)%logs, l); !ok {
				rewritten = true
			}
		}
		c.admit()
		c.lose()
		v := c.view()
		if len(v.unsent)+len(v.turns) == 0 {
			break
		}
		if o := c.send(0, l); o == done {
			break
		} else if o == noAnswer {
			return 1
		}
	}
	if rewritten {
		return 6
	}
	return 0
}

// restore is sync --restore-remote.
func (c *Clone) restore(l *luck) int {
	w := c.W
	before := make(map[ID]bool)
	for h := range handoffs {
		for id := range c.fold(c.view().order[h], mode{rules: true, times: true}).counts {
			before[id] = true
		}
	}
	for range 4 {
		v := c.view()
		var add []Entry
		known := make(map[ID]bool)
		there := make(map[ID]bool)
		var ends [logs]int
		save := slices.Clone(c.Held)
		var order [handoffs][]ID
		for log := range logs {
			lines, end, _ := w.tail(log, 0)
			ends[log] = end
			for _, id := range lines {
				if e := w.Ev[id]; e.Kind != Seal && (e.Kind.isTurn() != (log >= clones) || log >= clones && e.H != log-clones) {
					continue
				}
				there[id] = true
				if w.Ev[id].Kind.isTurn() && log >= clones && !slices.Contains(order[log-clones], id) && w.Ev[id].H == log-clones {
					order[log-clones] = append(order[log-clones], id)
				}
			}
			add = append(add, c.stored(log, lines, end, known)...)
		}
		var out [logs][]ID
		for _, e := range c.Log { // what the logs lack, whoever wrote it
			if e.Kind != isEvent || there[e.Ev] || e.From >= 0 && w.Sp.RestoreOwn || w.Ev[e.Ev].Kind.isTurn() {
				continue
			}
			if w.Sp.ThroughKept && e.From < 0 && !slices.Contains(v.unsent, e.Ev) {
				continue
			}
			there[e.Ev] = true
			log := c.Writer
			if ev := w.Ev[e.Ev]; ev.Kind == Seal && !w.Sp.SealAway { // a seal goes with what it signs
				log = place(w.Ev[ev.Ids[0]], c.Writer)
			}
			out[log] = append(out[log], e.Ev)
		}
		var lost []ID
		for h := range handoffs {
			for _, id := range v.order[h] {
				if there[id] || w.Sp.RestoreOwn && !v.made[id] {
					continue
				}
				if !v.listed[id] && !c.fold(append(slices.Clone(order[h]), id), mode{rules: true, times: true}).counts[id] {
					lost = append(lost, id)
					continue
				}
				order[h] = append(order[h], id)
				out[clones+h] = append(out[clones+h], id)
			}
		}
		if w.Cf.Kills && l != nil && l.n(6) == 0 {
			c.Held = save
			return 1
		}
		again := false
		at := len(c.Log)
		for log, lines := range out {
			if len(lines) == 0 {
				continue
			}
			lines = c.seal(lines)
			end, ok := w.append(log, ends[log], lines)
			if !ok {
				again = true
				continue
			}
			for _, id := range lines {
				if !c.view().have[id] {
					add = append(add, Entry{Ev: id, From: -1, Seen: c.now()})
				}
			}
			add = append(add, Entry{Kind: isRead, Log: log, End: end, Turns: turnsOf(w, lines), Through: at})
		}
		if w.Cf.Kills && l != nil && l.n(6) == 0 {
			c.Held = save
			return 1
		}
		if again {
			c.Held = save
			continue
		}
		for i := range add {
			if add[i].Kind == isRead && add[i].Log == c.Writer {
				add[i].Through = at // all that was made here stands there now
				if w.Sp.ThroughKept {
					add[i].Through = v.through
				}
			}
		}
		c.add(Entry{Kind: isBegin})
		c.add(add...)
		for _, id := range lost {
			c.add(Entry{Kind: isLost, Ev: id})
			w.told[c.N][id]++
		}
		c.admit()
		for h := range handoffs {
			s := c.fold(c.view().order[h], mode{rules: true, times: true})
			for id := range before {
				if w.Ev[id].H == h && !s.counts[id] && c.view().made[id] && w.told[c.N][id] == 0 {
					w.told[c.N][id]++
				}
			}
		}
		return 0
	}
	return 1
}

func turnsOf(w *World, lines []ID) (turns []ID) {
	for _, id := range lines {
		if w.Ev[id].Kind.isTurn() {
			turns = append(turns, id)
		}
	}
	return turns
}

// fact records a fact.
func (c *Clone) fact(k Kind, h, op int) {
	w, m := c.W, mode{rules: true, times: true}
	v := c.view()
	if !v.docs[h] || c.Know>>op&1 == 0 {
		return
	}
	s := c.fold(v.order[h], m)
	if op == ann && !c.hasKey() {
		return
	}
	t := c.now()
	if w.Sp.Bump {
		t = max(t, s.free+1)
		for _, id := range append(slices.Clone(v.facts), v.order[h]...) {
			if e := w.Ev[id]; e.H == h && (e.Op == op || k >= Archive) && c.allowed(id, m) {
				t = max(t, c.timeOf(id, m)+1)
			}
		}
	}
	id := w.make(Event{Kind: k, H: h, Op: op, At: t})
	if c.view().have[id] {
		return
	}
	c.add(Entry{Ev: id, From: -1, Seen: t})
	w.facts = append(w.facts, ack{id, c.N, c.Know})
	s = c.fold(c.view().order[h], m)
	if t > c.now()+grace { // it follows one at the very edge: a moment later it has an effect
		return
	}
	if k <= MarkUnread && c.isRead(h, op, s) != (k == MarkRead) || k >= Archive && c.isArchived(h) != (k == Archive) {
		w.fail("5", "%s has no effect where it was made", w.say(id))
	}
}

// act makes a turn, and returns what the command says.
func (c *Clone) act(k Kind, h, op, sess int, online, steal bool, l *luck) string {
	w := c.W
	local, bare := mode{rules: true, times: true}, mode{}
	if !c.view().docs[h] || c.Know>>op&1 == 0 {
		return "not here"
	}
	e := Event{Kind: k, H: h, Op: op, Sess: sess, At: c.now(), Over: steal}
	if k <= Renew || k == Resume {
		e.Until = c.now() + lease
		if op == ann {
			e.Until = 0
		}
	}
	w.nonce++
	e.Nonce = w.nonce
	for range 6 {
		v := c.view()
		s, b := c.fold(v.order[h], local), c.fold(v.order[h], bare)
		e.Of = [8]ID{turn(s)}
		if steal {
			e.Of = [8]ID{turn(s), turn(b), turn(c.fold(v.order[h], mode{rules: true}))}
		}
		for i := 3; i < len(e.Of) && w.Sp.RulesEnd && (k == Take || k == Resume); i++ {
			if e.Of[i] = c.open(v.order[h], s, b, e, true); e.Of[i] == 0 && steal {
				e.Of[i] = c.open(v.order[h], s, b, e, false)
			}
			if e.Of[i] == 0 {
				break
			}
		}
		if k == Release || k == Renew {
			e.Of[0] = s.holder
		}
		w.making = w.make(e)
		id := w.making
		mine := s.holder != 0 && s.end == 0 && w.Ev[s.holder].Op == op && w.Ev[s.holder].Sess == sess
		s0, b0 := s, b
		counts := c.apply(&s, id, local)
		late := s0.holder == 0 || s0.end != 0 || mine || s0.until == 0 || c.now() > s0.until+grace
		if k == Take && !steal && !late {
			counts = false
		}
		if !online {
			w.making = 0
			if !counts || k == Take && mine || s0.end != 0 && k == Take {
				return "refused"
			}
			c.add(Entry{Ev: id, From: -1, Seen: c.now()})
			w.off = append(w.off, ack{id, c.N, c.Know})
			return "unconfirmed"
		}
		if (!counts || (k == Take || k == Done) && mine && k == Take) && !w.Sp.NoReadFirst {
			news, ok := c.receive(clones+h, nil)
			w.making = 0
			switch {
			case !ok:
				return "6"
			case news:
				c.lose()
				continue
			case mine && k == Take:
				return "existing"
			}
			return "refused"
		} else if !counts {
			return "refused"
		}
		twice := !w.Sp.LocalOnly && (k == Take || k == Resume || w.Sp.TwiceAll)
		if twice && !c.apply(&b, id, bare) {
			w.making = 0
			return "disputed"
		}
		if twice && w.Sp.RulesEnd && c.open(v.order[h], s0, b0, e, false) != 0 {
			w.making = 0
			return "disputed"
		}
		if w.Sp.TwiceOwn {
			x := c.fold(v.order[h], mode{rules: true})
			if !c.apply(&x, id, mode{rules: true}) {
				w.making = 0
				return "disputed"
			}
		}
		switch o := c.send(id, l); o {
		case noAnswer:
			w.making = 0
			return "1"
		case done:
			w.making = 0
			w.acks = append(w.acks, ack{id, c.N, c.Know})
			w.exclusive(id)
			return "ok"
		}
		w.making = 0
		if _, ok := c.receive(clones+h, nil); !ok {
			return "6"
		}
		c.receive(c.Writer, nil)
		c.lose()
	}
	return "4"
}

// turn is what a turn may end now.
func turn(s State) ID {
	if s.end != 0 {
		return s.end
	}
	return s.holder
}
