package exchange

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
	doc "github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An arrival is what was read of one log.
type arrival struct {
	log   string
	audit string // the head of the sender's audit log
	end   remote.Position
	lines []received
}

// errFull ends reading when enough has come in for one sync.
var errFull = errors.New("enough for one sync")

// receive reads the logs that changed, or only those named, and stores what they say. Logs that were rewritten are
// told at the end; the others are received.
func (x *Exchange) receive(ctx context.Context, only ...string) error {
	if err := x.receiveLogs(ctx, only...); err != nil {
		return err
	}
	return x.catchUp(ctx)
}

func (x *Exchange) receiveLogs(ctx context.Context, only ...string) error {
	look, err := x.At.Look(false)
	if err != nil {
		return err
	}
	versions, err := x.Remote.Versions(ctx)
	if err != nil {
		return err
	}
	known, after := x.At.Versions(), map[string]remote.Position{}
	for name, version := range versions {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		read := look.Sync.Logs[name].End
		switch {
		case x.restored != nil:
			after[name] = x.restored.ends[name]
		case x.again:
			after[name] = ""
		case read != version && known[name] != version+" "+read:
			after[name] = remote.Position(read)
		}
	}
	var gone error
	for _, name := range slices.Sorted(maps.Keys(look.Sync.Logs)) {
		_, isThere := versions[name]
		if !isThere && look.Sync.Logs[name].End != "" && len(only) == 0 && x.restored == nil {
			gone = errors.Join(gone, &remote.Rewritten{Log: name})
		}
	}
	ends, readErr := x.read(ctx, after)
	if readErr == nil && len(ends) > 0 {
		if known == nil {
			known = map[string]string{}
		}
		for name, end := range ends {
			known[name] = versions[name] + " " + string(end)
		}
		x.At.SetVersions(known)
	}
	isFull := errors.Is(readErr, errFull)
	if x.report.More = isFull || x.again && x.report.More; isFull {
		readErr = nil
	}
	return errors.Join(readErr, gone)
}

// read reads logs behind positions, and stores what they say. It returns where each of them ends. If a log is too long
// for one sync, the others are read, and the error is errFull.
func (x *Exchange) read(ctx context.Context, after map[string]remote.Position) (ends map[string]remote.Position,
	err error) {
	ends = maps.Clone(after)
	size, all := 0, []arrival(nil)
	total, of, last := 0, map[string]int{}, ""
	take := func(name string, b remote.Batch) error {
		last = name
		if !x.again && x.restored == nil && (total >= maxSync || of[name] >= maxLog) {
			return errFull
		}
		if n := len(all); n == 0 || all[n-1].log != name {
			all = append(all, arrival{log: name})
		}
		lines, audit, malformed := parseBatch(name, b.Text)
		if !x.again { // they were counted before
			x.report.PassedOver += malformed
		}
		a := &all[len(all)-1]
		a.end, a.audit, a.lines, ends[name] = b.At, audit, append(a.lines, lines...), b.At
		total, of[name] = total+len(b.Text), of[name]+len(b.Text)
		if size += len(b.Text); size >= maxStored {
			err := x.take(ctx, all)
			all, size = nil, 0
			return err
		}
		return nil
	}
	isFull := error(nil)
	for len(after) > 0 {
		if err = x.Remote.Read(ctx, after, take); !errors.Is(err, errFull) {
			break
		}
		isFull, err = errFull, nil
		maps.DeleteFunc(after, func(name string, _ remote.Position) bool { return name <= last || total >= maxSync })
	}
	if takeErr := x.take(ctx, all); takeErr != nil {
		return nil, takeErr
	}
	return ends, cmp.Or(err, isFull)
}

// take stores what came in, documents first.
func (x *Exchange) take(ctx context.Context, all []arrival) error {
	if len(all) == 0 {
		return nil
	}
	door, err := newDoor(x.At)
	if err != nil {
		return err
	}
	var docs []store.Document
	for i := range all {
		x.outboxHas(all[i])
		for _, r := range all[i].lines {
			if r.document == nil {
				continue
			}
			d, err := x.admit(door, r.document, all[i].log)
			if err != nil {
				return err
			}
			if d != nil {
				docs = append(docs, *d)
			}
		}
	}
	outcomes, err := x.At.Write(ctx, docs, func(*store.Change) {}, func(c *store.Change) error {
		room := facts.NewRoom(c.Facts)
		for _, a := range all {
			if err := x.addLines(c, room, a); err != nil {
				return err
			}
		}
		return nil
	})
	for _, o := range outcomes {
		if err == nil && !o.IsExisting {
			x.report.Received++
		}
	}
	return err
}

// outboxHas notes which lines the outbox of this clone has; to restore the remote, those of all logs.
func (x *Exchange) outboxHas(a arrival) {
	if a.log != x.outbox && x.restored == nil {
		return
	}
	for _, r := range a.lines {
		x.sent[r.id] = true
	}
}

// A door decides which documents may be stored.
type door struct {
	at                *store.Store
	look              *store.Look
	present, accepted operators.Rules
	keys              operators.Keys
}

func newDoor(at *store.Store) (*door, error) {
	look, err := at.Look(false)
	if err != nil {
		return nil, err
	}
	accepted := at.Accepted(look.View)
	return &door{at, look, at.Rules(), accepted, at.Keys(accepted, operators.Namespace)}, nil
}

// admit returns a document to store, nil if it is here, was pruned, or has to wait.
func (x *Exchange) admit(door *door, d *document, from string) (*store.Document, error) {
	h := door.look.Of(d.ID)
	isHere := h != nil && !h.Lost && !slices.Contains(door.look.Missing, h)
	if h != nil && h.Pruned || isHere && d.Signature == "" {
		return nil, nil
	}
	parsed, err := d.parse()
	if err != nil {
		x.report.PassedOver++
		return nil, nil
	}
	if isHere {
		door.improve(d, parsed.From)
		return nil, nil
	}
	verification, why := door.judge(d, parsed)
	if why != nil {
		return nil, x.hold(d, from, why)
	}
	return x.received(d, parsed, verification, &log.Here{Log: from}), nil
}

// parse proves a document by its id.
func (d document) parse() (doc.Document, error) {
	parsed, faults := doc.ParseStored([]byte(d.Text))
	if len(faults) > 0 {
		return parsed, fault.Invalid("get it again", "%s is not a valid handoff: %s", d.ID, faults[0].Problem)
	}
	id, err := doc.ID(parsed)
	if err == nil && (id != d.ID || parsed.HandoffID != id) {
		err = &fault.IDMismatchError{Name: "the received document", Claimed: d.ID, Computed: id}
	}
	return parsed, err
}

// received returns a document as one to store.
func (x *Exchange) received(d *document, parsed doc.Document, verification string, here *log.Here) *store.Document {
	return &store.Document{Document: parsed, Size: len(parsed.Body), Verification: verification, Source: d.Source,
		Record: x.RecordOf(parsed.Body), Signature: []byte(d.Signature), Here: here,
		Text: func() ([]byte, error) { return []byte(d.Text), nil }}
}

// judge returns why a document may not be stored now. It removes a signature that is not of the text.
func (o *door) judge(d *document, parsed doc.Document) (verification string, why error) {
	if bad := doc.CheckTime(parsed.Time, o.at.Opt.Now()); bad != nil {
		return "", fault.Invalid("it comes in when its time has come", "it states %s", parsed.Time)
	}
	if _, err := o.present.Admit(parsed.From, parsed.To); err != nil {
		return "", err
	}
	verification, err := o.accepted.Admit(parsed.From, parsed.To)
	if err != nil {
		return "", err
	}
	verdict, err := o.keys.Judge(parsed.From, []byte(d.Text), []byte(d.Signature))
	if verdict.State == operators.Bad {
		d.Signature = ""
	} else if err != nil {
		return "", err
	}
	if missing := o.keys.Distrust(parsed.From, verdict); missing != "" {
		return "", fault.Denied("ask "+parsed.From+" to run `handoff write --sign` with it", "%s", missing)
	}
	return verification, nil
}

// hold keeps a document that may not be stored yet.
func (x *Exchange) hold(d *document, from string, why error) error {
	x.report.Held = append(x.report.Held, Held{d.ID, fault.Sentence(why)})
	held, err := x.At.Held()
	if err != nil {
		return err
	}
	defer held.Close()
	text, err := json.CanonicalOf(waiting{from, *d})
	if err == nil {
		err = held.Replace(strings.TrimPrefix(d.ID, form.IDPrefix), text, 0, true)
	}
	return err
}

// A waiting is what the file of a held document has.
type waiting struct {
	Log      string   `json:"log"`
	Document document `json:"document"`
}

// release stores held documents that may be stored now. What others said of them meanwhile is read again.
func (x *Exchange) release(ctx context.Context) error {
	held, err := x.At.Held()
	if err != nil {
		return err
	}
	defer held.Close()
	x.report.Held = x.report.Held[:0]
	var docs []store.Document
	remove := func(id string) { _ = held.Remove(strings.TrimPrefix(id, form.IDPrefix)) }
	err = eachHeld(x.At, held, func(door *door, w waiting) error {
		d, err := x.admit(door, &w.Document, w.Log)
		switch {
		case d != nil:
			docs = append(docs, *d)
		case door.look.Of(w.Document.ID) != nil: // it came in another way
			remove(w.Document.ID)
		}
		return err
	})
	if err != nil || len(docs) == 0 {
		return err
	}
	outcomes, err := x.At.Write(ctx, docs, func(*store.Change) {}, nil)
	if err != nil {
		return err
	}
	x.report.Received += len(outcomes)
	for _, d := range docs {
		remove(d.HandoffID)
	}
	return x.catchUp(ctx)
}

const (
	notedFile = "noted" // the ids of handoffs about which lines were passed over
	maxNoted  = 200_000 // of them
)

// note adds the ids of handoffs that are not here and about which others said something, or removes them. It returns
// all that are noted.
func (x *Exchange) note(add, remove map[string]bool) (noted map[string]bool, err error) {
	held, err := x.At.Held()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	text, err := held.Read(notedFile, maxChange)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	noted = map[string]bool{}
	for _, id := range strings.Fields(string(text)) {
		noted[id] = true
	}
	before := len(noted)
	maps.Copy(noted, add)
	maps.DeleteFunc(noted, func(id string, _ bool) bool { return remove[id] })
	if len(noted) == before && len(remove) == 0 || len(noted) > maxNoted {
		return noted, nil
	}
	return noted, held.Replace(notedFile, []byte(strings.Join(slices.Sorted(maps.Keys(noted)), "\n")), 0, true)
}

// catchUp reads all logs from their beginnings if a handoff has come in, in whatever way, about which lines were passed
// over.
func (x *Exchange) catchUp(ctx context.Context) error {
	for x.restored == nil {
		noted, err := x.note(nil, nil)
		if err != nil {
			return err
		}
		look, err := x.At.Look(false)
		if err != nil {
			return err
		}
		maps.DeleteFunc(noted, func(id string, _ bool) bool { return look.Of(id) == nil })
		if len(noted) == 0 {
			return nil
		}
		x.again = true
		err = x.receiveLogs(ctx)
		x.again = false
		if err == nil {
			_, err = x.note(nil, noted)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addLines adds the facts and turns of a log, and how far it was read.
func (x *Exchange) addLines(c *store.Change, room *facts.Room, a arrival) error {
	read, away := []string{}, map[string]bool{}
	slices.SortStableFunc(a.lines, latestFirst)
	for _, r := range a.lines {
		h := c.Of(r.Payload.ID)
		isAway := h == nil && form.IsID(r.Payload.ID)
		isHere, comesIn := false, false
		switch {
		case r.document != nil:
			continue
		case isAway:
			away[r.Payload.ID] = true
		case h == nil || !h.Pruned:
			if isHere, comesIn = room.Admit(h, r.Pending, r.id); !isHere && !comesIn && !x.again {
				x.report.PassedOver++
			}
		}
		if comesIn {
			c.AddEvent(r.Pending, &log.Here{Log: a.log})
			x.report.count(r.Pending)
		}
		if log.IsTurn(r.Type) && (isAway || isHere || comesIn) {
			read = append(read, r.id)
		}
	}
	if len(away) > 0 { // before it is said that they were read
		if _, err := x.note(away, nil); err != nil {
			return err
		}
	}
	sync := log.Payload{Log: a.log, End: string(a.end), Turns: read, Audit: a.audit}
	if through := c.Sync.Logs[a.log].Through; a.log == x.outbox && through != (log.Point{}) {
		sync.Through = through.String()
	}
	if x.restored != nil {
		x.restored.ends[a.log] = a.end
		x.restored.reads = append(x.restored.reads, sync)
		return nil
	}
	c.Add(log.SyncRead, sync)
	return nil
}

// count counts what somebody else did.
func (r *Report) count(e log.Pending) {
	by := e.Payload.Operator
	if !isFact(e.Type) && !log.IsTurn(e.Type) || e.Type == log.Renew || !form.IsName(by) {
		return
	}
	if r.Acts == nil {
		r.Acts = map[string]map[string]int{}
	}
	if r.Acts[by] == nil {
		r.Acts[by] = map[string]int{}
	}
	r.Acts[by][e.Type]++
}

// improve stores a signature of a document that is here, if it is good and the present one is not.
func (o *door) improve(d *document, from string) {
	isGood := func(armored []byte) bool {
		v, err := o.keys.Judge(from, []byte(d.Text), armored)
		return err == nil && v.State == operators.Good
	}
	if now, err := o.at.Signature(d.ID); err == nil && !isGood(now) && isGood([]byte(d.Signature)) {
		_ = o.at.SetSignature(d.ID, []byte(d.Signature)) // else it comes in with the next sync that reads the log again
	}
}
