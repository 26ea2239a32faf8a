package exchange_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
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
			_, err := m.Append(context.Background(), []remote.Addition{{Log: name, After: m.End(name), Text: []byte(text)}})
			if err != nil {
				t.Fatal(err)
			}
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
