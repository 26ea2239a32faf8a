//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A remnant is a tree that a cut may leave.
type remnant struct {
	tree
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
		t := c.until(c.n)
		var lost []string
		steps := make(map[int]bool)
		for i, pick := range picks {
			way := parts[i].ways[pick]
			if way.apply(t); pick > 0 {
				lost = append(lost, way.lost)
			}
			if way.step > 0 {
				steps[way.step] = true
			}
		}
		c.rename(t, steps)
		list = append(list, remnant{t, fmt.Sprintf("%s, cut after %s, lost: [%s]", c.fileSystem.name, c.after(), strings.Join(lost, "; ")), lost, !c.hasJournal, c.n == len(c.steps)})
	}
	return list
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
			key := fmt.Sprint(r.isLast) + r.text()
			if !v.seen[key] {
				v.list = append(v.list, r)
			}
			v.seen[key] = true
		}
	}
}
