package eventlog_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// line is what somebody did, as act.number operator session minute.
func line(t *testing.T, text string) (string, eventlog.Action) {
	t.Helper()
	var key, operator, session, until string
	minute := 0
	if n, _ := fmt.Sscan(text, &key, &operator, &session, &minute, &until); n < 4 {
		t.Fatal(text)
	}
	at := func(minute string) string { return "2026-05-08T12:" + minute + ":00Z" }
	d := eventlog.Action{Operator: operator, Session: strings.Trim(session, "."), Time: at(fmt.Sprintf("%02d", minute))}
	if until != "" {
		d.Until = at(until)
	}
	return "sha256:" + strings.Repeat("0", 64) + "#" + key, d
}

// A take can be ended by others, and the number of the next one fences off who held it. The order of the lines does
// not matter.
func TestTurns(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]string{
		"take.0 ben s1 1 30": "ben s1 30 -",
		"take.0 ben s1 1 30; revoke.0 cy s2 31; take.1 cy s2 31":                    "cy s2  -",
		"take.0 ben s1 1 30; revoke.0 cy s2 31; take.1 cy s2 31; done.0 ben s1 32":  "cy s2  -",
		"take.0 ben s1 1 30; revoke.0 cy s2 31; take.1 cy s2 31; done.1 cy s2 33":   "cy s2  cy",
		"take.0 ben s1 1 30; revoke.0 cy s2 31; take.1 cy s2 31; release.1 cy s2 3": "   -",
		"take.0 ben s1 1 30; release.0 cy s2 31":                                    "ben s1 30 -",
		"take.0 ben s1 1 30; renew.0 ben s1 20 50; renew.1 ben s2 20 59":            "ben s1 50 -",
		// a note says who won at the remote
		"take.0 ben s1 1 30; revoke.0 cy s2 31; take.1 cy s2 31; done.0 ben s1 29; settle.0 ben s1 29": "ben s1 30 ben",
		"take.0 ben s1 1 30; revoke.0 cy s2 31; take.1 cy s2 31; done.0 ben s1 29; free.0 cy s2 31":    "cy s2  -",
	} {
		all := strings.Split(lines, "; ")
		for range 20 {
			rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			var l eventlog.Life
			for _, text := range all {
				l.Add(line(t, text))
			}
			held, done := l.Take.Holds(), "-"
			if l.Done.IsDone() {
				done = l.Done.Operator
			}
			until := strings.TrimSuffix(strings.TrimPrefix(held.Until, "2026-05-08T12:"), ":00Z")
			got := held.Operator + " " + held.Session + " " + until + " " + done
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%v: %s", all, diff)
			}
		}
	}
}

// A session whose take was ended by another is fenced off until it takes again.
func TestRevokedBy(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]string{
		"take.0 ben s1 1": "",
		"take.0 ben s1 1; revoke.0 cy s2 2; take.1 cy s2 2":                                     "cy",
		"take.0 ben s1 1; revoke.0 cy s2 2; take.1 cy s2 2; release.1 cy s2 3":                  "cy",
		"take.0 ben s1 1; revoke.0 cy s2 2; take.1 cy s2 2; release.1 cy s2 3; take.2 ben s1 4": "", // and holds it
		"take.0 ben s1 1; yield.0 cy s2 0":                                                      "cy",
		"yield.0 cy s2 0; take.0 ben s1 1":                                                      "cy",
		"take.0 cy s2 0; yield.0 cy s2 0":                                                       "",
		"take.0 ben s1 1; revoke.0 cy s2 2; take.1 ben s1 3; release.1 ben s1 4":                "",
	} {
		var l eventlog.Life
		for text := range strings.SplitSeq(lines, "; ") {
			l.Add(line(t, text))
		}
		if got := l.RevokedBy("ben", "s1").Operator; got != want {
			t.Errorf("%s: %q, want %q", lines, got, want)
		}
	}
}
