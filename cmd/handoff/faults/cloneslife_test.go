//go:build linux

package faults_test

import (
	"fmt"
	"strings"
)

// lives are the handoffs of a crowd that are taken, done and archived, and what of that was acknowledged.
type lives struct {
	tasks, past []string          // ids: what is worked on, and what is archived
	letters     []string          // ids: what its sender withdraws, and others take
	last        map[string]*fate  // what was done with a letter
	holders     map[string]string // who has taken a task, and did not begin to give it back
	over        map[string]string // who did it
	archived    map[string]bool
	back        map[string]bool // somebody began to bring them back
}

func newLives() lives {
	return lives{last: make(map[string]*fate), holders: make(map[string]string), over: make(map[string]string), archived: make(map[string]bool), back: make(map[string]bool)}
}

// mark marks one of the handoffs that a clone has.
func (c *crowd) mark(w *worker) {
	r := w.run("", "list", "--format", "ids")
	ids := strings.Fields(r.stdout)
	if r.code != 0 || len(ids) == 0 {
		return
	}
	args := []string{"mark-read", ids[w.IntN(len(ids))], []string{"ben", "cat"}[w.IntN(2)]}
	if w.done(w.run("", args...), args, 4) {
		w.marked(args[1], args[2])
	}
}

// resume tries to be the one who resumes a handoff that all have.
func (c *crowd) resume(w *worker, id string) {
	operator := fmt.Sprintf("op%d", w.number)
	args := resumeOf(id, operator)
	if !w.done(w.run("", args...), args, 4, 7, 11) {
		return
	}
	c.mu.Lock()
	by := c.winners[id]
	c.winners[id] = operator
	c.mu.Unlock()
	if by != "" && by != operator {
		w.fault("%s is resumed by %s, and was by %s", id, operator, by)
	}
}

// task takes one of the tasks, gives it back or does it. One has it at a time, and it is done once.
func (c *crowd) task(w *worker) {
	id, operator := c.life.tasks[w.IntN(len(c.life.tasks))], fmt.Sprintf("op%d", w.number)
	act := []string{"take", "take", "take", "release", "release", "done", "archive", "unarchive"}[w.IntN(8)]
	args := append(verb(act), id, "--operator", operator)
	if act == "archive" || act == "unarchive" {
		args[len(args)-1] = "ann"
		w.done(w.run("", args...), args, 2, 4) // somebody may have taken it
		return
	}
	c.mu.Lock()
	c.freed[id] = c.freed[id] || act == "release"
	if act != "take" && c.life.holders[id] == operator {
		delete(c.life.holders, id)
	}
	c.mu.Unlock()
	if !w.done(w.run("", args...), args, 4, 7, 11) || act == "release" {
		return
	}
	c.mu.Lock()
	holder, by := c.life.holders[id], c.life.over[id]
	if act == "take" {
		c.life.holders[id] = operator
	} else {
		c.life.over[id] = operator
	}
	c.mu.Unlock()
	if holder != "" && holder != operator {
		w.fault("%s: %s by %s, and it is taken by %s", id, act, operator, holder)
	}
	if by != "" && (act == "take" || by != operator) {
		w.fault("%s: %s by %s, and it was done by %s", id, act, operator, by)
	}
}

// retire reads and archives a handoff, or brings one back that may be archived.
func (c *crowd) retire(w *worker) {
	id := c.life.past[w.IntN(len(c.life.past))]
	if w.IntN(3) == 0 {
		c.mu.Lock()
		c.life.back[id] = true
		c.mu.Unlock()
		args := []string{"archive", "--undo", id, "--operator", "ann"}
		w.done(w.run("", args...), args, 2, 4)
		return
	}
	for _, args := range [][]string{
		{"mark-read", id, "ben"}, {"archive", id, "--operator", "ann"},
	}[:1+w.IntN(2)] {
		ok := w.done(w.run("", args...), args, 2, 4)
		c.mu.Lock()
		switch {
		case args[0] == "archive" && ok:
			c.life.archived[id] = true
		case args[0] == "mark-read" && ok:
			c.marks[[2]string{id, "ben"}] = true
		}
		c.mu.Unlock()
	}
}

// A fate is what became of a letter.
type fate struct {
	begun, running int
	unknown        bool   // somebody was killed: the act may take effect or not
	state          string // what it must be, or with ! must not be: of an act that nobody did anything beside, or after
}

// letter has its sender withdraw a letter or send it again, and somebody else take it or give it back.
func (c *crowd) letter(w *worker) {
	id, operator := c.life.letters[w.IntN(len(c.life.letters))], fmt.Sprintf("op%d", w.number)
	deeds := []struct {
		args  []string
		state string
	}{
		{[]string{"withdraw", id, "--operator", "ann"}, "withdrawn"},
		{[]string{"take", id, "--operator", operator}, "taken"},
		{[]string{"done", id, "--undo", "--operator", "ann"}, "!withdrawn"},
		{[]string{"release", id, "--operator", operator}, "!taken"},
	}
	deed := deeds[w.IntN(len(deeds))]
	c.mu.Lock()
	l := c.life.last[id]
	if l == nil {
		l = new(fate)
		c.life.last[id] = l
	}
	if l.state == "withdrawn" { // else it is rarely sent again
		deed = deeds[2]
	}
	c.freed[id] = c.freed[id] || strings.HasPrefix(deed.state, "!")
	l.begun++
	l.running++
	begun, before := l.begun, l.state
	isAlone := l.running == 1
	l.state = ""
	c.mu.Unlock()
	r := w.run("", deed.args...)
	ok := w.done(r, deed.args, 2, 4, 7, 11) // somebody was first
	c.mu.Lock()
	defer c.mu.Unlock()
	l.running--
	l.unknown = l.unknown || r.code < 0
	switch isAlone = isAlone && l.begun == begun; {
	case isAlone && ok && strings.Contains(r.stdout, "changed"):
		l.state = deed.state
	case isAlone && r.code >= 0:
		l.state = before
	}
}

// lacks says what was acknowledged and is not so in a clone.
func (l lives) lacks(now state) (faults []string) {
	for id, is := range l.archived {
		if is && !l.back[id] && now.States[id] != "archived" {
			faults = append(faults, fmt.Sprintf("%s was archived, and is %q", id, now.States[id]))
		}
	}
	for id, did := range l.last {
		not, isNot := strings.CutPrefix(did.state, "!")
		if did.state != "" && !did.unknown && (now.States[id] == not) == isNot {
			faults = append(faults, fmt.Sprintf("%s must be %s, and is %q", id, did.state, now.States[id]))
		}
	}
	for id, operator := range l.over {
		isDone := false
		for token, by := range now.Ledger {
			isDone = isDone || by == operator && strings.HasPrefix(token, id+"#done.")
		}
		if !isDone {
			faults = append(faults, fmt.Sprintf("%s was done by %s, and the ledger does not say so", id, operator))
		}
	}
	return faults
}
