package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/exchange"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

// A clone is a store that is exchanged with a memory.
type clone struct {
	*testing.T
	*exchange.Exchange
	clock *time.Time
}

var day = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func newClone(t *testing.T, m remote.Remote) clone {
	t.Helper()
	dir, now := t.TempDir(), day
	s := &store.Store{Opt: store.Options{Dir: filepath.Join(dir, "handoffs"), StateDir: filepath.Join(dir, ".run"), Root: dir,
		UserState: filepath.Join(t.TempDir(), "handoff"), OperatorsFile: filepath.Join(dir, "OPERATORS.md"),
		Git: disk.GitNone, LockTimeout: time.Minute, IndexMaxRows: 5000, Now: func() time.Time { return now },
		Warn:        func(string) {},
		Fingerprint: func() (string, error) { return strings.Repeat("a", 64), nil }}}
	return clone{t, &exchange.Exchange{At: s, Remote: m, Name: "memory", RecordOf: func(string) *log.Record { return nil }}, &now}
}

func doc(topic string) store.Document {
	d := document.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: topic, Time: "2026-05-07T12:00:00Z", Body: "# " + topic + "\n"}
	if topic == "late" { // it is held until then
		d.Time = "2026-06-03T12:00:00Z"
	}
	d.HandoffID, _ = document.ID(d)
	return store.Document{Document: d, Size: len(d.Body), Text: func() ([]byte, error) { return document.Render(d), nil }}
}

func idOf(topic string) string { return doc(topic).HandoffID }

func (c clone) write(topics ...string) {
	c.Helper()
	var docs []store.Document
	for _, topic := range topics {
		docs = append(docs, doc(topic))
	}
	if _, err := c.At.Write(context.Background(), docs, func(*store.Change) {}, nil); err != nil {
		c.Fatal(err)
	}
}

func (c clone) sync() exchange.Report {
	c.Helper()
	r, err := c.Sync(context.Background(), exchange.Options{})
	if err != nil {
		c.Fatal(err)
	}
	return r
}

// turn plans a turn of an operator on a handoff.
func turn(c *store.Change, topic, kind, operator string) (counts bool) {
	h := c.Of(idOf(topic))
	l := c.Life(h)
	t := facts.Turn{Type: kind, Operator: operator}
	if last := l.Last(); last != nil {
		t.Of = []string{last.ID}
	}
	_, counts = c.Turn(h, l, t)
	return counts
}

// act makes a turn online, and reports whether it counts.
func (c clone) act(topic, kind, operator string) (counts bool, err error) {
	err = c.Act(context.Background(), []string{idOf(topic)}, func(c *store.Change) bool {
		counts = turn(c, topic, kind, operator)
		return !counts
	})
	return counts, err
}

// offline makes a turn without the remote.
func (c clone) offline(topic, kind, operator string) {
	c.Helper()
	err := c.At.Change(context.Background(), func(ch *store.Change) error {
		if !turn(ch, topic, kind, operator) {
			c.Errorf("%s of %s does not count", kind, operator)
		}
		return nil
	})
	if err != nil {
		c.Fatal(err)
	}
}

func (c clone) mark(topic, operator string) {
	c.Helper()
	err := c.At.Change(context.Background(), func(ch *store.Change) error {
		ch.Mark(ch.Of(idOf(topic)), log.MarkRead, operator)
		return nil
	})
	if err != nil {
		c.Fatal(err)
	}
}

// says returns what a clone says about all its handoffs.
func (c clone) says() string {
	c.Helper()
	look, err := c.At.Look(false)
	if err != nil {
		c.Fatal(err)
	}
	var all []string
	for _, h := range look.Listed() {
		l := look.Life(h)
		words := []string{h.Topic, string(look.State(h, l))}
		if l.Holder != nil && l.End == nil {
			words = append(words, l.Holder.Operator)
		}
		for _, m := range l.Reads {
			words = append(words, "read:"+m.Operator)
		}
		all = append(all, strings.Join(words, " "))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSync(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	a, b := newClone(t, m), newClone(t, m)
	a.write("one", "two")
	if r := a.sync(); r.Sent != 2 || r.Received != 0 {
		t.Errorf("%+v", r)
	}
	if r := b.sync(); r.Received != 2 || r.Sent != 0 {
		t.Errorf("%+v", r)
	}
	want(t, b.says(), "one unread, two unread")
	b.mark("one", "ben")
	b.sync()
	a.sync()
	want(t, a.says(), "one read read:ben, two unread")
	if r := a.sync(); r.Sent != 0 || r.Received != 0 {
		t.Errorf("%+v", r)
	}
	fresh := newClone(t, m)
	fresh.sync()
	want(t, fresh.says(), a.says())
}

func TestOneTakes(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	a := newClone(t, m)
	a.write("one")
	a.sync()
	clones := []clone{a}
	for range 4 {
		c := newClone(t, m)
		c.sync()
		clones = append(clones, c)
	}
	won := make(chan string, len(clones))
	var all sync.WaitGroup
	for i, c := range clones {
		all.Go(func() {
			counts, err := c.act("one", log.Take, fmt.Sprint("op", i))
			if err != nil {
				t.Error(err)
			}
			if counts {
				won <- fmt.Sprint("op", i)
			}
		})
	}
	all.Wait()
	close(won)
	var winners []string
	for w := range won {
		winners = append(winners, w)
	}
	if len(winners) != 1 {
		t.Fatalf("%v have taken it", winners)
	}
	for _, c := range clones {
		c.sync()
		want(t, c.says(), "one taken "+winners[0]+" read:"+winners[0])
	}
}

func TestOffline(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	a, b := newClone(t, m), newClone(t, m)
	a.write("one")
	a.sync()
	b.sync()
	b.offline("one", log.Take, "ben")
	if counts, err := a.act("one", log.Take, "cy"); !counts || err != nil {
		t.Fatal(counts, err)
	}
	if r := b.sync(); len(r.Lost) != 1 || r.Lost[0].Operator != "ben" {
		t.Errorf("%+v", r)
	}
	want(t, b.says(), "one taken cy read:cy")
	if r := b.sync(); len(r.Lost) != 0 {
		t.Errorf("told twice: %+v", r)
	}
}

func TestLostAnswer(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	a, b := newClone(t, m), newClone(t, m)
	a.write("one")
	a.sync()
	b.sync()
	m.IsLost = true
	if _, err := b.act("one", log.Take, "ben"); err == nil {
		t.Fatal("no error")
	}
	a.sync()
	want(t, a.says(), "one taken ben read:ben")
	if counts, err := b.act("one", log.Take, "ben"); !counts || err != nil { // it is held by him
		t.Fatal(counts, err)
	}
	b.sync()
	want(t, b.says(), "one taken ben read:ben")
}

func TestRestore(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	a, b := newClone(t, m), newClone(t, m)
	a.write("one")
	a.sync()
	old := maps.Clone(m.Logs)
	b.sync()
	b.write("two")
	b.mark("one", "ben")
	if counts, err := b.act("two", log.Take, "cy"); !counts || err != nil {
		t.Fatal(counts, err)
	}
	a.sync()
	m.Logs = old
	if _, err := a.Sync(context.Background(), exchange.Options{}); !errors.Is(err, fault.ErrIntegrity) {
		t.Fatalf("%v, want a rewritten log", err)
	}
	if _, err := a.Sync(context.Background(), exchange.Options{Restore: true}); err != nil {
		t.Fatal(err)
	}
	before := a.says()
	a.sync()
	want(t, a.says(), before)
	fresh := newClone(t, m)
	fresh.sync()
	want(t, fresh.says(), "one read read:ben, two taken cy read:cy")
}

// A turn that comes before its document counts when the document is here.
func TestTurnBeforeDocument(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	a, b := newClone(t, m), newClone(t, m)
	a.write("one")
	a.sync()
	outboxes := maps.Clone(m.Logs)
	b.sync()
	if counts, err := b.act("one", log.Take, "ben"); !counts || err != nil {
		t.Fatal(counts, err)
	}
	late, all := newClone(t, m), m.Logs
	m.Logs = maps.Clone(all)
	for name := range outboxes {
		delete(m.Logs, name)
	}
	late.sync()
	m.Logs = all
	late.sync()
	want(t, late.says(), "one taken ben read:ben")

	written := newClone(t, m)
	for name := range outboxes {
		m.Logs = maps.Clone(all)
		delete(m.Logs, name)
	}
	written.sync()
	m.Logs = all
	written.write("one") // the same content
	if counts, err := written.act("one", log.Take, "cy"); counts || err != nil {
		t.Fatal(counts, err)
	}
}

// What is more than a batch may have goes in several.
func TestManyLines(t *testing.T) {
	t.Parallel()
	m := remotetest.NewMemory()
	a, b := newClone(t, m), newClone(t, m)
	topics := make([]string, 201)
	for i := range topics {
		topics[i] = fmt.Sprint("topic-", i)
	}
	a.write(topics...)
	err := a.At.Change(context.Background(), func(c *store.Change) error {
		for i := range 20_100 {
			c.Add(log.MarkRead, log.Payload{ID: idOf(topics[i%201]), Operator: fmt.Sprint("op", i), Time: log.Stamp(day)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := a.sync(); r.Sent != 20_301 {
		t.Errorf("%+v", r)
	}
	if r := b.sync(); r.Received != 201 || r.PassedOver > 0 {
		t.Errorf("%+v", r)
	}
	if look, _ := b.At.Look(false); len(look.Life(look.Of(idOf(topics[0]))).Reads) != 100 {
		t.Error("marks are missing")
	}
	if r := a.sync(); r.Sent != 0 {
		t.Errorf("%+v", r)
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	a := newClone(t, remotetest.NewMemory())
	a.write("one")
	if r, err := a.Sync(context.Background(), exchange.Options{DryRun: true}); err != nil || r.Sent != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if look, _ := a.At.Look(false); look.Sync.Remote != "" {
		t.Errorf("a dry run has begun the exchange with %s", look.Sync.Remote)
	}
}

// An action waits for a sync of the same clone: both use one cache.
func TestActWaits(t *testing.T) {
	t.Parallel()
	a := newClone(t, remotetest.NewMemory())
	a.write("one")
	a.sync()
	unlock, err := a.At.OneSync(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	a.At.Opt.LockTimeout = time.Millisecond
	if _, err := a.act("one", log.Take, "ben"); !errors.Is(err, fault.ErrBusy) {
		t.Errorf("%v, want a busy sync", err)
	}
}
