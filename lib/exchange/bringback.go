package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/exchange/repo"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// RestoreLost restores what a checkout, `git clean` or a lost disk removed: the audit log that was sent, and the
// files of handoffs. Its source is the repository of sync, and it asks no remote. A store that has only used an object
// store has a copy of the log, and downloads the handoffs. It returns a sentence for each thing it did. A store that
// has never synced does not change. Repair must follow: it adds the rows and marks.
//
// The error is ErrIntegrity if something lost is not in the repository, and ErrBusy while a sync runs.
func RestoreLost(ctx ctx, s *handoff.Store, o Options) (done []string, err error) {
	lost := s.Exchange().CheckSent()
	path, err := s.Exchange().OutsidePath()
	if err != nil {
		return nil, lost
	}
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(lost, err)
	}
	has := func(prefix string) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), prefix) })
	}
	r := newRemote(s, o)
	defer func() { r.close() }()
	restoreLog := r.restoreKeptLog
	hasRepo := has(disk.SyncRepo)
	if hasRepo {
		g := &gitCarrier{remote: r}
		r.carrier, restoreLog = g, g.restoreLog
		if r.out, err = s.Exchange().Outside(); err == nil {
			r.home = r.out
			err = g.openRepo(ctx)
		}
		if err == nil {
			g.refs, err = g.repo.Refs(ctx)
		}
		if err != nil {
			return nil, err
		}
		r.writer = g.sender()
	}
	if hasRepo && r.writer == "" || !hasRepo && !has(objectsPrefix) {
		return nil, lost
	}
	if lost != nil {
		n, err := restoreLog(ctx)
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

// restoreLog restores the log as it was sent, and returns the number of its events.
func (r *gitCarrier) restoreLog(ctx ctx) (events int, err error) {
	tip := r.refs[localRef("writers", r.writer)]
	if tip == "" {
		return 0, fault.New(fault.ErrIntegrity, "bring the state directory back from a backup, or run "+
			"`handoff doctor machine regenerate` and then `handoff sync`",
			"the repository of sync has nothing of the writer %s", r.writer)
	}
	all, err := r.repo.Changes(ctx, "", tip)
	if err != nil {
		return 0, r.repo.Explain(err)
	}
	var want []repo.Wanted
	for n := 1; slices.ContainsFunc(all, func(c repo.Change) bool { return c.Name == logFile(n) }); n++ {
		want = append(want, repo.Wanted{Object: tip + ":" + logFile(n), Max: maxLogFile})
	}
	texts, err := r.repo.Read(ctx, want)
	if err != nil {
		return 0, err
	}
	log, p := bytes.Join(texts, nil), progress{}
	if _, err := p.followAll(log); err != nil {
		return 0, fault.New(fault.ErrIntegrity, "", "what was sent of the audit log cannot be used: %v", err)
	}
	if err = r.Exchange().RestoreLog(ctx, r.writer, log); err == nil {
		r.state, err = r.Exchange().State()
	}
	if err != nil {
		return 0, err
	}
	located, err := r.locate(ctx, tip)
	if err != nil {
		return 0, err
	}
	located.Commit = tip
	return p.Events, r.saveProgress(located)
}

// restoreDocuments restores the missing files of handoffs in the log, if any writer has published them. An object store
// is opened only if something is missing.
func (r *remote) restoreDocuments(ctx ctx, isOpen bool) (n int, err error) {
	if r.state == nil {
		if r.state, err = r.Exchange().State(); err != nil || r.state == nil {
			return 0, err
		}
	}
	gone, err := r.missingDocuments()
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
	return r.Exchange().PutBack(sources)
}

// missingDocuments returns the handoffs in the log whose files are missing.
func (x *exchange) missingDocuments() (map[string]*prunedHandoff, error) {
	missing := make(map[string]*prunedHandoff)
	var err error
	for e := range x.events(0, &err) {
		switch s := parse(e); s.Type {
		case eventlog.TypeWrite, eventlog.TypeImport:
			if len(s.Time) >= len("0000-00-00") {
				missing[s.HandoffID] = &prunedHandoff{time: s.Time}
			}
		case eventlog.TypePrune:
			delete(missing, s.HandoffID)
		}
	}
	if err != nil {
		return nil, err
	}
	entries, err := x.List(handoff.Filter{})
	if err != nil && !errors.Is(err, fault.ErrIntegrity) {
		return nil, err
	}
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(x.Dir(), e.File)); err == nil {
			delete(missing, e.ID)
		}
	}
	return missing, nil
}

// restoreKeptLog restores the audit log from the copy of what was sent, and returns the number of its events.
func (r *remote) restoreKeptLog(ctx ctx) (events int, err error) {
	if r.out, err = r.Exchange().Outside(); err != nil {
		return 0, err
	}
	r.home = r.out
	sent := r.loadProgress()
	var log []byte
	err = homes(r.out, func(home *disk.Dir) {
		kept, readErr := home.ReadFile(keptLog(sent.Writer), disk.MaxLog)
		if readErr == nil && sent.Offset > 0 && int64(len(kept)) >= sent.Offset {
			log = kept[:sent.Offset]
		}
	})
	p := progress{}
	if err == nil {
		_, err = p.followAll(log)
	}
	if err == nil && len(log) == 0 {
		err = fault.New(fault.ErrIntegrity, "bring the state directory back from a backup",
			"%s has no copy of what was sent of it", r.out.Path())
	}
	if err != nil {
		return 0, errors.Join(r.Exchange().CheckSent(), err)
	}
	return p.Events, r.Exchange().RestoreLog(ctx, sent.Writer, log)
}
