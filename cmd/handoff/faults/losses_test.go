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
	step  int // the number of the step whose names are lost, counted from 1; 0 for none
}

func (p *part) add(lost string, apply func(tree)) {
	p.ways = append(p.ways, way{lost: lost, apply: apply})
}

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

// lastSync says how many steps there were when a node was synced the last time, whole or in its data alone.
func (c cut) lastSync(n *node, whole bool) int {
	for i := c.n - 1; i >= 0; i-- {
		if s := c.steps[i]; s.does == isSynced && s.node == n && !c.dropped[i] && !(whole && s.isBare) {
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
		if m > 0 && !c.steps[m-1].ends || c.steps[m].does != isName && c.steps[m].does != isMode {
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
	return s.does == isName && (s.node == n || s.to == n || s.back == n) || s.does == isMode && s.node == n
}

// names are the parts of the names that were changed since the sync of their directories: each change is lost alone.
func (c cut) names() (list []part) {
	for i, s := range c.steps[:c.n] {
		if s.does == isName && i >= c.lastSync(s.node, true) {
			list = append(list, part{[]way{{apply: func(tree) {}}, {lost: s.what, apply: func(tree) {}, step: i + 1}}})
		}
	}
	return list
}

// rename gives the directories of a tree the names that they have without the steps that are lost.
func (c cut) rename(t tree, lost map[int]bool) {
	for i := range lost {
		dir := c.steps[i-1].node
		from := c.lastSync(dir, true)
		names := c.until(from).has[dir]
		for k, s := range c.steps[from:c.n] {
			if s.does == isName && s.node == dir && !lost[from+k+1] && s.finds(names) {
				names = s.rename(names)
			}
		}
		now := t.has[dir]
		now.names = names.names
		t.has[dir] = now
	}
}

// finds says whether the file that a step gives another name has the name that it takes away: what is done with a name
// that came to nothing comes to nothing.
func (s step) finds(dir content) bool {
	return s.source == "" || dir.names[s.source] == s.to && (s.back == nil || dir.names[s.name] == s.back)
}

// modes is the part of the permissions of a file.
func (c cut) modes(n *node) (p part) {
	p.add("", func(tree) {})
	synced := c.lastSync(n, true)
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
	p.add("", func(tree) {})
	add := func(lost string, data content) {
		p.add(lost, func(t tree) { t.has[n] = t.has[n].holding(data.data, data.size) })
	}
	synced := c.lastSync(n, false)
	sure, without := c.until(synced).has[n], c.forgotten(n, synced)
	if without != nil {
		add("what a sync of it did not write", *without)
	}
	now, what := sure, ""
	for _, s := range c.steps[synced:c.n] {
		if s.does == isData && s.node == n {
			add(s.what+" and later", now)
			now, what = s.change(now), s.what
		}
	}
	if what == "" {
		return p
	}
	tearFile(sure, now, func(kept string, data content) { add(what+" but "+kept, data) })
	if without != nil {
		tearFile(*without, now, func(kept string, data content) { add(what+" and what a sync of it did not write but "+kept, data) })
	}
	return p
}

// forgotten is the content of a file after so many steps without what failed syncs were to write, nil if none failed.
func (c cut) forgotten(n *node, synced int) *content {
	now, isBorn := c.born[n]
	if !isBorn {
		now = c.base.has[n]
	}
	sure, failed := now, false
	for i, s := range c.steps[:synced] {
		switch {
		case s.node != n:
		case s.does == isData:
			now = s.change(now)
		case s.does == isFailed:
			now, failed = sure, true
		case s.does == isSynced && !c.dropped[i]:
			sure = now
		}
	}
	if !failed {
		return nil
	}
	return &now
}

const sector = 512

// tearFile yields the ways in which only some sectors of a file came to disk, and what was kept of it.
func tearFile(before, now content, yield func(kept string, data content)) {
	var changed []int
	for at := 0; at < max(len(now.data), len(before.data)); at += sector {
		if int64(at) < now.size && string(sectorOf(before, at, now.size)) != string(sectorOf(now, at, now.size)) {
			changed = append(changed, at)
		}
		if int64(at) > before.size && int64(at) < now.size {
			yield(fmt.Sprintf("the first %d bytes", at), now.sized(int64(at)))
		}
	}
	for _, kept := range subsets(len(changed)) {
		torn, places := before.sized(now.size), []int{}
		for i, at := range changed {
			if kept[i] {
				torn, places = torn.written(sectorOf(now, at, now.size), int64(at)), append(places, at)
			}
		}
		yield(fmt.Sprintf("the size and sectors at %d", places), torn)
	}
}

// sectorOf is a sector of a file that was filled up with zeros to a size.
func sectorOf(c content, at int, size int64) []byte {
	text := make([]byte, min(sector, size-int64(at)))
	copy(text, c.data[min(at, len(c.data)):])
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
	for one := 0; one < n; one += 1 + n/16 {
		only, others, first := make([]bool, n), make([]bool, n), make([]bool, n)
		for i := range n {
			only[i], others[i], first[i] = i == one, i != one, i < one
		}
		list = append(list, only, others, first)
	}
	return list
}
