//go:build linux

package faults_test

import (
	"os"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
)

// row is an operation of a history that is written by hand: one command after the other, each a second long.
type row struct {
	act    string
	by     shell
	answer answer
}

var ann, ben, cleo = shell{operator: "ann"}, shell{"ben", "s1"}, shell{"cleo", "s2"}

func written(rows []row, lasts int64) (ops []porcupine.Operation) {
	for i, row := range rows {
		at := int64(2 * i)
		ops = append(ops, porcupine.Operation{Input: request{"a", row.act, row.by, lasts, at, at + 1}, Output: row.answer,
			Call: at, Return: at + 1})
	}
	return ops
}

// The model accepts what may happen to a handoff, and refuses what may not.
func TestHistoryModel(t *testing.T) {
	t.Parallel()
	changed, existing, refused := answer{how: "changed"}, answer{how: "existing"}, answer{how: "refused"}
	take := row{"take", ben, changed}
	for name, c := range map[string]struct {
		lasts int64
		rows  []row
		isBad bool
	}{
		"a life":                 {0, []row{take, {"take", cleo, refused}, {"release", ben, changed}, {"take", cleo, changed}, {"done", cleo, changed}, {"list", ann, answer{how: "done"}}}, false},
		"a repeat":               {0, []row{take, {"take", ben, existing}}, false},
		"two winners":            {0, []row{take, {"take", cleo, changed}}, true},
		"a lost take":            {0, []row{take, {"list", ann, answer{how: "open"}}}, true},
		"a refusal of a free":    {0, []row{{"take", ben, refused}}, true},
		"another holder":         {0, []row{take, {"take", cleo, answer{how: "refused", holder: cleo}}}, true},
		"done by another":        {0, []row{take, {"done", cleo, changed}}, true},
		"done twice":             {0, []row{{"done", ben, changed}, {"done", cleo, changed}}, true},
		"a take of what is done": {0, []row{{"done", ben, changed}, {"take", cleo, changed}}, true},
		"reopened":               {0, []row{{"done", ben, changed}, {"undo", ann, changed}, {"take", cleo, changed}}, false},
		"after the lease":        {1, []row{take, {"take", cleo, changed}}, false},
		"before its end":         {9, []row{take, {"take", cleo, changed}}, true},
		"refused after it":       {1, []row{take, {"take", cleo, refused}}, true},
		"stolen":                 {9, []row{take, {"steal", cleo, changed}, {"release", cleo, changed}, {"done", ben, refused}}, false},
		"no fence":               {9, []row{take, {"steal", cleo, changed}, {"release", cleo, changed}, {"done", ben, changed}}, true},
		"a fence that ends":      {9, []row{take, {"release", ann, changed}, take, {"done", ben, changed}}, false},
		"killed, and it did":     {0, []row{{"take", ben, answer{how: "unknown"}}, {"take", cleo, answer{how: "refused", holder: ben}}}, false},
		"killed, and it did not": {0, []row{{"take", ben, answer{how: "unknown"}}, {"take", cleo, changed}}, false},
		"a number that grows":    {0, []row{{"take", ben, answer{how: "changed", turns: "0,"}}, {"release", ben, changed}, {"take", cleo, answer{how: "changed", turns: "1,"}}}, false},
		"a number twice":         {0, []row{{"take", ben, answer{how: "changed", turns: "0,"}}, {"release", ben, changed}, {"take", cleo, answer{how: "changed", turns: "0,"}}}, true},
	} {
		if got, _ := check(written(c.rows, c.lasts)); got == porcupine.Illegal != c.isBad || got == porcupine.Unknown {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A recorded history of which one answer is changed, as without a lock or a fence, is refused.
func TestHistoriesFindDamage(t *testing.T) {
	t.Parallel()
	s := inStore(t, program{build(t), memory(t)}, 7, 4, 14)
	if why := s.judge(); why != "" {
		t.Fatal(why)
	}
	for how, becomes := range map[string]string{"refused": "changed", "changed": "refused"} {
		isFound, tried := false, 0
		for i, op := range s.ops {
			if r, a := op.Input.(request), op.Output.(answer); a.how == how && r.act == "take" && !isFound {
				changed := slices.Clone(s.ops)
				changed[i].Output = answer{how: becomes}
				got, _ := check(changed)
				isFound, tried = got == porcupine.Illegal, tried+1
			}
		}
		if !isFound && tried > 0 {
			t.Errorf("a take that was %s and now is %s was not found in %d of %d commands", how, becomes, tried, len(s.ops))
		}
	}
	if os.Getenv("HANDOFF_FAULTS") == "" {
		return
	}
	for _, how := range words("a-take-of-what-others-have no-fence") {
		p, isFound := program{broken(t, how), memory(t)}, false
		for seed := range uint64(6) {
			isFound = isFound || inStore(t, p, seed, 6, 20).judge() != ""
		}
		if !isFound {
			t.Errorf("%s: nothing was found", how)
		}
	}
}
