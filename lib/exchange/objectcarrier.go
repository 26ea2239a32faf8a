package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/exchange/repo"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An objectCarrier is an object store as a remote. The version of a writer is the ETag of its head, and that of a claim
// is its SHA-256, or unread.
type objectCarrier struct {
	*remote
	store objects.Store
	where string // its URL, without credentials

	logs      objects.Reader
	documents *disk.Dir
	seen      map[string]position // what is received of each writer, and what is published of this one
	news      map[string]delivery
	granted   map[string]map[string]string // the writers that tell of a claim, by its name and SHA-256
	own       position                     // as the object store has it
	adopted   *progress
}

// unread is the version of a claim that a log tells of, until it is read.
const unread = "?"

// A position is how much of a log is received.
type position struct {
	objects.Head
	ETag string `json:"etag"` // of the head that ends there
}

// A delivery is what a writer has published since.
type delivery struct {
	position
	lines []objects.Line
}

// In the directory of what is kept about an object store.
const (
	objectsPrefix = "objects-" // and 16 digits of the SHA-256 of its URL
	seenFile      = "seen.json"
	logsDir       = "log"
	documentsDir  = "documents" // that are received and not stored yet
)

// open opens and locks what is kept about the object store.
func (r *objectCarrier) open(ctx ctx) error {
	home, err := r.openPlace(objectsHome(r.where))
	if err != nil {
		return err
	}
	if err = home.Lock(ctx, r.Wait); errors.Is(err, disk.ErrHeld) {
		err = fault.Busy("wait for it", "another sync is running")
	}
	if err == nil {
		r.logs.Store, r.logs.Most, r.seen = r.store, maxAtOnce, make(map[string]position)
		err = r.openHome(home, r.saveSeen)
	}
	if err != nil {
		home.Close()
		return err
	}
	r.holdsClaims = true
	if _, err := load(home, seenFile, &r.seen); err != nil {
		clear(r.seen)
	}
	r.got.Remote, r.Namespace = r.where, ""
	now := target{URL: r.where}
	if err = r.checkTarget(now); err == nil {
		if was, _ := pinned(r.out); was != now {
			err = r.store.Prove(ctx)
		}
	}
	return err
}

// openPlace opens the directories of what is kept about the object store. The last of them is made once the others are
// durable.
func (r *objectCarrier) openPlace(name string) (home *disk.Dir, err error) {
	if home, err = r.out.OpenDir(name); err == nil {
		if r.documents, err = home.OpenDir(documentsDir); err == nil {
			r.logs.Keep, err = home.OpenDir(logsDir)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		if home != nil {
			home.Close()
		}
		if home, err = r.out.MakeDir(name, 0o700); err == nil {
			r.logs.Keep, err = home.MakeDir(logsDir, 0o700)
		}
		if err == nil {
			r.documents, err = home.MakeDir(documentsDir, 0o700)
		}
	}
	return home, store.PlaceError(filepath.Join(r.out.Path(), name), err)
}

func (r *objectCarrier) saveSeen() error { return save(r.home, seenFile, nil, r.seen) }

func (r *objectCarrier) close() {
	for _, d := range []*disk.Dir{r.logs.Keep, r.documents} {
		if d != nil {
			d.Close()
		}
	}
	if r.home != nil {
		r.home.Close()
	}
}

// isOurFault returns false: what is kept here can be lost, and is never blamed on others.
func (r *objectCarrier) isOurFault(_ ctx, err error, _ bool) (bool, error) { return false, err }

func (r *objectCarrier) end(ctx) {}

func (r *objectCarrier) failed() error { return nil }

func (r *objectCarrier) forgetRefused(ctx) error { return nil }

// relist needs no more than list: objects of claims stay.
func (r *objectCarrier) relist(ctx ctx, judge func() error) error {
	if err := r.list(ctx); err != nil {
		return err
	}
	return judge()
}

// begin returns what was published. After a copy or a restore, the state directory is a new writer, which receives
// everything again.
func (r *objectCarrier) begin(ctx) (progress, error) {
	p, isNew := r.ownProgress()
	if !isNew {
		return p, nil
	}
	clear(r.seen)
	return p, errors.Join(r.saveSeen(), r.known.forget())
}

// list lists the heads of the logs, and reads the logs that have grown.
func (r *objectCarrier) list(ctx ctx) (err error) {
	found, err := objects.Heads(ctx, r.store)
	if err != nil {
		return err
	}
	r.writers, r.news, r.granted = found, make(map[string]delivery), make(map[string]map[string]string)
	for name, no := range r.denials {
		if r.claims[name] == "" {
			r.claims[name] = no.Commit
		}
	}
	var grown []string
	for _, writer := range slices.Sorted(maps.Keys(found)) {
		if r.seen[writer].ETag != found[writer] {
			grown = append(grown, writer)
		}
	}
	all, whys := make([]delivery, len(grown)), make([]string, len(grown))
	err = objects.Each(len(grown), func(i int) (err error) {
		all[i], whys[i], err = r.read(ctx, grown[i])
		return err
	})
	if err != nil {
		return err
	}
	r.own = r.seen[r.writer]
	if found[r.writer] == "" {
		r.own = position{}
	}
	for i, writer := range grown {
		switch d := all[i]; {
		case whys[i] != "":
			r.refuse(Refusal{Writer: writer, Why: whys[i]})
		case d.Number == 0: // it is gone again
		case writer == r.writer:
			r.own = d.position
		case d.Number >= r.seen[writer].Number: // otherwise the object store was put back to a backup
			d.ETag = found[writer]
			r.news[writer] = d
			r.hear(writer, d.lines)
		}
	}
	return r.findTries(ctx)
}

// read returns what a log has since last time. why says why nothing of it counts.
func (r *objectCarrier) read(ctx ctx, writer string) (d delivery, why string, err error) {
	now, why, err := objects.ReadHead(ctx, r.store, writer)
	was := r.seen[writer]
	d.Head = now
	switch {
	case err != nil, why != "", writer == r.writer, now.Number < was.Number:
	case now.Number > was.Number:
		d.lines, why, err = r.logs.ReadLog(ctx, was.Head, now)
	case now.Log != was.Log:
		why = objects.PartName(writer, now.Number) + " was rewritten"
	}
	return d, why, err
}

// hear notes the claims that the log of a writer tells of.
func (r *objectCarrier) hear(writer string, lines []objects.Line) {
	for _, l := range lines {
		isSettled := l.Claim == "" || r.isKnown(l.Claim, l.Granted) && !r.Restore && !r.denials[l.Claim].Void
		if isSettled {
			continue
		}
		if r.claims[l.Claim] = unread; r.granted[l.Claim] == nil {
			r.granted[l.Claim] = make(map[string]string)
		}
		r.granted[l.Claim][l.Granted] = writer
	}
}

// receive downloads the documents that the writers have published since, and parses their events.
func (r *objectCarrier) receive(ctx ctx, c *intake) error {
	c.all = true // a log there has only what others need
	writers := slices.DeleteFunc(slices.Sorted(maps.Keys(r.news)), func(w string) bool { return r.refused[w] })
	var documents []heldDocument
	var ids []string
	for _, writer := range writers {
		for _, l := range r.news[writer].lines {
			ids = append(ids, l.Handoff)
		}
	}
	here, err := r.Exchange().Here(ids)
	if err != nil {
		return err
	}
	for _, writer := range writers {
		for _, l := range r.news[writer].lines {
			if _, isHere := here[l.Handoff]; l.Handoff != "" {
				d := heldDocument{Held: Held{ID: l.Handoff, Writer: writer}, Commit: r.news[writer].Log}
				if d.Blob, d.Signature = l.Signature, l.Signature; !isHere {
					documents = append(documents, d)
				} else if l.Signature != "" {
					c.held.Signatures = append(c.held.Signatures, d)
				}
			}
		}
	}
	found, err := r.sources(ctx, documents)
	if err != nil {
		return err
	}
	for i, d := range documents {
		if source, is := found[i]; is {
			c.add(d, source)
		} else {
			r.refuse(Refusal{Writer: d.Writer, Why: objects.DocumentName(d.ID) + " is missing, or too long"})
		}
	}
	for _, writer := range writers {
		said, why := r.parseEvents(r.news[writer])
		if why != "" {
			r.refuse(Refusal{Writer: writer, Why: why})
		}
		if !r.refused[writer] { // it may lack a document
			c.said[writer], c.imported[writer] = said, r.news[writer].ETag
		}
	}
	return nil
}

// parseEvents parses the events of a delivery.
func (r *objectCarrier) parseEvents(d delivery) (all []eventInfo, why string) {
	for _, l := range d.lines {
		if l.Event == nil {
			continue
		}
		e := eventlog.ParseEvent(eventlog.Line{Text: l.Event})
		if e.Err != nil {
			return nil, "its log has an event that " + e.Err.Error()
		}
		all = append(all, parse(e))
	}
	return all, ""
}

// sources returns documents. It downloads those that are not here, to files.
func (r *objectCarrier) sources(ctx ctx, documents []heldDocument) (map[int]handoff.Source, error) {
	found, isThere := make(map[int]handoff.Source), make([]bool, len(documents))
	err := objects.Each(len(documents), func(i int) error {
		name := objects.DocumentName(documents[i].ID)
		_, err := r.documents.Lstat(filepath.Base(name))
		if err != nil {
			var text []byte
			if text, err = r.store.Get(ctx, name, disk.MaxDocument); err != nil && objects.IsBad(err) {
				return nil
			} else if err == nil {
				err = r.documents.Put(filepath.Base(name), text)
			}
		}
		isThere[i] = err == nil
		return err
	})
	for i, d := range documents {
		if isThere[i] {
			name := objects.DocumentName(d.ID)
			found[i] = handoff.Source{Name: name, ID: d.ID, Origin: d.origin(),
				Open: func() (src handoff.Source, err error) {
					src.Text, err = r.documents.ReadFile(filepath.Base(name), disk.MaxDocument)
					return src, err
				}}
		}
	}
	return found, err
}

// get returns the wanted objects. They are signatures, which the logs contain, so each is its own name.
func (r *objectCarrier) get(_ ctx, want []repo.Wanted) ([][]byte, error) {
	texts := make([][]byte, len(want))
	for i, w := range want {
		if int64(len(w.Object)) <= w.Max {
			texts[i] = []byte(w.Object)
		}
	}
	return texts, nil
}

// keep records what was received, and removes the documents that are not held.
func (r *objectCarrier) keep(_ ctx, c *intake) error {
	for writer := range c.imported {
		r.seen[writer] = r.news[writer].position
	}
	held := make(map[string]bool)
	for _, d := range c.held.Documents {
		held[filepath.Base(objects.DocumentName(d.ID))] = true
	}
	names, err := r.documents.Names(func(name string) bool { return !held[name] })
	for _, name := range names {
		err = errors.Join(err, r.documents.Remove(name))
	}
	if len(c.imported) > 0 {
		err = errors.Join(err, r.saveSeen())
	}
	return err
}

// claimTexts downloads claims. One that never counted may have been replaced, once.
func (r *objectCarrier) claimTexts(ctx ctx, names []string) ([][]byte, error) {
	texts, whys := make([][]byte, len(names)), make([]string, len(names))
	err := objects.Each(len(names), func(i int) (err error) {
		texts[i], whys[i], err = r.readClaim(ctx, names[i])
		return err
	})
	for i, name := range names {
		r.claims[name] = jsontree.SHA256Hex(texts[i])
		if r.replaced[name] = whys[i]; whys[i] == "" {
			delete(r.replaced, name)
		}
	}
	return texts, err
}

// readClaim downloads a claim. why says that it is not the one that a writer was granted: an account that can write to
// an object store can replace its objects.
func (r *objectCarrier) readClaim(ctx ctx, name string) (text []byte, why string, err error) {
	if text, err = r.claimText(ctx, objects.ClaimName(name)); err != nil {
		return nil, "", err
	}
	first, later, granted := jsontree.SHA256Hex(text), "", r.granted[name]
	before := r.denials[name]
	if before.Void || len(granted) > 1 || len(granted) == 1 && granted[first] == "" {
		moved, err := r.claimText(ctx, objects.ClaimName(name)+objects.Moved)
		if err != nil {
			return nil, "", err
		}
		if later = jsontree.SHA256Hex(moved); before.Void && moved != nil {
			text = moved
		}
	}
	if before.Moved && before.Commit == jsontree.SHA256Hex(text) {
		return text, before.Why, nil
	}
	for sum, writer := range granted {
		if sum != first && sum != later {
			why = "it is not the one that " + writer + " was granted"
		}
	}
	return text, why, nil
}

// claimText downloads a claim. A claim that is missing or too long is nil.
func (r *objectCarrier) claimText(ctx ctx, name string) ([]byte, error) {
	text, err := r.store.Get(ctx, name, eventlog.MaxFile)
	if err != nil && objects.IsBad(err) {
		return nil, nil
	}
	return text, err
}

// putClaims creates claims. If all is set, it stops at the first that is not granted: the earlier ones are granted, and
// a repeat of their actions finds them.
func (r *objectCarrier) putClaims(ctx ctx, tries []try, all bool) (in map[string]bool, words string, err error) {
	granted := make([]bool, len(tries))
	put := func(i int) (err error) {
		name := objects.ClaimName(tries[i].name)
		if r.denials[tries[i].name].Void {
			name += objects.Moved
		}
		granted[i], err = r.store.Create(ctx, name, tries[i].text)
		return err
	}
	if all {
		for i := range tries {
			if err = put(i); err != nil || !granted[i] {
				break
			}
		}
	} else {
		err = objects.Each(len(tries), put)
	}
	in = make(map[string]bool)
	for i, t := range tries {
		if in[t.name] = granted[i]; granted[i] {
			r.claims[t.name] = jsontree.SHA256Hex(t.text)
		} else if err == nil {
			r.claims[t.name] = unread
		}
	}
	return in, "it has another one", err
}

// findTries looks for claims that this replica has asked for and does not know: an answer may have been lost.
func (r *objectCarrier) findTries(ctx ctx) error {
	if r.isAsking { // the answers are known
		return nil
	}
	tries, err := r.known.untold()
	for _, t := range tries {
		if err != nil {
			break
		}
		if known := r.known.of(t.name).text; known != nil {
			if !bytes.Equal(known, t.text) { // another replica was first
				err = r.known.dropTries([]try{t})
			}
			continue
		}
		var text []byte
		switch text, err = r.store.Get(ctx, objects.ClaimName(t.name), eventlog.MaxFile); {
		case err == nil && bytes.Equal(text, t.text):
			r.claims[t.name] = unread
		case err == nil:
			r.claims[t.name] = unread
			err = r.known.dropTries([]try{t})
			if c, bad := eventlog.ParseClaim(t.name, text); bad == nil && c.Writer == r.writer { // that try was lost
				err = errors.Join(err, r.known.keepTries([]try{{c, t.name, text}}))
			}
		case objects.IsBad(err):
			err = r.known.dropTries([]try{t})
		}
	}
	return err
}

// isReady compares the log of this writer at the object store with what was published here. If the object store is
// ahead, the progress was lost here, or another replica has a copy of this state directory.
func (r *objectCarrier) isReady(ctx ctx) error {
	p, _ := r.ownProgress()
	if r.own.Number < p.Head.Number || r.own.Number == p.Head.Number && r.own.Log == p.Head.Log {
		return nil
	}
	text, err := r.store.Get(ctx, objects.PartName(r.writer, r.own.Number), objects.MaxPart)
	if err != nil {
		return err
	}
	return r.adopt(text, r.own.Number)
}

// adopt takes an object of the own log at the object store as published, if the audit log agrees.
func (r *objectCarrier) adopt(text []byte, number int) (err error) {
	var h objects.Header
	first, _, _ := bytes.Cut(text, []byte("\n"))
	isOwn := json.Unmarshal(first, &h) == nil && h.Writer == r.writer && h.Number == number
	p := progress{Head: objects.Head{Number: number, Log: jsontree.SHA256Hex(text)}}
	p.Writer = r.writer
	for e := range r.events(0, &err) {
		if p.Events == h.Events {
			break
		}
		p.count(e)
		p.Hash = e.Hash
	}
	if err != nil {
		return err
	}
	if !isOwn || p.Events != h.Events || p.Hash != h.Hash {
		return r.errCopied()
	}
	r.adopted = &p
	return nil
}

// publish creates the objects of new handoffs, appends to the log of this writer, and replaces its head.
func (r *objectCarrier) publish(ctx ctx, p progress) (progress, error) {
	if r.adopted != nil {
		r.adopted.Last, p, r.adopted = p.Last, *r.adopted, nil
	}
	n, err := r.prepare(ctx, p, nil)
	tries, triesErr := r.known.untold()
	if err = errors.Join(err, triesErr); err != nil || r.DryRun {
		return p, err
	}
	if r.own.Number < p.Head.Number {
		if err := r.publishAgain(ctx, r.writer, r.own.Head, p.Head.Number); err != nil {
			return p, err
		}
		if _, err := r.restoreClaims(ctx); err != nil {
			return p, err
		}
	} else if !n.loud && len(n.ids)+len(tries) == 0 {
		p.Quiet = n.Quiet
		return p, nil
	}
	return r.append(ctx, p, n, tries)
}

// append publishes what is pending. Handoffs that cannot be published stay pending.
func (r *objectCarrier) append(ctx ctx, p progress, n pending, tries []try) (progress, error) {
	w := r.newLog(p)
	sent, failed := r.putDocuments(ctx, &w, &n)
	if failed != nil && !objects.IsBad(failed) {
		return p, failed
	}
	if err := r.addNews(&w, p, tries); err != nil {
		return p, err
	}
	w.Events, w.Hash = n.Events, n.Hash
	if err := w.Close(); err != nil {
		return p, err
	}
	taken, err := r.putLog(ctx, w)
	if err == nil && taken > 0 { // an answer was lost, and the log has grown since
		return r.appendAfter(ctx, p, taken)
	}
	if err != nil {
		return p, err
	}
	r.got.Sent, r.got.Told = r.got.Sent+sent, r.got.Told || len(w.Parts) > 0
	n.Head, n.Partly, n.Last = w.Head, false, p.Last
	if failed != nil {
		failed = errors.Join(failed, r.saveProgress(n.progress))
	}
	return n.progress, errors.Join(failed, r.known.dropTries(r.told(tries)))
}

// newLog returns the log of this writer after what is published of it.
func (r *objectCarrier) newLog(p progress) objects.Log {
	return objects.Log{Writer: r.writer, Head: p.Head, Events: p.Events, Hash: p.Hash}
}

// putLog creates the parts of a log, keeps them here, and replaces the head if it is behind. It returns the number of
// the first part that the object store has another one of, 0 for none.
func (r *objectCarrier) putLog(ctx ctx, w objects.Log) (taken int, err error) {
	for i, text := range w.Parts {
		number := w.Head.Number - len(w.Parts) + 1 + i
		created, err := r.store.Create(ctx, objects.PartName(r.writer, number), text)
		if err == nil && !created {
			return number, nil
		}
		if err == nil {
			err = r.logs.Add(r.writer, number, text)
		}
		if err != nil {
			return 0, err
		}
	}
	if len(w.Parts) == 0 && r.own.Number >= w.Head.Number {
		return 0, nil
	}
	return 0, r.store.Replace(ctx, objects.HeadName(r.writer), w.Head.Bytes(r.writer))
}

// appendAfter publishes what is pending after an object of the own log that the object store has already.
func (r *objectCarrier) appendAfter(ctx ctx, p progress, number int) (progress, error) {
	text, err := r.store.Get(ctx, objects.PartName(r.writer, number), objects.MaxPart)
	if err == nil {
		err = r.adopt(text, number)
	}
	if err == nil {
		err = r.logs.Add(r.writer, number, text)
	}
	if err != nil {
		return p, err
	}
	return r.publish(ctx, p)
}

// putDocuments creates the objects of the pending handoffs, and adds their lines to the log. It returns their number.
func (r *objectCarrier) putDocuments(ctx ctx, w *objects.Log, n *pending) (sent int, err error) {
	var failed error
	err = r.eachPending(n, slices.Concat(n.ids, n.signed), func(all []signedDocument) error {
		isThere := make([]bool, len(all))
		err := objects.Each(len(all), func(i int) (err error) {
			isThere[i], err = r.store.Create(ctx, objects.DocumentName(all[i].Entry.ID), all[i].Text)
			return err
		})
		for i := 0; i < len(all) && err == nil; i++ {
			d := &all[i]
			if d.isUnsent = !isThere[i]; d.isUnsent {
				failed = errors.Join(failed, fault.Integrity(
					"ask who looks after the object store to remove it, or run `handoff sync --restore-remote`",
					"%s in the object store is not that handoff", objects.DocumentName(d.Entry.ID)))
				continue
			}
			w.Add(objects.Line{Handoff: d.Entry.ID, Signature: d.signature})
			sent++
		}
		return err
	})
	return sent, cmp.Or(err, failed) // after the network failed nothing counts as sent
}

// addNews adds the events and claims that other replicas need.
func (r *objectCarrier) addNews(w *objects.Log, p progress, tries []try) (err error) {
	r.addClaims(w, tries)
	for e := range r.events(p.Offset, &err) {
		s := parse(e)
		if s.isTold() {
			w.Add(objects.Line{Event: bytes.Clone(e.Text)})
		}
	}
	return err
}

// addClaims adds the claims that were granted.
func (r *objectCarrier) addClaims(w *objects.Log, tries []try) {
	for _, t := range r.told(tries) {
		w.Add(objects.Line{Claim: t.name, Granted: jsontree.SHA256Hex(t.text)})
	}
}

// told returns the tries that were granted: only these are told.
func (r *objectCarrier) told(tries []try) []try {
	return slices.DeleteFunc(slices.Clone(tries), func(t try) bool {
		return !bytes.Equal(r.known.of(t.name).text, t.text)
	})
}

// tell publishes claims that were granted and used, which is all that other replicas need to know of an action. Events
// and handoffs wait for the next sync.
func (r *objectCarrier) tell(ctx ctx, tries []try) {
	p, isNew := r.ownProgress()
	w := r.newLog(p)
	r.addClaims(&w, tries)
	if isNew || w.Close() != nil || len(w.Parts) == 0 {
		return
	}
	if taken, err := r.putLog(ctx, w); err != nil || taken > 0 {
		return
	}
	p.Head = w.Head
	text, err := json.Marshal(p)
	// a power cut can damage the file: then the object store tells how far it is
	if err == nil && r.home.Put(disk.SyncState, append(text, '\n')) == nil {
		_ = r.known.dropTries(tries)
	}
}

// restore publishes again what this replica has of the logs of others, and all claims that it knows.
func (r *objectCarrier) restore(ctx ctx) error {
	for writer, at := range r.seen {
		there, _, err := objects.ReadHead(ctx, r.store, writer)
		if err != nil {
			return err
		}
		if writer == r.writer || there.Number >= at.Number {
			continue
		}
		if err := r.publishAgain(ctx, writer, there, at.Number); err != nil {
			return err
		}
		if err := r.store.Replace(ctx, objects.HeadName(writer), at.Bytes(writer)); err != nil {
			return err
		}
	}
	_, err := r.restoreClaims(ctx)
	return err
}

// publishAgain creates the objects of a log after a head up to a number, with the handoffs that they name.
func (r *objectCarrier) publishAgain(ctx ctx, writer string, after objects.Head, last int) error {
	parts, err := r.logs.Kept(writer, after, last)
	if err != nil {
		return fault.Integrity("run `handoff sync --restore-remote` in another clone",
			"a part of the log of %s is lost at the object store, and here: %v", writer, err)
	}
	for i, text := range parts {
		if err := r.putNamed(ctx, text); err != nil {
			return err
		}
		if created, err := r.store.Create(ctx, objects.PartName(writer, after.Number+1+i), text); err != nil {
			return err
		} else if !created && writer == r.writer {
			return r.errCopied()
		}
	}
	return nil
}

// putNamed creates the objects of the handoffs that an object of a log names.
func (r *objectCarrier) putNamed(ctx ctx, text []byte) error {
	var ids []string
	for line := range bytes.Lines(text) {
		var l objects.Line
		if json.Unmarshal(line, &l) == nil && l.Handoff != "" {
			ids = append(ids, l.Handoff)
		}
	}
	here, err := r.Exchange().Here(ids)
	if err != nil {
		return err
	}
	var failed error
	err = r.LoadEach(slices.Collect(maps.Values(here)), func(got handoff.Stored, fault error) bool {
		if fault != nil {
			return true
		}
		name := objects.DocumentName(got.Entry.ID)
		created, err := r.store.Create(ctx, name, got.Text)
		if err == nil && !created { // the bytes here have the id, so those there are damaged
			err = r.store.Replace(ctx, name, got.Text)
		}
		failed = err
		return err == nil
	})
	return errors.Join(err, failed)
}

// objectsHome returns the name of the directory of what is kept about an object store.
func objectsHome(url string) string { return objectsPrefix + jsontree.SHA256Hex([]byte(url))[:16] }
