package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/internal/exchange"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

// Nothing that somebody pushes changes what others have acknowledged, or stops a sync.
func TestHostileLines(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	a, b := newClone(t, m), newClone(t, m)
	a.write("one", "two")
	a.sync()
	b.sync()
	if counts, err := b.act("one", log.Take, "ben"); !counts || err != nil {
		t.Fatal(counts, err)
	}
	one, two := idOf("one"), idOf("two")
	digits := one[len("sha256:"):][:2]
	line := func(kind, rest string) string {
		return fmt.Sprintf(`{"event_type":%q,"payload":{%s}}`, kind, rest)
	}
	about := func(id, rest string) string { return fmt.Sprintf(`"handoff_id":%q%s`, id, rest) }
	var hostile []string
	for _, kind := range strings.Fields("sync.read sync.begin sync.lost store.begin operators.trust log.recovered handoff.write " +
		"handoff.import handoff.prune handoff.repair handoff.surface machine_fingerprint.regenerate batch.x handoff.x") {
		hostile = append(hostile, line(kind, about(one, "")), line(kind, `"removed":["`+one+`"]`),
			line(kind, `"log":"t-`+digits+`","end":""`), line(kind, ""))
	}
	take := about(one, `,"operator_id":"eve","ts_utc":"2026-06-01T12:00:00.000000Z"`)
	hostile = append(hostile, "", "{", "null", "[]", `{"event_type":1}`, strings.Repeat("[", 100_000), strings.Repeat("x", 2<<20),
		line(log.Take, take), line(log.Take, strings.Replace(take, one, two, 1)), " "+line(log.Take, take),
		line(log.Take, strings.Replace(take, "2026", "2099", 1)), line(log.Take, strings.Replace(take, "2026", "1970", 1)),
		line(log.MarkRead, strings.Replace(take, "2026", "2099", 1)), line(log.Release, take), line(log.Done, take),
		line(log.Take, `"handoff_id":"sha256:x"`), line(log.Take, `"handoff_id":"`+strings.Repeat("0", 71)+`"`),
		line(log.MarkRead, about(one, `,"here":{"log":"x"}`)), line(log.MarkRead, about(one, `,"batch":[1,2]`)),
		line("handoff.document", about(one, `,"text":"no document"`)), line("handoff.document", about(two, `,"text":7`)),
		line("handoff.document", about("sha256:"+strings.Repeat("0", 64), `,"text":"---\nfrom: eve\n---\n"`)),
		"\xff\xfe", line(log.MarkRead, `"handoff_id":"\ud800"`))
	head := `{"audit":"0:GENESIS","handoff-batch":1}` + "\n"
	batches := []string{"", "no batch", "{}", head + strings.Join(hostile, "\n") + "\n", head + hostile[0],
		head + strings.Repeat("x\n", 30_000)}
	for _, h := range hostile {
		batches = append(batches, head+h+"\n")
	}
	for _, text := range batches {
		for _, name := range []string{"t-" + digits, "w-0000000000000000"} {
			pushed(t, m, name, text)
		}
	}
	fresh := newClone(t, m)
	for _, c := range []clone{a, b, fresh} {
		c.sync()
		look, err := c.At.Look(false)
		if err != nil {
			t.Fatal(err)
		}
		if l := look.Life(look.Of(one)); l.Holder == nil || l.Holder.Operator != "ben" || len(l.Reads) != 1 {
			t.Errorf("%s", c.says())
		}
		if r := c.sync(); r.Sent+r.Received+r.PassedOver > 0 {
			t.Errorf("%+v", r)
		}
	}
	if counts, err := b.act("one", log.Release, "ben"); !counts || err != nil {
		t.Error(counts, err)
	}
	if strings.Contains(a.says(), "eve") {
		t.Error(a.says())
	}
}

// An endless log delays only itself: each sync reads a part of it, and all of the others.
func TestLongLog(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	a, b := newClone(t, m), newClone(t, m)
	junk := strings.Repeat("x", 16<<20)
	for range 6 {
		pushed(t, m, "t-00", junk)
	}
	a.write("one")
	if r := a.sync(); !r.More || r.Sent != 1 {
		t.Errorf("%+v", r)
	}
	for _, wants := range []exchange.Report{{More: true, Received: 1}, {}, {}} {
		if r := b.sync(); r.More != wants.More || r.Received != wants.Received {
			t.Errorf("%+v, not %+v", r, wants)
		}
	}
}

// Who marks a handoff as read and unread again and again leaves one mark more in each sync.
func TestAlternatingMarks(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	c := newClone(t, m)
	c.write("one")
	for round := range 3 {
		var lines strings.Builder
		for i := range 500 {
			kind := []string{log.MarkRead, log.MarkUnread}[i%2]
			fmt.Fprintf(&lines, `{"event_type":%q,"payload":{"handoff_id":%q,"operator_id":"ben","ts_utc":"2026-05-%02dT12:%02d:%02d.000000Z"}}`+"\n",
				kind, idOf("one"), 8+round, i/60, i%60)
		}
		pushed(t, m, "w-0000000000000000", `{"audit":"0:GENESIS","handoff-batch":1}`+"\n"+lines.String())
		c.sync()
		n := 0
		if err := c.At.Events(func(e log.Event) {
			if e.Type == log.MarkRead || e.Type == log.MarkUnread {
				n++
			}
		}); err != nil || n > 101+round {
			t.Errorf("%d marks, %v", n, err)
		}
		look, err := c.At.Look(false)
		if err != nil {
			t.Fatal(err)
		}
		if h := look.Of(idOf("one")); len(look.Life(h).Reads) != 0 {
			t.Errorf("the last mark, as unread, does not count: %s", c.says())
		}
	}
}

// pushed appends a batch of somebody else.
func pushed(t *testing.T, m *remotetest.Memory, name, text string) {
	t.Helper()
	_, err := m.Append(t.Context(), []remote.Addition{{Log: name, After: m.End(name), Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
}
