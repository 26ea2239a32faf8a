//go:build linux

package faults_test

import "testing"

// What looks at trees after cuts must find recoveries that are wrong: programs that keep a part of a batch, that cut a
// change which is complete, that do not write the last change again before they rest on it, or that log a document
// before its name is on the disk.
func TestSimulationFindsDamage(t *testing.T) {
	t.Parallel()
	thorough(t)
	for _, c := range []struct{ how, scenario string }{
		{"keeps-incomplete", "batch"},
		{"cuts-complete", "after a killed write"},
		{"no-rewrite", "write"},
		{"event-first", "write"},
		{"no-body-sync", "write"},
		{"no-log-sync", "take"},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, build(t, ""), scenarioOf(c.scenario))
			s.bin = build(t, c.how)
			if c.how != "keeps-incomplete" { // the broken program gives the commands too
				s.doer = s.site
			}
			if c.how == "cuts-complete" {
				s.expectOfCommand()
				return
			}
			h := s.history(s.base, s.command)
			list := h.remnants(0, nil, 64)
			if c.how == "no-rewrite" {
				list = s.afterKill(h, h.appended()).remnants(h.appended()+1, nil, 64)
			}
			s.expect(list)
		})
	}
}

// expectOfCommand wants the command alone to do damage.
func (s *simulation) expectOfCommand() {
	s.t.Helper()
	if err := s.reset(); err != nil {
		s.t.Fatal(err)
	}
	before := look(s.dir)
	s.before = before
	r := s.run("write", "e.md")
	faults := s.after(look(s.dir), result{code: -1, stderr: r.stderr})
	if len(faults) == 0 {
		s.t.Errorf("nothing is lost: %v", r)
	}
	s.t.Log(faults)
}

// The sweep must find an event that comes before its document.
func TestSweepFindsDamage(t *testing.T) {
	t.Parallel()
	thorough(t)
	s := newSweep(t, build(t, "event-first"), scenarioOf("write"))
	for _, injection := range s.trace().kills() {
		if _, faults := s.inject(injection); len(faults) > 0 {
			t.Log(injection, faults)
			return
		}
	}
	t.Error("no kill showed it")
}
