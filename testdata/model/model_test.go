package model

import (
	"flag"
	"hash/fnv"
	"os"
	"strings"
	"testing"
)

var (
	isWhole = flag.Bool("whole", false, "explore all of it")
	only    = flag.String("only", "", "try the controls whose name has this `word`")
)

var (
	small = []bound{
		{commands: 2, kills: 2, cuts: 2, fails: 1, ops: all},
		{commands: 3, kills: 1, cuts: 2, fails: 1, ops: []int{opWrite0, opBatch}},
		{commands: 3, kills: 1, cuts: 1, fails: 1, ops: []int{opWrite0, opTake, opPrune}},
		{commands: 2, ops: all, damage: true},
	}
	large = []bound{
		{commands: 3, kills: 2, cuts: 2, fails: 1, ops: all},
		{commands: 5, kills: 2, cuts: 2, fails: 1, ops: []int{opWrite0, opBatch}},
		{commands: 4, kills: 1, cuts: 2, fails: 1, ops: []int{opWrite0, opTake, opPrune}},
		{commands: 4, kills: 1, cuts: 2, fails: 1, ops: []int{opBatch, opMark, opRepair}},
		{commands: 6, kills: 1, cuts: 3, fails: 2, ops: []int{opBatch, opWrite1}},
		{commands: 4, ops: all, damage: true},
	}
)

// The protocol breaks no property.
func TestProtocol(t *testing.T) {
	if *only != "" {
		t.Skip("controls alone are wanted")
	}
	bounds := small
	if *isWhole {
		bounds = large
	}
	for _, noPin := range []bool{false, true} {
		for _, b := range bounds {
			b.states = 3_000_000
			e := &explorer{rules: &rules{NoPinB: noPin}, bound: b}
			e.explore()
			t.Logf("at most %d commands, B without pin: %t: %d states, %d cuts, %d damages", b.commands, noPin,
				len(e.nodes), e.cuts, e.damages)
			if len(e.nodes) >= b.states {
				t.Error("the limit of states was met")
			}
			for p, trace := range e.found {
				t.Errorf("%s: %s", p, trace)
			}
		}
	}
}

// isSlow are the controls that must find nothing, and those whose property breaks late.
func (c control) isSlow() bool { return c.want == "" || c.r.PinRaw || c.r.NoCut || c.r.LengthOnly }

// Each clause that is left out breaks the property that it serves. Without -whole a third of them is tried, another one
// for each HANDOFF_SEED.
func TestControls(t *testing.T) {
	for _, c := range controls {
		sum := fnv.New32a()
		sum.Write([]byte(c.name + os.Getenv("HANDOFF_SEED")))
		isWanted := *isWhole || *only == "" && sum.Sum32()%3 == 0 && !c.isSlow()
		if *only != "" {
			isWanted = strings.Contains(c.name, *only)
		}
		if !isWanted {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			e := c.run(600_000)
			if !c.isAsWanted(e) {
				t.Errorf("want %q, found %v", c.want, e.found)
			}
			t.Logf("%d states, found %v", len(e.nodes), e.found)
		})
	}
}
