package handoff_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

// clone returns a store that is exchanged with a remote, and knows some operators.
func clone(t *testing.T, m *remotetest.Memory, now func() time.Time, names ...string) *handoff.Store {
	root, text := t.TempDir(), "---\nschema_version: '1.0'\noperators:\n"
	for _, name := range names {
		text += fmt.Sprintf("  - {id: %s, display_name: X, github_handle: x, git_email: %[1]s@x.org, capabilities: [], "+
			"active_since: '2026-01-01'}\n", name)
	}
	if err := os.WriteFile(filepath.Join(root, "OPERATORS.md"), []byte(text+"---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, root, func(o *handoff.Options) {
		o.Now, o.Lease = now, time.Hour
		o.Remote = func(*handoff.Store) (remote.Remote, string, error) { return m, "origin", nil }
	})
}

func mustSync(t *testing.T, stores ...*handoff.Store) {
	t.Helper()
	for _, s := range stores {
		if _, err := s.Sync(t.Context(), handoff.SyncOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// Where rules or clocks differ, nobody is told that they have what another was told to have. Taking over ends it.
func TestDisputed(t *testing.T) {
	t.Parallel()
	c := &clock{}
	m := remotetest.NewMemory()
	a, b := clone(t, m, c.now, "ann", "ben", "xen"), clone(t, m, c.now, "ann", "ben")
	act := func(s *handoff.Store, act handoff.Act, id, name string) string {
		_, err := s.Act(t.Context(), act, id, handoff.Who{Operator: name, Session: name, ForOther: true})
		if taken, is := errors.AsType[*handoff.TakenError](err); is && taken.Disputed != nil {
			return "disputed by " + strings.Join(taken.Disputed, " ")
		} else if is {
			return "taken by " + taken.By.Operator
		} else if err != nil {
			return err.Error()
		}
		return ""
	}
	one := mustWrite(t, a, source("one", "")).ID
	two := mustWrite(t, a, source("two", "")).ID
	mustSync(t, a, b)
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	want(act(a, handoff.ActTake, one, "xen"), "")
	want(act(b, handoff.ActTake, one, "ben"), "disputed by xen")
	want(act(b, handoff.ActSteal, one, "ben"), "")
	want(act(a, handoff.ActDone, one, "xen"), "taken by ben")
	want(act(b, handoff.ActDone, one, "ben"), "")
	want(act(a, handoff.ActTake, one, "xen"), "taken by ben")

	// A lapsed take of somebody unknown is named, and so ended everywhere.
	want(act(a, handoff.ActTake, two, "xen"), "")
	c.minutes += 70
	want(act(b, handoff.ActTake, two, "ben"), "")
	mustSync(t, a)
	want(act(a, handoff.ActDone, two, "xen"), "taken by ben")

	// What states a later time has no effect before it, but an action must stand with it.
	three := mustWrite(t, a, source("three", "")).ID
	mustSync(t, a)
	log := "t-" + three[7:9]
	line := func(id string) string {
		return fmt.Sprintf(`{"event_type":"handoff.take","payload":{"handoff_id":%q,"operator_id":"ann",`+
			`"session":"eve","ts_utc":"2026-05-08T23:00:00.000000Z"}}`, id)
	}
	text := `{"audit":"0:GENESIS","handoff-batch":1}` + "\n" + line(three) + "\n"
	if _, err := m.Append(t.Context(), []remote.Addition{{Log: log, After: m.End(log), Text: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	mustSync(t, b)
	if all, err := b.List(handoff.Filter{State: handoff.StateTaken}); err != nil || slices.ContainsFunc(all, func(e handoff.Entry) bool {
		return e.ID == three
	}) {
		t.Error("a take of a later time counts already", err)
	}
	want(act(b, handoff.ActTake, three, "ben"), "disputed by ann")
	want(act(b, handoff.ActSteal, three, "ben"), "")
	c.minutes += 24 * 60
	mustSync(t, a, b)
	want(act(a, handoff.ActDone, three, "ann"), "taken by ben")
}
