package exchange

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An Exchange exchanges a store with a remote.
type Exchange struct {
	At       *store.Store
	Remote   remote.Remote
	Name     string                        // what the store remembers of the remote
	RecordOf func(body string) *log.Record // what the log says of the record in a body

	// Sign signs what the user did; nil if nothing is signed.
	Sign func(namespace string, text []byte) ([]byte, error)

	report Report
	outbox string          // the log of this clone
	sent   map[string]bool // the ids of lines that the outbox was seen to have
	tried  []string        // the logs of the last append
	again  bool            // logs are read from their beginnings
	isDry  bool

	missing  []string   // the documents that the store lacks
	restored *restoring // set while the remote gets back what it lacks
}

// A restoring is how far the logs of a remote were read from their beginnings, to restore it.
type restoring struct {
	ends  map[string]remote.Position
	reads []log.Payload
	made  []log.Pending // the seals of what was sent again
}

// A Report is what a sync did.
type Report struct {
	Received int `json:"received"` // documents
	Sent     int `json:"sent"`     // lines

	// Acts counts what others did, by operator and type of event.
	Acts map[string]map[string]int `json:"acts,omitempty"`

	Held       []Held `json:"held"`
	Lost       []Lost `json:"lost"`
	PassedOver int    `json:"passed_over,omitempty"` // malformed lines
	Unsealed   []Lost `json:"unsealed,omitempty"`    // they wait for a sync with the operator's key
	More       bool   `json:"more,omitempty"`        // run it again
}

// A Held is a document that may not be stored yet, and why.
type Held struct {
	ID  string `json:"handoff_id"`
	Why string `json:"why"`
}

// A Lost is a turn that was made offline and does not count, or another event that does not count yet.
type Lost struct {
	ID       string `json:"handoff_id"`
	Type     string `json:"event_type"`
	Operator string `json:"operator"`
	Session  string `json:"session_id,omitempty"`
	By       string `json:"by,omitempty"` // who was first
}

// Options choose what a sync does.
type Options struct {
	FetchOnly, DryRun bool
	Restore           bool // give the remote back what it lacks
}

const rounds = 12

// Sync receives and sends. The error is of the network, fault.ErrBusy if another sync runs, or fault.ErrIntegrity if a
// log was rewritten: then the others are received, and nothing is sent.
func (x *Exchange) Sync(ctx context.Context, o Options) (Report, error) {
	unlock, err := x.At.OneSync(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	x.isDry = o.DryRun
	if err := x.begin(ctx, o.Restore); err != nil {
		return x.report, err
	}
	if err := x.announce(ctx); err != nil {
		return x.report, err
	}
	for round := 0; ; round++ {
		if !o.DryRun {
			if err = x.receive(ctx); err == nil {
				err = x.release(ctx)
			}
		}
		if err == nil && !o.FetchOnly {
			err = x.push(ctx, nil)
		}
		if !errors.Is(err, remote.ErrMoved) || round == rounds {
			return x.report, err
		}
		if err := pause(ctx, round); err != nil {
			return x.report, err
		}
	}
}

// begin finds out which log is the outbox. The first sync with a remote, and one that restores it, begin anew.
func (x *Exchange) begin(ctx context.Context, restore bool) error {
	x.sent = map[string]bool{}
	x.report = Report{Held: []Held{}, Lost: []Lost{}}
	look, err := x.At.Look(false)
	if err != nil {
		return err
	}
	record, err := x.At.Machine()
	if err != nil {
		return err
	}
	if x.outbox = record.Writer; x.outbox == "" {
		x.outbox = look.Writer
	}
	x.missing = nil
	for _, h := range look.All() {
		if h.Lost || slices.Contains(look.Missing, h) {
			x.missing = append(x.missing, h.ID)
		}
	}
	slices.Sort(x.missing)
	isSame := slices.Equal(x.missing, slices.Sorted(slices.Values(look.Sync.Missing))) // what came back was not sent
	if x.restored = nil; restore {
		x.restored = &restoring{ends: map[string]remote.Position{}}
		return nil
	}
	if look.Sync.Remote == x.Name && isSame || x.isDry {
		return nil
	}
	err = x.At.Change(ctx, func(c *store.Change) error {
		c.Add(log.SyncBegin, log.Payload{Remote: x.Name, Missing: x.missing})
		return nil
	})
	if err == nil && x.outbox == "" { // the store began with it
		record, err = x.At.Machine()
		x.outbox = record.Writer
	}
	return err
}

// Act makes turns that the remote has to accept: plan adds their events to a change, and reports whether the logs of
// the handoffs must be read first, because what is known refuses a turn. plan is called again after each reading.
// The error is fault.ErrBusy if a sync runs.
func (x *Exchange) Act(ctx context.Context, ids []string, plan func(c *store.Change) (mustAsk bool)) error {
	unlock, err := x.At.OneSync(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err = errors.Join(x.begin(ctx, false), x.announce(ctx)); err == nil {
		err = x.catchUp(ctx)
	}
	if err != nil {
		return err
	}
	var logs []string
	for _, id := range ids {
		logs = append(logs, turnLog(id))
	}
	hasAsked := false
	for round := 0; ; round++ {
		mustAsk := false
		events, err := x.At.Plan(func(c *store.Change) error {
			mustAsk = plan(c)
			return nil
		})
		if err != nil {
			return err
		}
		if mustAsk && !hasAsked {
			hasAsked = true
			if err := x.receive(ctx, logs...); err != nil {
				return err
			}
			continue
		}
		if len(events) == 0 {
			return nil
		}
		err = x.push(ctx, events)
		if !errors.Is(err, remote.ErrMoved) || round == rounds {
			return err
		}
		if err := errors.Join(pause(ctx, round), x.receive(ctx, x.tried...)); err != nil {
			return err
		}
	}
}

// pause waits a little, longer in each round.
func pause(ctx context.Context, round int) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(rand.N(time.Duration(round+1) * 20 * time.Millisecond)):
		return nil
	}
}
