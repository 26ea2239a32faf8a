package replica

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// perFile is how many events a file of a published log has.
const perFile = 1000

// logFile is the name of a piece of a published log; each has 1,000 events.
func logFile(n int) string { return fmt.Sprintf("log/%04d.jsonl", n) }

// progress says how far the audit log was published. It is the content of sync.json.
type progress struct {
	Commit     string `json:"commit"` // with which; "" for none
	Events     int    `json:"events"`
	Hash       string `json:"hash"` // of the last of them
	store.Sent        // the offset in the audit log, behind it
	Chunk      int64  `json:"chunk"` // in the audit log, of the first event of the file that the next one belongs to

	Quiet  int64    `json:"quiet,omitempty"`  // in the audit log: what stands before it is published, or need not be soon
	Unsent []string `json:"unsent,omitempty"` // handoffs whose documents did not verify
	Last   string   `json:"last,omitempty"`   // when all was sent and imported
	Claims claimed  `json:"claims,omitzero"`

	Charged string `json:"charged,omitempty"` // see charges
	Partly  bool   `json:"-"`                 // what was published has to be found out by looking at all
}

// said is what others want to know of an event.
type said struct {
	Type string
	handoff.Consumption
	eventlog.How
	Commit   string   `json:"commit"`
	IDs      []string `json:"handoff_ids"`
	Adopted  int      `json:"adopted_rows"`
	Rows     []string `json:"added_rows"`
	Operator string   `json:"operator_id"`
	Turn     int      `json:"turn"`
	Writer   string   `json:"writer"`
}

// parse reads what a sync wants to know of an event. Other events are followed for their hashes alone.
func parse(e eventlog.Parsed) (s said) {
	_ = json.Unmarshal(e.Payload, &s) // what it lacks stays empty
	s.Type = e.Type
	return s
}

// isOwn reports whether a handoff was written here, or came here first.
func (s said) isOwn() bool {
	return s.HandoffID != "" && (s.Type == eventlog.TypeWrite || s.Type == eventlog.TypeImport && s.Commit == "")
}

// isVague reports whether there may be handoffs that have no events of their own.
func (s said) isVague() bool {
	return len(s.IDs) > 0 && s.Type == eventlog.TypeImport || s.Adopted > 0 || s.Type == eventlog.TypeRepair
}

// isNews reports whether others want to know of it soon. The rest goes with what they do.
func (s said) isNews() bool {
	return s.isOwn() || s.isVague() || !s.Synced && (s.Type == eventlog.TypeMarkRead || s.Type == eventlog.TypeSign || s.Type == eventlog.TypePrune || eventlog.IsConsumption(s.Type))
}

// follow takes in an event that comes next.
func (p *progress) follow(e eventlog.Parsed) (said, error) {
	if e.Err == nil && e.Prev != p.head() {
		e.Err = errors.New("does not continue the chain")
	}
	if e.Err != nil {
		return said{}, fmt.Errorf("event %d of the log %w", p.Events+1, e.Err)
	}
	p.Events, p.Hash = p.Events+1, e.Hash
	return parse(e), nil
}

// head is the hash that the next event has to name as the one before it.
func (p *progress) head() string {
	if p.Events == 0 {
		return eventlog.Genesis
	}
	return p.Hash
}

// openLog opens the part of the audit log that is on the disk for good.
func (x *syncing) openLog() (*io.SectionReader, func() error, error) {
	log, done, err := eventlog.Open(x.state)
	if err != nil {
		return nil, nil, err
	}
	return io.NewSectionReader(log, 0, min(x.logSize, log.Size())), done, nil
}

// news is what is to be published: progress after it, handoffs, and whether others want it soon.
type news struct {
	progress
	ids    []string
	signed []string // after they were written
	loud   bool
	vague  bool
}

// hasNews reports whether the audit log has news from an offset on.
func hasNews(log *io.SectionReader, from int64) (has bool, err error) {
	for e := range eventlog.Scan(log, from, &err) {
		if has = parse(e).isNews(); has {
			break
		}
	}
	return has, err
}

// findNews reads the audit log from where it was published.
func (x *syncing) findNews(p progress) (n news, err error) {
	log, done, err := x.openLog()
	if err != nil {
		return n, err
	}
	defer done()
	n = news{progress: p, ids: p.Unsent, vague: p.Partly}
	if p.Offset > log.Size() {
		return n, fault.New(fault.ErrIntegrity, "run `handoff doctor`", "%s is shorter than what was sent of it", layout.Log)
	}
	if !n.vague && p.Quiet <= log.Size() {
		has, err := hasNews(log, max(p.Offset, p.Quiet))
		if err != nil {
			return n, err
		}
		if !has {
			n.Quiet = log.Size()
			return n, nil
		}
	}
	n.Unsent = nil
	for e := range eventlog.Scan(log, p.Offset, &err) {
		if n.Events%perFile == 0 {
			n.Chunk = e.Offset
		}
		s, err := n.follow(e)
		if err != nil {
			return n, fault.New(fault.ErrIntegrity, "run `handoff doctor`", "%s cannot be sent: %v", layout.Log, err)
		}
		n.loud, n.vague = n.loud || s.isNews(), n.vague || s.isVague()
		if s.isOwn() {
			n.ids = append(n.ids, s.HandoffID)
		} else if s.Type == eventlog.TypeSign && !s.Synced {
			n.signed = append(n.signed, s.HandoffID)
		}
	}
	if err != nil {
		return n, err
	}
	n.Offset = log.Size()
	if n.Events%perFile == 0 {
		n.Chunk = n.Offset
	}
	return n, nil
}

// locate finds out how far the log in the tree of a commit is the own audit log.
func (x *syncing) locate(ctx ctx, tip string) (p progress, err error) {
	if tip == "" {
		return progress{Partly: true}, nil
	}
	count, last, err := x.repo.publishedLog(ctx, tip)
	if err != nil {
		return p, err
	}
	log, done, err := x.openLog()
	if err != nil {
		return p, err
	}
	defer done()
	var here []byte
	for e := range eventlog.Scan(log, 0, &err) {
		if p.Events == count {
			break
		}
		if p.Events%perFile == 0 {
			p.Chunk = e.Offset
		}
		p.Events, p.Offset, here = p.Events+1, e.End(), bytes.Clone(e.Text)
	}
	if err != nil {
		return p, err
	}
	if p.Events != count || !bytes.Equal(here, last) {
		return p, fault.New(fault.ErrIntegrity, "run `handoff doctor`", "%s is not the log that was sent", layout.Log)
	}
	if p.Events%perFile == 0 {
		p.Chunk = p.Offset
	}
	if count > 0 {
		p.Hash, err = eventlog.HashLine(last)
	}
	p.Partly = true
	return p, err
}
