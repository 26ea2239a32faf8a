package exchange

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// RestoreLost restores what a checkout, `git clean` or a lost disk removed: the audit log that was sent, and the
// files of handoffs. Its source is the repository of sync, and it asks no remote. A store that has only used an object
// store has a copy of the log, and downloads the handoffs. It returns a sentence for each thing it did. A store that
// has never synced does not change. Repair must follow: it adds the rows and marks.
//
// The error is ErrIntegrity if something lost is not in the repository, and ErrBusy while a sync runs.
func RestoreLost(ctx ctx, s *handoff.Store, o Options) (done []string, err error) {
	lost := s.Exchange().CheckSent()
	r := newRemote(s, o)
	defer func() { r.close() }()
	if r.out, err = outside(s); err != nil { // it has never synced
		return nil, lost
	}
	r.home = r.out
	sentLog, hasRepo := r.keptLog, store.IsThere(filepath.Join(r.out.Path(), disk.SyncRepo))
	if hasRepo {
		g := &gitCarrier{remote: r}
		r.carrier, sentLog = g, g.sentLog
		if err = g.openRepo(ctx); err == nil {
			g.refs, err = g.repo.Refs(ctx)
		}
		if err != nil {
			return nil, err
		}
		r.writer = g.sender()
	}
	if hasRepo && r.writer == "" || !hasRepo && len(targets(r.out)) == 0 {
		return nil, lost
	}
	if lost != nil {
		n, err := r.restoreLog(ctx, sentLog)
		if err != nil {
			return nil, err
		}
		done = append(done, fmt.Sprintf("restored the audit log from sync, with %s", handoff.Count(n, "event")))
	}
	n, err := r.restoreDocuments(ctx, hasRepo)
	if n > 0 {
		done = append(done, "restored "+handoff.Count(n, "handoff")+" from sync")
	}
	return done, err
}

// restoreLog restores the audit log as it was sent, and returns the number of its events. sentLog returns it, and the
// progress that sent it.
func (r *remote) restoreLog(ctx ctx, sentLog func(ctx) ([]byte, progress, error)) (events int, err error) {
	log, sent, err := sentLog(ctx)
	if err != nil {
		return 0, err
	}
	p := progress{}
	if _, err := p.followAll(log); err != nil {
		return 0, fault.Integrity("", "what was sent of the audit log cannot be used: %v", err)
	}
	if err = r.Exchange().RestoreLog(ctx, sent.Writer, log); err == nil {
		r.state, err = r.Exchange().State()
	}
	if err != nil {
		return 0, err
	}
	if sent.Head.Number > 0 { // an object store has the rest
		return p.Events, nil
	}
	p.Commit = sent.Commit
	return p.Events, r.saveProgress(p)
}

// sender returns the writer whose ref is in the repository, "" if there is none.
func (r *gitCarrier) sender() (writer string) {
	for _, ref := range slices.Sorted(maps.Keys(r.refs)) {
		if of, is := strings.CutPrefix(ref, localRef("writers", "")); is {
			writer = of
		}
	}
	if p := r.loadProgress(); p.Writer != "" {
		return p.Writer
	}
	return writer
}

// sentLog returns the log as it was sent.
func (r *gitCarrier) sentLog(ctx ctx) (log []byte, sent progress, err error) {
	sent.Writer, sent.Commit = r.writer, r.refs[localRef("writers", r.writer)]
	if sent.Commit == "" {
		return nil, sent, fault.Integrity("bring the state directory back from a backup, or run "+
			"`handoff doctor machine regenerate` and then `handoff sync`",
			"the repository of sync has nothing of the writer %s", r.writer)
	}
	log, err = r.publishedLog(ctx, sent.Commit)
	return log, sent, r.repo.Explain(err)
}

// restoreDocuments restores the missing files of handoffs in the log, and missing signatures, if any writer has
// published them. An object store is opened only if something is missing.
func (r *remote) restoreDocuments(ctx ctx, isOpen bool) (n int, err error) {
	if r.state == nil {
		if r.state, err = r.Exchange().State(); err != nil || r.state == nil {
			return 0, err
		}
	}
	gone, listed, err := r.missingDocuments()
	if err != nil || len(gone) == 0 {
		return 0, err
	}
	if !isOpen {
		if r.Objects == nil {
			return 0, nil
		}
		if store, _, err := r.Objects(ctx, r.Remote); err != nil || store == nil {
			return 0, err
		}
		if err = r.open(ctx); err != nil {
			return 0, err
		}
	}
	sources, err := r.carrier.pruned(ctx, gone)
	if err != nil || len(sources) == 0 {
		return 0, err
	}
	originals := make([]handoff.Original, len(sources))
	for i, source := range sources {
		originals[i] = listed[source.ID]
		originals[i].Source = source
	}
	return r.Exchange().PutBack(originals)
}

// missingDocuments returns the handoffs in the log whose file or signature is missing, and the files and keys of all.
func (x *exchange) missingDocuments() (
	missing map[string]*prunedHandoff, known map[string]handoff.Original, err error) {
	missing, known = make(map[string]*prunedHandoff), make(map[string]handoff.Original)
	for e := range x.events(0, &err) {
		s := parse(e)
		if s.Key != "" {
			known[s.HandoffID] = handoff.Original{Key: s.Key}
		}
		switch s.Type {
		case eventlog.TypeWrite, eventlog.TypeImport:
			if len(s.Time) >= len("0000-00-00") {
				missing[s.HandoffID] = &prunedHandoff{time: s.Time}
			}
		case eventlog.TypePrune:
			delete(missing, s.HandoffID)
			delete(known, s.HandoffID)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	entries, err := x.List(handoff.Filter{})
	if err != nil && !errors.Is(err, fault.ErrIntegrity) {
		return nil, nil, err
	}
	for _, e := range entries {
		key := known[e.ID].Key
		known[e.ID] = handoff.Original{File: e.File, Key: key}
		if store.IsThere(filepath.Join(x.Dir(), e.File)) &&
			(key == "" || store.IsThere(filepath.Join(x.Dir(), disk.Signatures, disk.SignatureFile(e.ID)))) {
			delete(missing, e.ID)
		}
	}
	return missing, known, nil
}

// keptLog returns the copy of the log as it was sent.
func (r *remote) keptLog(ctx) (log []byte, sent progress, err error) {
	sent = r.loadProgress()
	err = homes(r.out, func(home *disk.Dir) {
		kept, readErr := home.ReadFile(keptLog(sent.Writer), disk.MaxLog)
		if readErr == nil && sent.Offset > 0 && int64(len(kept)) >= sent.Offset {
			log = kept[:sent.Offset]
		}
	})
	if err == nil && len(log) == 0 {
		err = errors.Join(r.Exchange().CheckSent(), fault.Integrity(
			"bring the state directory back from a backup", "%s has no copy of what was sent of it", r.out.Path()))
	}
	return log, sent, err
}
