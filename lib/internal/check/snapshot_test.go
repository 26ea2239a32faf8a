package check_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

func TestLook(t *testing.T) {
	p := newPlace(t)
	s := p.look()
	if len(s.Rows) != 3 || s.Log.Count != 7 || len(s.Indexes) != 2 || !strings.Contains(string(s.Ledger), "token-of-c") {
		t.Errorf("%d rows, %d events, %d index files, ledger %s", len(s.Rows), s.Log.Count, len(s.Indexes), s.Ledger)
	}
	if row := s.Rows[p.ids["a"]]; row == nil || row.Place() != "INDEX-0001.md:5" || row.Topic != "a" {
		t.Errorf("the row of a is %+v", row)
	}
	if got := s.Files(); !slices.Equal(got, []string{"2026-05-07-ann-ben-a.md", docB, "2026-05-07-ann-ben-c.md"}) {
		t.Errorf("the files are %q", got)
	}
	none := &place{T: t, root: t.TempDir()}
	if s, err := check.Look(t.Context(), none.store()); s != nil || err != nil {
		t.Errorf("a store that is not there is %v, %v", s, err)
	}
	p.remove("")
	if _, err := check.Look(t.Context(), p.store()); !errors.Is(err, fault.ErrIntegrity) {
		t.Errorf("a store without its handoffs: %v", err)
	}
}

func TestSnapshotAnswers(t *testing.T) {
	archive := "- [INDEX-0001.md](INDEX-0001.md)\n"
	for _, test := range []struct {
		name  string
		do    func(p *place)
		loses bool // whether INDEX.md lists nothing, and should
	}{
		{"nothing", func(p *place) {}, false},
		{"INDEX.md is lost", func(p *place) { p.remove("INDEX.md") }, true},
		{"INDEX.md is emptied", func(p *place) { p.put("INDEX.md", "") }, true},
		{"INDEX.md is a table with links", func(p *place) {
			text := p.read("INDEX.md")
			p.put("INDEX.md", text[:strings.Index(text, "| sha256")])
		}, false},
		{"INDEX.md is a table", func(p *place) {
			text := p.read("INDEX.md")
			p.put("INDEX.md", strings.Replace(text[:strings.Index(text, "| sha256")], archive, "", 1))
		}, true},
	} {
		p := newPlace(t)
		test.do(p)
		s := p.look()
		loses := errors.Is(s.HasLostIndex(), store.ErrIndexMissing)
		if loses != test.loses {
			t.Errorf("%s: it loses the index: %v", test.name, loses)
		}
	}
}

func TestReadLog(t *testing.T) {
	p := newPlace(t)
	log, err := check.ReadLog(p.store())
	if err != nil || log.Head().Count != 7 {
		t.Errorf("%v, %v", log.Head(), err)
	}
	whole := p.read(logFile)
	for name, text := range map[string]string{"lost": "", "torn": whole[:len(whole)-5], "broken": strings.Replace(whole, "ann", "eve", 1)} {
		p.put(logFile, text)
		if _, err := check.ReadLog(p.store()); !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("a log that is %s: %v", name, err)
		}
	}
	none := &place{T: t, root: t.TempDir()}
	if log, err := check.ReadLog(none.store()); err != nil || log.Head().String() != "0:GENESIS" {
		t.Errorf("a store that is not there has %v, %v", log.Head(), err)
	}
}
