//go:build linux

package faults_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// breaks are the switches of the model of leases that bring a fault back, and the invariant that then fails.
var breaks = map[string]string{
	"BREAK_ASK":      "kept",
	"BREAK_CLAIM":    "oneHolder",
	"BREAK_FENCE":    "fenced",
	"BREAK_FORGET":   "agreed",
	"BREAK_GRACE":    "inTime",
	"BREAK_JURY":     "agreed",
	"BREAK_NAMELESS": "ordered",
	"BREAK_NAMES":    "oneEnd",
	"BREAK_NOTES":    "agreed",
	"BREAK_REUSE":    "grows",
	"BREAK_REVOKE":   "ordered",
}

// The model of leases keeps its invariants in all stories, and loses one of them with each switch. The code of the
// program is no part of it: but for HANDOFF_FAULTS=all, only stories without a fault and one of the switches are tried.
func TestLeaseModel(t *testing.T) {
	t.Parallel()
	if os.Getenv("HANDOFF_FAULTS") == "" {
		t.Skip("no code of the program is in it: set HANDOFF_FAULTS=ci")
	}
	needs(t, "spin", "gcc")
	model, err := filepath.Abs(filepath.Join(module, "testdata/model/lease.pml"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Compact(slices.Sorted(slices.Values(regexp.MustCompile(`BREAK_[A-Z]+`).FindAllString(string(text), -1))))
	if want := slices.Sorted(maps.Keys(breaks)); !slices.Equal(known, want) {
		t.Fatalf("the model has the switches %v, the test has %v", known, want)
	}
	all := os.Getenv("HANDOFF_FAULTS") == "all"
	t.Run("kept", func(t *testing.T) {
		optimized, faults := "-O0", "-DFAULTS=0"
		if all {
			optimized, faults = "-O1", "-DFAULTS=3"
		}
		if said := spin(t, optimized, model, faults); !strings.Contains(said, "errors: 0") || strings.Contains(said, "not completed") {
			t.Error(said)
		}
	})
	names := slices.Sorted(maps.Keys(breaks))
	if !all {
		names = some(names, 1, "breaks")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			said := spin(t, "-O0", model, "-DFAULTS=2", "-D"+name)
			if !strings.Contains(said, "assertion violated "+breaks[name]+" ") {
				t.Errorf("%s does not fail:\n%s", breaks[name], said)
			}
		})
	}
}

// spin checks a model and returns what the checker says. A checker that ends soon is not worth optimizing.
func spin(t *testing.T, optimized, model string, flags ...string) string {
	t.Helper()
	dir, said := t.TempDir(), ""
	for _, args := range [][]string{
		append(append([]string{"spin", "-a"}, flags...), model),
		strings.Fields("gcc " + optimized + " -DSAFETY -DNOREDUCE -o pan pan.c"),
		strings.Fields("./pan -n -m100000"),
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if said = string(out); err != nil {
			t.Fatal(fmt.Errorf("%v: %w\n%s", args, err, out))
		}
	}
	return said
}
