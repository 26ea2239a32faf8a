//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// What may be lost in a power cut: of a file what was not synced, in sectors of 512 bytes of which each is as it was or
// as it was to be, and its size may be that of later without what was written, which reads as zeros. Of a directory
// each name that was changed since its sync, alone. That a rename within a directory is one change holds on all file
// systems that are used.

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
	n       int
	dropped map[int]bool
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
	list = c.names()
	var seen []*node
	for _, s := range c.steps[:c.n] {
		if s.does == isData && !slices.Contains(seen, s.node) {
			seen = append(seen, s.node)
			list = append(list, c.data(s.node))
		}
	}
	return slices.DeleteFunc(list, func(p part) bool { return len(p.ways) < 2 })
}

// names are the parts of the names that were changed since the sync of their directories.
func (c cut) names() (list []part) {
	for i, s := range c.steps[:c.n] {
		if s.does == isName && i >= c.lastSync(s.node) {
			list = append(list, part{[]way{{apply: func(tree) {}}, {lost: s.what, apply: func(tree) {}, step: i + 1}}})
		}
	}
	return list
}

// rename gives the directories of a tree the names that they have without the steps that are lost.
func (c cut) rename(t tree, lost map[int]bool) {
	for i := range lost {
		dir := c.steps[i-1].node
		from := c.lastSync(dir)
		names := c.until(from).has[dir]
		for k, s := range c.steps[from:c.n] {
			isFound := s.source == "" || names.names[s.source] == s.to // else what is done with it comes to nothing
			if s.does == isName && s.node == dir && !lost[from+k+1] && isFound {
				names = s.rename(names)
			}
		}
		now := t.has[dir]
		now.names = names.names
		t.has[dir] = now
	}
}

// data is the part of the content of a file.
func (c cut) data(n *node) (p part) {
	p.add("", func(tree) {})
	add := func(lost string, data content) {
		p.add(lost, func(t tree) { t.has[n] = t.has[n].holding(data.data, data.size) })
	}
	synced := c.lastSync(n)
	sure := c.until(synced).has[n]
	now, what := sure, ""
	for _, s := range c.steps[synced:c.n] {
		if s.does == isData && s.node == n {
			add(s.what+" and later", now)
			now, what = s.change(now), s.what
		}
	}
	if what != "" {
		tearFile(sure, now, func(kept string, data content) { add(what+" but "+kept, data) })
	}
	return p
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

// subsets are ways to keep some of n things: all but all of them if there are few, else none, one, all but one, and the
// first of them.
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

// A remnant is a tree that a cut may leave.
type remnant struct {
	grow   func() tree // makes it: of all of them at once there would be much in memory
	what   string
	isLast bool // nothing was to be done any more
}

// remnants are what the cut may leave: every combination of what may be lost if there are few, else that of one thing
// and of all but one, and some that chance picks.
func (c cut) remnants(most int) (list []remnant) {
	parts := c.parts()
	for _, picks := range combinations(parts, most, rand.New(rand.NewPCG(uint64(c.n), 1))) {
		var lost []string
		for i, pick := range picks {
			if pick > 0 {
				lost = append(lost, parts[i].ways[pick].lost)
			}
		}
		after := "nothing"
		if c.n > 0 {
			after = fmt.Sprintf("step %d of %d (%s)", c.n, len(c.steps), c.steps[c.n-1].what)
		}
		what := fmt.Sprintf("cut after %s, lost: [%s]", after, strings.Join(lost, "; "))
		list = append(list, remnant{func() tree { return c.with(parts, picks) }, what, c.n == len(c.steps)})
	}
	return list
}

// with is the tree of a cut in which of each part is left what was picked.
func (c cut) with(parts []part, picks []int) tree {
	t, steps := c.until(c.n), map[int]bool{}
	for i, pick := range picks {
		way := parts[i].ways[pick]
		if way.apply(t); way.step > 0 {
			steps[way.step] = true
		}
	}
	c.rename(t, steps)
	return t
}

// combinations pick one way for each part.
func combinations(parts []part, most int, chance *rand.Rand) (list [][]int) {
	all := 1
	for _, p := range parts {
		if all *= len(p.ways); all > most {
			return someCombinations(parts, most, chance)
		}
	}
	for number := range all {
		picks := make([]int, len(parts))
		for i, p := range parts {
			picks[i], number = number%len(p.ways), number/len(p.ways)
		}
		list = append(list, picks)
	}
	return list
}

func someCombinations(parts []part, most int, chance *rand.Rand) [][]int {
	none, oldest := make([]int, len(parts)), make([]int, len(parts))
	for i := range parts {
		oldest[i] = 1
	}
	list := [][]int{none, oldest}
	for i, p := range parts {
		for pick := range p.ways {
			one, others := append([]int{}, none...), append([]int{}, oldest...)
			one[i], others[i] = pick, pick
			list = append(list, one, others)
		}
	}
	for len(list) < most {
		picks := make([]int, len(parts))
		for i, p := range parts {
			picks[i] = chance.IntN(len(p.ways))
		}
		list = append(list, picks)
	}
	return list
}

// remnants are what the cuts after each call from a step on may leave, each tree once.
func (h history) remnants(from int, dropped map[int]bool, most int) (list []remnant) {
	seen := map[string]bool{}
	for n := from; n <= len(h.steps); n++ {
		if n > 0 && !h.steps[n-1].ends {
			continue
		}
		for _, r := range (cut{h, n, dropped}).remnants(most) {
			key := fmt.Sprint(r.isLast, hash([]byte(r.grow().text())))
			if !seen[key] {
				list = append(list, r)
			}
			seen[key] = true
		}
	}
	return list
}
