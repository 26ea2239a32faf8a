//go:build linux

package faults_test

import (
	"fmt"
	"maps"
	"slices"
)

// A fileSystem is what may be lost in a power cut. What was synced is never lost: in a file its content, size and mode, in a
// directory its names. What was not synced may be lost, in sectors of 512 bytes of which each is as it was or as it was
// to be, and the size of a file may be that of later without what was written, which reads as zeros.
type fileSystem struct {
	name string
	// In a journal the names and modes that are on disk are those of one moment, at which at least everything was done that
	// came before the last change of what was synced. Without one each name has any of the meanings since the sync of its
	// directory. That a rename within a directory is one change holds on all file systems that are used.
	hasJournal bool
}

var fileSystems = []fileSystem{{"journaled", true}, {"weak", false}}

// A part is one of the things in a tree of which some may be lost, with what it may be then. The first way is that
// nothing is lost, and the second that all is.
type part struct{ ways []way }

type way struct {
	lost  string
	apply func(tree)
}

func (p *part) add(lost string, apply func(tree)) { p.ways = append(p.ways, way{lost, apply}) }

// A cut is one after the first n steps, as if some of the syncs had not been done.
type cut struct {
	history
	fileSystem
	n       int
	dropped map[int]bool
}

// until returns the tree after the first n steps.
func (h history) until(n int) tree {
	d := h.base.clone()
	maps.Copy(d.has, h.born)
	for _, s := range h.steps[:n] {
		d.apply(s)
	}
	return d
}

// lastSync says how many steps there were when a node was synced the last time.
func (c cut) lastSync(n *node) int {
	for i := c.n - 1; i >= 0; i-- {
		if s := c.steps[i]; s.does == isSynced && s.node == n && !c.dropped[i] {
			return i
		}
	}
	return 0
}

// parts are the things of which something may be lost.
func (c cut) parts() (list []part) {
	if c.hasJournal {
		list = append(list, c.journal())
	} else {
		list = c.names()
	}
	var seen []*node
	for _, s := range c.steps[:c.n] {
		if (s.does == isData || s.does == isMode) && !slices.Contains(seen, s.node) && c.hasName(s.node) {
			seen = append(seen, s.node)
			list = append(list, c.data(s.node))
			if !c.hasJournal {
				list = append(list, c.modes(s.node))
			}
		}
	}
	return slices.DeleteFunc(list, func(p part) bool { return len(p.ways) < 2 })
}

// hasName says whether a node had a name at some time.
func (c cut) hasName(n *node) bool {
	if _, isOld := c.base.has[n]; isOld {
		return true
	}
	return slices.ContainsFunc(c.steps[:c.n], func(s step) bool { return s.to == n })
}

// journal is the part of all names and modes, which are those of one moment.
func (c cut) journal() (p part) {
	sure := 0
	for i, s := range c.steps[:c.n] {
		if s.does == isSynced && !c.dropped[i] {
			for j, before := range c.steps[:i] {
				if before.touches(s.node) {
					sure = max(sure, j+1)
				}
			}
		}
	}
	p.add("", func(tree) {})
	for m := sure; m < c.n; m++ {
		if m > 0 && !c.steps[m-1].ends || c.steps[m].does == isSynced || c.steps[m].does == isData {
			continue
		}
		then := c.until(m)
		p.add("the journal from "+c.steps[m].what, func(t tree) {
			for n, now := range t.has {
				now.names, now.mode = then.has[n].names, then.has[n].mode
				t.has[n] = now
			}
		})
	}
	return p
}

// touches says whether the step changes what a journal holds of a node.
func (s step) touches(n *node) bool {
	return s.does == isName && (s.node == n || s.to == n || s.from == n) || s.does == isMode && s.node == n
}

// names are the parts of the names that were changed since the sync of their directories.
func (c cut) names() (list []part) {
	seen := make(map[string]bool)
	for _, s := range c.steps[:c.n] {
		key := fmt.Sprintf("%p %s", s.node, s.name)
		if s.does != isName || seen[key] {
			continue
		}
		seen[key] = true
		var p part
		p.add("", func(tree) {})
		last := true
		for _, later := range slices.Backward(c.steps[c.lastSync(s.node):c.n]) {
			if later.does == isName && later.node == s.node && later.name == s.name {
				what := later.what
				if !last {
					what += " and later"
				}
				last = false
				p.add(what, func(t tree) {
					now := t.has[s.node].named(s.name, later.from)
					if later.source != "" {
						now = now.named(later.source, later.to)
					}
					t.has[s.node] = now
				})
			}
		}
		slices.Reverse(p.ways[1:])
		list = append(list, p)
	}
	return list
}

// modes is the part of the permissions of a file.
func (c cut) modes(n *node) (p part) {
	p.add("", func(tree) {})
	synced := c.lastSync(n)
	for i, s := range c.steps[:c.n] {
		if s.does == isMode && s.node == n && i >= synced {
			before := c.until(i).has[n].mode
			p.add(s.what, func(t tree) {
				now := t.has[n]
				now.mode = before
				t.has[n] = now
			})
		}
	}
	return p
}

// data is the part of the content of a file.
func (c cut) data(n *node) (p part) {
	add := func(lost string, data []byte) {
		p.add(lost, func(t tree) {
			now := t.has[n]
			now.data = data
			t.has[n] = now
		})
	}
	p.add("", func(tree) {})
	synced := c.lastSync(n)
	before := c.until(synced).has[n].data
	now, what := before, ""
	for _, s := range c.steps[synced:c.n] {
		if s.does == isData && s.node == n {
			add(s.what+" and later", now)
			now, what = s.next.data, s.what
		}
	}
	if what == "" {
		return p
	}
	tearFile(before, now, func(kept string, data []byte) { add(what+" but "+kept, data) })
	return p
}

const sector = 512

// tearFile yields the ways in which only some sectors of a file came to disk, and what was kept of it.
func tearFile(before, now []byte, yield func(kept string, data []byte)) {
	var changed []int
	for at := 0; at < len(now); at += sector {
		if string(sectorOf(before, at, len(now))) != string(sectorOf(now, at, len(now))) {
			changed = append(changed, at)
		}
		if at > len(before) {
			yield(fmt.Sprintf("the first %d bytes", at), now[:at])
		}
	}
	for _, kept := range subsets(len(changed)) {
		data, places := make([]byte, len(now)), []int{}
		copy(data, before)
		for i, at := range changed {
			if kept[i] {
				copy(data[at:], sectorOf(now, at, len(now)))
				places = append(places, at)
			}
		}
		yield(fmt.Sprintf("the size and sectors at %d", places), data)
	}
}

// sectorOf is a sector of a file that was filled up with zeros to a size.
func sectorOf(data []byte, at, size int) []byte {
	text := make([]byte, min(sector, size-at))
	copy(text, data[min(at, len(data)):])
	return text
}

// subsets are ways to keep some of n things: all but all of them if there are few, else none, one, all but one, and the first of them.
func subsets(n int) (list [][]bool) {
	if n <= 3 {
		for bits := range 1<<n - 1 {
			kept := make([]bool, n)
			for i := range n {
				kept[i] = bits>>i&1 == 1
			}
			list = append(list, kept)
		}
		return list
	}
	list = append(list, make([]bool, n))
	for one := range n {
		only, others, first := make([]bool, n), make([]bool, n), make([]bool, n)
		for i := range n {
			only[i], others[i], first[i] = i == one, i != one, i < one
		}
		list = append(list, only, others, first)
	}
	return list
}
