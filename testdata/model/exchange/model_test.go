package exchange

import (
	"flag"
	"reflect"
	"testing"
	"time"
)

var isWhole = flag.Bool("whole", false, "run all controls, and each row for long")

// The protocol violates nothing.
func TestProtocol(t *testing.T) {
	limit := 100 * time.Millisecond
	if *isWhole {
		limit = 5 * time.Second
	}
	total := 0
	for _, r := range rows {
		w, n := find(protocol, r.cf, "", 3, limit, 1<<30)
		if total += n; w != nil {
			t.Errorf("%s, %d runs: %s\n%q", r.name, n, w.bad[0], w.trace)
		}
	}
	t.Logf("%d runs", total)
}

// Whatever leaves out a clause is found.
func TestControls(t *testing.T) {
	controls := [][3]string{{"NoCAS", "plain", "2"}, {"Arrival", "plain", "1"}, {"NoSeals", "seals", "6"},
		{"NoLost", "offline", "4"}, {"Wait", "skew", "1"}, {"Bump", "skew", "5"}, {"TwiceOwn", "future", "1"},
		{"SealMade", "seals+", "6"}, {"OverEnds", "rules", "8"}, {"Reread", "flood", "1"}, {"ListWins", "copy", "3"},
		{"RulesEnd", "rules+for", "2"}, {"ReadFirst", "kills", "5"}, {"ThroughKept", "restore", "5"},
		{"ThroughLate", "kills", "5"}, {"LocalOnly", "rules", "2"}, {"RestoreOwn", "die", "5"}, {"SealAway", "all", "1"},
		{"NoOf", "offline", "2"}}
	if !*isWhole {
		controls = controls[:4]
	}
	for _, c := range controls {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			for _, r := range rows {
				if r.name != c[1] {
					continue
				}
				sp := protocol
				field := reflect.ValueOf(&sp).Elem().FieldByName(c[0])
				field.SetBool(!field.Bool())
				w, n := find(sp, r.cf, c[2], 1, time.Minute, 1<<30)
				if w == nil {
					t.Fatalf("no violation of %s in %d runs of %s", c[2], n, r.name)
				}
				t.Logf("%s, %d runs: %s\n%q", r.name, n, w.bad[0], w.trace)
			}
		})
	}
}
