package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/exchange/repo"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// perFile is the number of events in a file of a published log.
const perFile = 1000

// logFile returns the name of the n-th file of a published log.
func logFile(n int) string { return fmt.Sprintf("log/%04d.jsonl", n) }

// progress describes how much of the audit log is published. It is the content of sync.json.
type progress struct {
	Commit string       `json:"commit"`        // the last commit; "" for none
	Head   objects.Head `json:"head,omitzero"` // of the log at an object store
	Events int          `json:"events"`
	Hash   string       `json:"hash"` // the hash of the last event
	Writer string       `json:"writer"`
	Offset int64        `json:"offset"` // in the audit log, after the last event
	Chunk  int64        `json:"chunk"`  // the offset in the audit log of the file that the next event belongs to

	Unsent []string `json:"unsent,omitempty"` // handoffs whose documents could not be proven
	Last   string   `json:"last,omitempty"`   // when everything was sent and imported
	Remote string   `json:"remote,omitempty"` // the name of the remote
	Claims claimed  `json:"claims,omitzero"`

	// Quiet is an offset in the audit log. Everything before it is published, or need not be published soon.
	Quiet int64 `json:"quiet,omitempty"`

	Partly bool `json:"-"` // unknown: the commit must be compared with the store
}

// loadProgress reads sync.json. If it is unreadable, the progress is derived from the repository.
func (x *exchange) loadProgress() (p progress) {
	if _, err := load(x.home, disk.SyncState, &p); err != nil {
		return progress{Partly: true}
	}
	return p
}

// saveProgress writes sync.json. It speeds up the next exchange.
func (x *exchange) saveProgress(p progress) error {
	p.Last, p.Writer, p.Remote = x.Now().UTC().Format(time.RFC3339), x.writer, x.Remote
	err := save(x.home, disk.SyncState, nil, p)
	if err == nil && x.home != x.out { // the store and [ReadStatus] rely on this one
		err = save(x.out, disk.SyncState, nil, p)
	}
	if err != nil {
		return err
	}
	if _, err := x.state.Lstat(disk.Synced); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return x.state.Touch(disk.Synced, 0o600)
}

// An eventInfo is the part of an event that other replicas need.
type eventInfo struct {
	Type string
	handoff.Consumption
	eventlog.How
	Commit  string   `json:"commit"`
	IDs     []string `json:"handoff_ids"`
	Adopted int      `json:"adopted_rows"`
}

// parse returns what an exchange needs of an event. Other events only count for the hash chain.
func parse(e eventlog.Parsed) (s eventInfo) {
	_ = json.Unmarshal(e.Payload, &s) // missing fields stay empty
	s.Type = e.Type
	return s
}

// isOwn reports whether a handoff was written here, or first arrived here.
func (s eventInfo) isOwn() bool {
	return s.HandoffID != "" && (s.Type == eventlog.TypeWrite || s.Type == eventlog.TypeImport && s.Commit == "")
}

// isVague reports whether there may be handoffs without an event of their own.
func (s eventInfo) isVague() bool {
	return len(s.IDs) > 0 && s.Type == eventlog.TypeImport || s.Adopted > 0 || s.Type == eventlog.TypeRepair
}

// isNews reports whether the event must be published soon. Other events are sent with the next ones.
func (s eventInfo) isNews() bool {
	return s.isOwn() || s.isVague() || s.isTold()
}

// isTold reports whether the log at an object store has the event: others may need it.
func (s eventInfo) isTold() bool {
	return !s.Synced && (isFact(s.Type) || eventlog.IsConsumption(s.Type))
}

// isFact reports whether events of a type tell something about a handoff, besides that somebody used it.
func isFact(kind string) bool {
	return slices.Contains([]string{eventlog.TypeMarkRead, eventlog.TypeMarkUnread, eventlog.TypeSign}, kind)
}

// follow adds the next event of the chain. An event that does not continue the chain is an error.
func (p *progress) follow(e eventlog.Parsed) error {
	head := p.Hash
	if p.Events == 0 {
		head = eventlog.Genesis
	}
	if e.Err == nil && e.Prev != head {
		e.Err = errors.New("does not continue the chain")
	}
	if e.Err != nil {
		return fmt.Errorf("event %d of the log %w", p.Events+1, e.Err)
	}
	p.count(e)
	p.Hash = e.Hash
	return nil
}

// count adds the next event without checking the chain.
func (p *progress) count(e eventlog.Parsed) {
	if p.Events%perFile == 0 {
		p.Chunk = e.Offset
	}
	if p.Events, p.Offset = p.Events+1, e.End(); p.Events%perFile == 0 {
		p.Chunk = p.Offset
	}
}

// followAll follows the lines of a log and returns what they contain. A line that is cut, or does not continue the
// chain, is an error for all of them.
func (p *progress) followAll(text []byte) (all []eventInfo, err error) {
	for line := range bytes.Lines(text) {
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		e := eventlog.Skim(eventlog.Line{Offset: p.Offset, Text: line})
		err := p.follow(e)
		if err == nil && !whole {
			err = errors.New("its log ends within a line")
		}
		if err != nil {
			return nil, err
		}
		if e.Type != eventlog.TypeWrite && e.Type != eventlog.TypeImport { // these come with their documents
			all = append(all, parse(e))
		}
	}
	return all, nil
}

// openLog opens the durable part of the audit log.
func (x *exchange) openLog() (*io.SectionReader, func() error, error) {
	log, done, err := eventlog.Open(x.state)
	if err != nil {
		return nil, nil, err
	}
	return io.NewSectionReader(log, 0, min(x.logSize, log.Size())), done, nil
}

// events returns the events of the durable part from an offset on; see [eventlog.Skim].
func (x *exchange) events(from int64, failed *error, needles ...string) iter.Seq[eventlog.Parsed] {
	return func(yield func(eventlog.Parsed) bool) {
		log, done, err := x.openLog()
		if err != nil {
			*failed = err
			return
		}
		defer done()
		eventlog.Scan(eventlog.Skim, log, from, failed, needles...)(yield)
	}
}

// A pending is what is to be published.
type pending struct {
	progress          // after publishing it
	ids      []string // handoffs
	signed   []string // handoffs that were signed after they were written
	loud     bool     // other replicas need it soon
	vague    bool     // there may be handoffs without an event of their own
}

// otherLog is the hint if the audit log is not the one that was sent.
const otherLog = "if `handoff doctor` finds no fault, run `handoff machine-fingerprint regenerate` " +
	"and then `handoff sync`: it sends everything as a new writer"

// findPending reads the part of the audit log that is not published.
func (x *exchange) findPending(p progress) (n pending, err error) {
	log, done, err := x.openLog()
	if err != nil {
		return n, err
	}
	defer done()
	n = pending{progress: p, ids: p.Unsent, vague: p.Partly}
	if p.Offset > log.Size() {
		return n, fault.Integrity(otherLog, "%s is shorter than what was sent of it", disk.LogFile)
	}
	isQuiet := !n.vague && p.Quiet <= log.Size()
	if isQuiet {
		for e := range eventlog.Scan(eventlog.Skim, log, max(p.Offset, p.Quiet), &err) {
			if isQuiet = !parse(e).isNews(); !isQuiet {
				break
			}
		}
	}
	n.Quiet = log.Size()
	if isQuiet || err != nil {
		return n, err
	}
	n.Unsent = nil
	for e := range eventlog.Scan(eventlog.Skim, log, p.Offset, &err) {
		s := parse(e)
		if err := n.follow(e); err != nil {
			return n, fault.Integrity(otherLog, "%s cannot be sent: %v", disk.LogFile, err)
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

// prepare returns what is to be published. sent returns the handoffs that were published before; it can be nil. A dry
// run counts.
func (r *remote) prepare(ctx ctx, p progress, sent func() (map[string]bool, error)) (n pending, err error) {
	if len(r.got.Received)+r.got.Marks+r.got.Tokens > 0 { // their events are sent too
		if err = r.recover(ctx); err != nil {
			return n, err
		}
	}
	if n, err = r.findPending(p); err == nil && n.vague {
		var before map[string]bool
		if sent != nil {
			before, err = sent()
		}
		if err == nil {
			n.ids, err = r.allOwn(before)
		}
	}
	if r.DryRun {
		r.got.Told, r.got.Sent = n.loud, len(n.ids)
	}
	return n, err
}

// A signedDocument is a pending document with its signature, "" if it has none or a damaged one.
type signedDocument struct {
	handoff.Stored
	signature string
	isUnsent  bool // it stays pending
}

// documentsAtOnce is the number of documents that are in memory to be published.
const documentsAtOnce = 64

// eachPending calls do with documents that are to be published, some at a time. A document that cannot be proven stays
// pending: other replicas would refuse everything that comes with it.
func (x *exchange) eachPending(n *pending, ids []string, do func([]signedDocument) error) error {
	n.Unsent = nil
	here, err := x.Exchange().Here(ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	found := x.Exchange().Pruned()
	for some := range slices.Chunk(slices.Sorted(maps.Keys(here)), documentsAtOnce) {
		entries, all := make([]handoff.Entry, len(some)), []signedDocument(nil)
		for i, id := range some {
			entries[i] = here[id]
		}
		err := x.LoadEach(entries, func(got handoff.Stored, fault error) bool {
			if fault == nil {
				got.Text = bytes.Clone(got.Text)
				all = append(all, signedDocument{Stored: got})
			}
			return true
		})
		for i := 0; i < len(all) && err == nil; i++ {
			if all[i].Signature.State != handoff.SignatureUnsigned {
				all[i].signature, err = x.signature(all[i].Entry.ID)
			}
		}
		if err == nil {
			err = do(all)
		}
		if err != nil {
			return err
		}
		for _, d := range all {
			found[d.Entry.ID] = !d.isUnsent
		}
	}
	for _, id := range n.ids {
		if !found[id] && !slices.Contains(n.Unsent, id) {
			n.Unsent = append(n.Unsent, id)
		}
	}
	return nil
}

// signature returns the signature of a handoff, "" if it has none or a damaged one: others may have a good one.
func (x *exchange) signature(id string) (string, error) {
	text, err := x.Exchange().SignatureText(id)
	if errors.Is(err, fault.ErrIntegrity) {
		return "", nil
	}
	return text, err
}

// locate compares the log in the tree of a commit with the audit log of this store, and returns how much of it is
// published.
func (r *gitCarrier) locate(ctx ctx, tip string) (p progress, err error) {
	p.Partly = true
	if tip == "" {
		return p, nil
	}
	log, err := r.publishedLog(ctx, tip)
	if err != nil {
		return p, err
	}
	for e := range r.events(0, &err) {
		rest, isSame := bytes.CutPrefix(log, append(bytes.Clone(e.Text), '\n'))
		if !isSame {
			break
		}
		p.count(e)
		p.Hash, log = e.Hash, rest
	}
	if err == nil && len(log) > 0 {
		err = fault.Integrity(otherLog, "%s is not the log that was sent", disk.LogFile)
	}
	return p, err
}

// publishedLog returns the log in the tree of a commit.
func (r *gitCarrier) publishedLog(ctx ctx, commit string) ([]byte, error) {
	all, err := r.repo.Changes(ctx, "", commit)
	var want []repo.Wanted
	for n := 1; slices.ContainsFunc(all, func(c repo.Change) bool { return c.Name == logFile(n) }); n++ {
		want = append(want, repo.Wanted{Object: commit + ":" + logFile(n), Max: maxLogFile})
	}
	if err != nil {
		return nil, err
	}
	texts, err := r.repo.Read(ctx, want)
	if err == nil && slices.ContainsFunc(texts, func(text []byte) bool { return text == nil }) {
		err = repo.ErrNoText
	}
	return bytes.Join(texts, nil), err
}
