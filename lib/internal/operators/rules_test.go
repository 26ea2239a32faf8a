package operators_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

var now = time.Date(2026, 5, 7, 0, 0, 0, 0, time.UTC)

// rules lists ann and ben, the person cy, the archivist dan, and eve, who has left.
func rules(t interface{ Fatal(...any) }) operators.Rules {
	list, faults := operators.Parse([]byte(`schema_version: '1.0'
operators:
  - {id: ann, capabilities: [write]}
  - {id: ben}
  - {id: cy, capabilities: [human]}
  - {id: dan, capabilities: [archive]}
  - {id: eve, capabilities: [human, archive], active_until: 2026-02-01}
teams: {web: [ann, ben]}
`))
	if faults != nil {
		t.Fatal(faults)
	}
	return operators.Rules{List: list, Path: "OPERATORS.md", Now: now}
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	with := rules(t)
	named, off, broken := with, with, operators.Rules{Broken: fault.Config("", "broken"), Now: now}
	named.Document, off.Off = "a.md", true
	accepted := operators.Accepted(with.Event(), now)
	for _, c := range []struct {
		rules         operators.Rules
		from, to      string
		want, problem string
	}{
		{with, "ann", "ben", "verified", ""},
		{with, "ann", "next", "verified", ""},
		{with, "ann", "eve", "unverified", `to: "eve" is offboarded: active_until is 2026-02-01`},
		{with, "eve", "bob", "unknown", `from: "eve" is offboarded: active_until is 2026-02-01; to: "bob" is not in ` +
			`the operators file`},
		{with, "bob", "eve", "unknown", ""},
		{with, "ann", "web", "unknown", `to: "web" is a team, not an operator; give it with --to`},
		{named, "zoe", "ben", "unknown", `a.md: from: "zoe" is not in the operators file`},
		{accepted, "zoe", "ben", "unknown", `from: by the accepted rules, "zoe" is not in the operators file`},
		{off, "zoe", "bob", "disabled", ""},
		{operators.Rules{}, "zoe", "bob", "bootstrap-pending", ""},
		{operators.Accepted(nil, now), "zoe", "next", "bootstrap-pending", ""},
		{broken, "ann", "ben", "", "broken"},
	} {
		got, err := c.rules.Admit(c.from, c.to)
		if isGood := c.want == "verified" || c.want == "disabled" || c.want == "bootstrap-pending"; got != c.want ||
			isGood != (err == nil) || c.problem != "" && err.Error() != c.problem {
			t.Errorf("%s to %s: %q, %v", c.from, c.to, got, err)
		}
		if err == nil || c.rules.Broken != nil {
			continue
		}
		warned := ""
		c.rules.Warn = func(text string) { warned = text }
		again, warnErr := c.rules.Admit(c.from, c.to)
		if !errors.Is(err, fault.ErrDenied) || again != c.want || warnErr != nil ||
			warned != "[UNVERIFIED-IDENTITY] "+err.Error() {
			t.Errorf("%s to %s: %v, then %q, %v, warned %q", c.from, c.to, err, again, warnErr, warned)
		}
	}
	var denied *fault.Error
	if _, err := accepted.Admit("zoe", "bob"); !errors.As(err, &denied) || denied.Advice != "run `handoff operators trust`" {
		t.Errorf("%+v", denied)
	}
}

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	with, off := rules(t), rules(t)
	off.Off = true
	ask := func(act string) func(r operators.Rules, operator string) error {
		return func(r operators.Rules, operator string) error {
			switch act {
			case "mark":
				return r.MayMark(operator)
			case "archive":
				return r.MayArchive(operator, "ann", "ben")
			}
			return r.MayAct(&facts.Turn{Type: act, Operator: operator, Over: act == log.Resume},
				&facts.Handoff{From: "ann", To: "ben"})
		}
	}
	for _, c := range []struct {
		rules operators.Rules
		act   string
		who   string
	}{
		{with, "mark", "ann ben cy dan"},
		{with, "archive", "ann ben dan"},
		{with, log.Take, "ann ben cy dan"},
		{with, log.Resume, "ben cy"}, // which takes over
		{with, log.Withdraw, "ann"},
		{off, "mark", "ann ben cy dan eve bob"},
		{off, "archive", "ann ben dan"},
		{off, log.Resume, "ann ben cy dan eve bob"},
		{operators.Rules{Now: now}, "mark", "ann ben cy dan eve bob"},
		{operators.Rules{Now: now}, "archive", "ann ben"},
		{operators.Rules{Now: now}, log.Resume, "ann ben cy dan eve bob"},
		{operators.Rules{Broken: fault.Denied("", "broken")}, "mark", ""},
	} {
		for _, operator := range strings.Fields("ann ben cy dan eve bob") {
			err := ask(c.act)(c.rules, operator)
			if may := slices.Contains(strings.Fields(c.who), operator); may != (err == nil) ||
				err != nil && !errors.Is(err, fault.ErrDenied) {
				t.Errorf("%s, %s: %v", operator, c.act, err)
			}
		}
	}
}

// What the rules refuse does not count in the facts either. There is more that does not count.
func TestRefusedDoesNotCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		who := rapid.SampledFrom([]string{"ann", "ben", "cy", "dan", "eve", "bob"})
		r := rules(t)
		if rapid.Bool().Draw(t, "warn") {
			r.Warn = func(string) {}
		}
		r.Off = rapid.Bool().Draw(t, "off")
		h := &facts.Handoff{ID: "x", From: who.Draw(t, "from"), To: rapid.SampledFrom([]string{"ben", "next"}).Draw(t, "to")}
		l := &facts.Life{Holder: &facts.Turn{ID: "1", Operator: "dan", Session: "s"}}
		if rapid.Bool().Draw(t, "free") {
			l = &facts.Life{}
		}
		turn := &facts.Turn{ID: "2", Operator: who.Draw(t, "who"), Session: "s", At: now, Of: []string{"1"},
			Type: rapid.SampledFrom([]string{log.Take, log.Release, log.Done, log.Withdraw}).Draw(t, "type")}
		turn.Over = turn.Type == log.Take && l.Holder != nil && turn.Operator != "dan"
		err := r.MayAct(turn, h)
		if _, counts := (facts.View{Now: now, Rules: r.ForFacts()}).Apply(l, h, turn); counts && err != nil {
			t.Fatalf("%+v counts: %v", turn, err)
		}
	})
}

func TestForFacts(t *testing.T) {
	t.Parallel()
	r := rules(t)
	for day, active := range map[string]bool{"2026-02-01T23:59:59Z": true, "2026-02-02T00:00:00Z": false} {
		at, _ := time.Parse(time.RFC3339, day)
		if f := r.ForFacts(); f.Knows("eve", at) != active || f.Can("eve", "human", at) != active || f.Knows("bob", at) {
			t.Error(day)
		}
	}
	r.Warn = func(string) {}
	if f := r.ForFacts(); !f.Knows("bob", now) || f.Can("bob", "human", now) || !f.Can("cy", "human", now) {
		t.Error("with a warning all count, without capabilities")
	}
	if off := (operators.Rules{List: r.List, Off: true}); off.ForFacts() != nil || (operators.Rules{}).ForFacts() != nil {
		t.Error("not everybody may do everything")
	}
}

// Rules that were recorded decide as before.
func TestAccepted(t *testing.T) {
	t.Parallel()
	warns := rules(t)
	warns.Warn = func(string) {}
	off := rules(t)
	off.Off = true
	all := []operators.Rules{{}, rules(t), warns, off, {List: &operators.List{}}}
	for i, r := range all {
		text, err := json.Marshal(r.Event())
		var event log.Rules
		if err != nil || json.Unmarshal(text, &event) != nil {
			t.Fatal(err)
		}
		again := operators.Accepted(&event, now)
		if again.Broken != nil || !operators.Same(again.Event(), r.Event()) || again.Off != r.Off ||
			(again.Warn == nil) != (r.Warn == nil) || (again.List == nil) != (r.List == nil) {
			t.Errorf("%d: %s", i, text)
		}
		for j, other := range all {
			if operators.Same(r.Event(), other.Event()) != (i == j) {
				t.Errorf("%d and %d", i, j)
			}
		}
	}
	if off := (operators.Rules{Off: true}); !operators.Same(nil, off.Event()) || operators.Same(nil, all[1].Event()) {
		t.Error("rules without operators differ")
	}
	broken := operators.Accepted(&log.Rules{Operators: json.RawMessage(`"x"`), Verify: true}, now)
	if err := broken.MayMark("ann"); !errors.Is(err, fault.ErrConfig) {
		t.Error(err)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	lists := func(ann, eve string) *operators.List {
		l, faults := operators.Parse([]byte("schema_version: '1.0'\noperators:\n  - {id: ann, git_email: ann@example.org, " +
			"require_signature: refuse, ssh_keys: [" + ann + "]}\n  - {id: eve, ssh_keys: [" + eve + "]}\n"))
		if faults != nil {
			t.Fatal(faults)
		}
		return l
	}
	listed := func(key string) string { return "{key: '" + key + "'}" }
	for name, c := range map[string]struct {
		allowed  string
		accepted *operators.List
		key      string
		want     string
	}{
		"unsigned":                 {"", lists(listed(annKey), ""), "", "unsigned "},
		"nobody knows it":          {"", nil, annKey, "unknown-key "},
		"accepted":                 {"", lists(listed(annKey)+","+listed(eveKey), ""), eveKey, "good ann"},
		"no keys":                  {"", lists("", ""), annKey, "unknown-key "},
		"of another":               {"", lists(listed(eveKey), listed(annKey)), annKey, "unknown-key eve"},
		"the user's go before":     {"ann " + annKey, lists(listed(eveKey), ""), annKey, "good ann"},
		"accepted, not the user's": {"ann " + annKey, lists(listed(eveKey), ""), eveKey, "unknown-key ann"},
		"the user's for others":    {"eve " + annKey, lists(listed(annKey), ""), annKey, "good ann"},
		"by the email":             {"*@example.org " + annKey, lists("", ""), annKey, "good ann"},
		"no key":                   {"", lists("", ""), "x", "unknown-key "},
	} {
		k := operators.Keys{Allowed: operators.ParseAllowed(c.allowed, operators.Namespace), Accepted: c.accepted,
			Verify: func(text, armored []byte, namespace string) (string, error) { return string(armored), nil }}
		v, err := k.Judge("ann", []byte("text"), []byte(c.key))
		if got := v.State + " " + v.Operator; got != c.want || err != nil || (v.Key == "") != (v.State == operators.Unsigned) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
		why := ""
		if c.accepted != nil && v.State != operators.Good {
			why = "the operators file asks for a signature of ann, and this one is " + v.State
		}
		if got := k.Distrust("ann", v); got != why || k.Distrust("eve", v) != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	bad := operators.Keys{Verify: func(_, _ []byte, _ string) (string, error) { return "", fault.Integrity("", "bad") }}
	if v, err := bad.Judge("ann", nil, []byte("x")); v != (operators.Verdict{State: operators.Bad}) || !errors.Is(err, fault.ErrIntegrity) {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := (operators.Keys{}).Judge("ann", nil, []byte("x")); !errors.Is(err, fault.ErrConfig) {
		t.Error(err)
	}
}
