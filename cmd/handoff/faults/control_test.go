//go:build linux

package faults_test

import (
	"regexp"
	"slices"
	"testing"
)

// tellsOrder are the injections that show in which order things come to the disk.
var tellsOrder = regexp.MustCompile(`^(write|pwrite64|fsync|linkat|renameat|unlinkat):(signal=KILL|error=EIO):when=\d+$`)

// Sweeps that find nothing must be ones that could: each of these programs is broken in one place, and
// the sweep of a write has to report damage.
func TestSweepFindsDamage(t *testing.T) {
	thorough(t)
	write := scenarios()[1]
	for _, test := range []struct {
		name  string
		edits []edit
	}{
		{"no intent", []edit{{"lib/internal/txn/change.go", "err = x.publishIntent(c)", "err = nil"}}},
		{"commit before the body", []edit{
			{"lib/internal/txn/change.go", "if err := x.publishBodies(c); err", "if err := c.commit(); err"},
			{"lib/internal/txn/change.go", "if err := commit(); err != nil {\n\t\treturn x.takeBack(err)\n\t}\n\tif err := x.settle", "if err := x.publishBodies(c); err != nil {\n\t\treturn x.takeBack(err)\n\t}\n\tif err := x.settle"},
		}},
		{"index written in place", []edit{{"lib/internal/txn/reindex.go", "x.Dir.ReplaceIf(name, text, 0o644, check)", "x.Dir.Rewrite(name, text)"},
			{"lib/internal/durable/dir_unix.go", "// Remove removes the name.", "// Rewrite writes in place.\nfunc (d *Dir) Rewrite(name string, data []byte) error {\n\treturn os.WriteFile(filepath.Join(d.path, name), data, 0o644)\n}\n\n// Remove removes the name."}}},
		{"event not checked", []edit{{"lib/internal/txn/change.go", "err := intent.record(log); err != nil", "intent.record(log); false"},
			{"lib/internal/txn/change.go", "\t\treturn err\n\t}\n\tif intent.LogOffset == 0 {", "\t\treturn nil\n\t}\n\tif intent.LogOffset == 0 {"}}},
		{"no recovery", []edit{{"lib/internal/txn/session.go", "x.CheckMachine, x.Recover, x.TakeOver", "x.CheckMachine, x.TakeOver"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSweep(t, program{build(t, test.edits...), memory(t)}, write)
			s.quick = true
			s.run(slices.DeleteFunc(s.injections(extent{all: true}), func(i string) bool { return !tellsOrder.MatchString(i) }))
			if len(s.damage) == 0 {
				t.Errorf("%d injections into a broken program reported no damage", s.runs.Load())
			} else {
				t.Logf("%d reports of damage in %d injections, as %s", len(s.damage), s.runs.Load(), s.damage[0])
			}
		})
	}
}
