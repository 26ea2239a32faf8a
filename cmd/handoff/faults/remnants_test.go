//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A remnant is a tree that a cut may leave.
type remnant struct {
	grow   func() tree // makes it: of all of them at once there would be much in memory
	what   string
	lost   []string
	isWeak bool // no journal orders the names
	isLast bool // nothing was to be done any more
}

// remnants are what the cut may leave: every combination of what may be lost if there are few, else that of one thing and of
// all but one, and some that chance picks.
func (c cut) remnants(most int) (list []remnant) {
	parts := c.parts()
	for _, picks := range combinations(parts, most, rand.New(rand.NewPCG(uint64(c.n), 1))) {
		var lost []string
		for i, pick := range picks {
			if pick > 0 {
				lost = append(lost, parts[i].ways[pick].lost)
			}
		}
		grow := func() tree { return c.with(parts, picks) }
		list = append(list, remnant{grow, fmt.Sprintf("%s, cut after %s, lost: [%s]", c.fileSystem.name, c.after(), strings.Join(lost, "; ")), lost, !c.hasJournal, c.n == len(c.steps)})
	}
	return list
}

// with is the tree of a cut in which of each part is left what was picked.
func (c cut) with(parts []part, picks []int) tree {
	t, steps := c.until(c.n), make(map[int]bool)
	for i, pick := range picks {
		way := parts[i].ways[pick]
		if way.apply(t); way.step > 0 {
			steps[way.step] = true
		}
	}
	c.rename(t, steps)
	return t
}

// after names the last step before the cut.
func (c cut) after() string {
	if c.n == 0 {
		return "nothing"
	}
	return fmt.Sprintf("step %d of %d (%s)", c.n, len(c.steps), c.steps[c.n-1].what)
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

// A variety collects what cuts may leave, each tree once.
type variety struct {
	list []remnant
	seen map[string]bool
}

// add adds what the cuts after each call from a step on may leave, of a history in which some syncs were not done.
func (v *variety) add(h history, from int, fs fileSystem, dropped map[int]bool, most int) {
	if v.seen == nil {
		v.seen = make(map[string]bool)
	}
	for n := from; n <= len(h.steps); n++ {
		if n > 0 && !h.steps[n-1].ends {
			continue
		}
		for _, r := range (cut{h, fs, n, dropped}).remnants(most) {
			key := hash(fmt.Append(nil, r.isLast, r.grow().text()))
			if !v.seen[key] {
				v.list = append(v.list, r)
			}
			v.seen[key] = true
		}
	}
}
