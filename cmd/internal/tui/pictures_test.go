//go:build linux

package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

const plan = `# Deploy

The release is built and **tests are green**. What is left:

- [x] migrate the database
- [ ] switch the traffic over, ten percent first
- [ ] watch the disk of ` + "`build-2`" + `, it was at 91 %

Beware: the old runner still answers on port 8080.
`

// TestPictures draws the picture of the README with the program itself.
func TestPictures(t *testing.T) {
	t.Parallel()
	root := project(t)
	one := write(t, root,
		handoff.Document{From: "cleo", To: "ben", Topic: "flaky-tests", Time: "2026-11-20T16:00:00Z", Body: "Three tests fail now and then.\n"},
		handoff.Document{From: "dov", To: "ben", Topic: "cache-budget", Time: "2026-11-21T10:00:00Z", Body: "How much may it take?\n"},
		handoff.Document{From: "ann", To: "ben", Topic: "deploy", Time: "2026-11-21T16:30:00Z", Body: "The release is not built yet.\n", Tags: []string{"release"}},
		handoff.Document{From: "ben", To: "ann", Topic: "billing-export", Time: "2026-11-21T18:00:00Z", Body: "Half of it works.\n"},
	)
	two := write(t, root, handoff.Document{From: "ben", To: "ann", Topic: "deploy", Time: "2026-11-21T17:00:00Z", Body: "Who migrates?\n", References: []string{"re:" + one[2]}})
	write(t, root,
		handoff.Document{From: "ann", To: "ben", Topic: "deploy", Time: "2026-11-22T07:40:00Z", Body: plan, Tags: []string{"release"}, References: []string{"re:" + two[0], "supersedes:" + one[2]}},
		handoff.Document{From: "cleo", To: "ben", Topic: "design-review", Time: "2026-11-22T06:10:00Z", Body: "Two open points.\n"},
	)
	s := open(t, root)
	for _, id := range one[:2] {
		if _, err := s.MarkRead(t.Context(), "ben", id); err != nil {
			t.Fatal(err)
		}
	}
	x := start(t, 100, 30, root, "inbox")
	x.sees("Inbox", "Two open points", "migrate the database")
	if *update {
		time.Sleep(500 * time.Millisecond)
	}
	kept, _ := os.ReadFile("../../../testdata/pictures/inbox.svg")
	inbox := ""
	x.settles(func() bool { // what is drawn comes in several pieces
		x.mu.Lock()
		defer x.mu.Unlock()
		inbox = x.screen.svg("The inbox of ben: a list of handoffs, and the newest one below it")
		return *update || inbox == string(kept)
	})
	keep(t, "inbox.svg", inbox)
}

// keep compares a picture with the one that is kept. With -update it keeps this one.
func keep(t *testing.T, name, picture string) {
	t.Helper()
	path := filepath.Join("../../../testdata/pictures", name)
	if *update {
		if err := os.WriteFile(path, []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(kept), "\n"), strings.Split(picture, "\n")); diff != "" {
		t.Errorf("%s is not what the program shows; run with -update and look at it:\n%s", name, diff)
	}
}
