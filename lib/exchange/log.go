package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
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

	Unsent []string `json:"unsent,omitempty"` // handoffs whose documents did not verify
	Last   string   `json:"last,omitempty"`   // when all was sent and imported
	Claims claimed  `json:"claims,omitzero"`

	// Quiet is an offset in the audit log: what stands before it is published, or need not be soon.
	Quiet int64 `json:"quiet,omitempty"`

	Partly bool `json:"-"` // what was published has to be found out by looking at all
}

// loadProgress returns how far the log was published. What is not known is found out by looking.
func (x *exchange) loadProgress() (p progress) {
	if _, err := load(x.out, disk.SyncState, &p); err != nil {
		return progress{Partly: true}
	}
	return p
}

// saveProgress remembers how far the log was published: a shortcut for the next exchange, and what a log that
// vanishes is told by.
func (x *exchange) saveProgress(p progress) error {
	log, done, err := x.openLog()
	if err != nil {
		return err
	}
	defer done()
	if p.Sent.End, err = store.EndOf(log, p.Offset); err != nil {
		return err
	}
	p.Last, p.Sent.Writer = x.Now().UTC().Format(time.RFC3339), x.writer
	if err := save(x.out, disk.SyncState, nil, p); err != nil {
		return err
	}
	if _, err := x.state.Lstat(disk.Synced); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return x.state.Touch(disk.Synced, 0o600)
}

// said is what others want to know of an event.
type said struct {
	Type string
	handoff.Consumption
	eventlog.How
	Commit  string   `json:"commit"`
	IDs     []string `json:"handoff_ids"`
	Adopted int      `json:"adopted_rows"`
	Turn    int      `json:"turn"`
	Writer  string   `json:"writer"`
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
	isTold := slices.Contains([]string{eventlog.TypeMarkRead, eventlog.TypeMarkUnread, eventlog.TypeSign, eventlog.TypePrune}, s.Type)
	return s.isOwn() || s.isVague() || !s.Synced && (isTold || eventlog.IsConsumption(s.Type))
}

// follow takes in an event that comes next.
func (p *progress) follow(e eventlog.Parsed) (said, error) {
	head := p.Hash
	if p.Events == 0 {
		head = eventlog.Genesis
	}
	if e.Err == nil && e.Prev != head {
		e.Err = errors.New("does not continue the chain")
	}
	if e.Err != nil {
		return said{}, fmt.Errorf("event %d of the log %w", p.Events+1, e.Err)
	}
	p.count(e)
	p.Hash = e.Hash
	return parse(e), nil
}

// count takes in an event by its place.
func (p *progress) count(e eventlog.Parsed) {
	if p.Events%perFile == 0 {
		p.Chunk = e.Offset
	}
	if p.Events, p.Offset = p.Events+1, e.End(); p.Events%perFile == 0 {
		p.Chunk = p.Offset
	}
}

// followAll walks lines of a log and returns what they say. One that does not continue the chain, or is
// cut, is an error about all of them.
func (p *progress) followAll(text []byte) (all []said, err error) {
	for line := range bytes.Lines(text) {
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		s, err := p.follow(eventlog.ParseEvent(eventlog.Line{Text: line}))
		if err == nil && !whole {
			err = errors.New("its log ends within a line")
		}
		if err != nil {
			return nil, err
		}
		if s.Type != eventlog.TypeWrite && s.Type != eventlog.TypeImport { // these come with their documents
			all = append(all, s)
		}
	}
	return all, nil
}

// openLog opens the part of the audit log that is on the disk for good.
func (x *exchange) openLog() (*io.SectionReader, func() error, error) {
	log, done, err := eventlog.Open(x.state)
	if err != nil {
		return nil, nil, err
	}
	return io.NewSectionReader(log, 0, min(x.logSize, log.Size())), done, nil
}

// events returns the events of that part from an offset on; see [eventlog.Scan].
func (x *exchange) events(from int64, failed *error, needles ...string) iter.Seq[eventlog.Parsed] {
	return func(yield func(eventlog.Parsed) bool) {
		log, done, err := x.openLog()
		if err != nil {
			*failed = err
			return
		}
		defer done()
		eventlog.Scan(log, from, failed, needles...)(yield)
	}
}

// news is what is to be published: progress after it, handoffs, and whether others want it soon.
type news struct {
	progress
	ids    []string
	signed []string // after they were written
	loud   bool
	vague  bool
}

// findNews reads the audit log from where it was published.
func (x *exchange) findNews(p progress) (n news, err error) {
	log, done, err := x.openLog()
	if err != nil {
		return n, err
	}
	defer done()
	n = news{progress: p, ids: p.Unsent, vague: p.Partly}
	if p.Offset > log.Size() {
		return n, fault.New(fault.ErrIntegrity, "run `handoff doctor`",
			"%s is shorter than what was sent of it", disk.LogFile)
	}
	isQuiet := !n.vague && p.Quiet <= log.Size()
	if isQuiet {
		for e := range eventlog.Scan(log, max(p.Offset, p.Quiet), &err) {
			if isQuiet = !parse(e).isNews(); !isQuiet {
				break
			}
		}
	}
	if isQuiet || err != nil {
		n.Quiet = log.Size()
		return n, err
	}
	n.Unsent = nil
	for e := range eventlog.Scan(log, p.Offset, &err) {
		s, err := n.follow(e)
		if err != nil {
			return n, fault.New(fault.ErrIntegrity, "run `handoff doctor`", "%s cannot be sent: %v", disk.LogFile, err)
		}
		n.loud, n.vague = n.loud || s.isNews(), n.vague || s.isVague()
		if s.isOwn() {
			n.ids = append(n.ids, s.HandoffID)
		} else if s.Type == eventlog.TypeSign && !s.Synced {
			n.signed = append(n.signed, s.HandoffID)
		}
	}
	n.Offset = log.Size()
	return n, err
}

// locate finds out how far the log in the tree of a commit is the own audit log.
func (r *remote) locate(ctx ctx, tip string) (p progress, err error) {
	if tip == "" {
		return progress{Partly: true}, nil
	}
	count, last, err := r.repo.publishedLog(ctx, tip)
	if err != nil {
		return p, err
	}
	var here []byte
	for e := range r.events(0, &err) {
		if p.Events == count {
			break
		}
		p.count(e)
		here = bytes.Clone(e.Text)
	}
	if err != nil {
		return p, err
	}
	if p.Events != count || !bytes.Equal(here, last) {
		return p, fault.New(fault.ErrIntegrity, "run `handoff doctor`", "%s is not the log that was sent", disk.LogFile)
	}
	if p.Partly = true; count > 0 {
		p.Hash, err = eventlog.HashLine(last)
	}
	return p, err
}
