package exchange

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/repo"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// ownProgress returns how much of the log of this writer is published. After a copy or a restore, the state directory
// is a new writer.
func (r *remote) ownProgress() (p progress, isNew bool) {
	p = r.loadProgress()
	if p.Writer == "" || p.Writer == r.writer {
		p.Writer = r.writer
		return p, false
	}
	return progress{Writer: r.writer, Partly: true, Last: p.Last}, true
}

// publish commits what is new here, and pushes the ref of this writer. A dry run only counts.
func (r *gitCarrier) publish(ctx ctx, p progress) (progress, error) {
	ref := localRef("writers", r.writer)
	tip := r.refs[ref]
	if p.Commit != tip { // an exchange was interrupted, or a file was lost
		found, err := r.locate(ctx, tip)
		if errors.Is(err, fault.ErrIntegrity) {
			return p, err
		} else if err != nil {
			return p, r.repo.Explain(err)
		}
		found.Writer, found.Last, found.Commit = r.writer, p.Last, tip
		p = found
	}
	n, err := r.prepare(ctx, p, func() (map[string]bool, error) { return r.committed(ctx, "", tip) })
	if err != nil {
		return p, err
	}
	if r.DryRun {
		return p, r.countSent(ctx, tip)
	}
	var claims []try
	if n.loud || len(n.ids) > len(p.Unsent) {
		if claims, err = r.foldable(); err != nil {
			return p, err
		}
		if tip, err = r.commit(ctx, p, &n, tip); err != nil {
			return p, err
		}
		n.Commit, n.Partly = tip, false
		p = n.progress
	}
	p.Quiet = n.Quiet
	if tip == "" || r.writers[r.writer] == tip {
		return p, nil
	}
	isPushed, err := r.pushFolds(ctx, ref, claims)
	if err == nil && !isPushed {
		err = r.push(ctx, ref)
	}
	if err != nil {
		return r.loadProgress(), err
	}
	r.got.Told, p.Commit = true, r.refs[ref]
	return p, r.countSent(ctx, tip)
}

// countSent counts the handoffs of a commit that the remote did not have.
func (r *gitCarrier) countSent(ctx ctx, tip string) error {
	ids, err := r.committed(ctx, r.writers[r.writer], tip)
	r.got.Sent += len(ids)
	return err
}

// committed returns the handoffs that the tree of a commit has and that of an earlier one has not.
func (r *gitCarrier) committed(ctx ctx, since, tip string) (map[string]bool, error) {
	ids := make(map[string]bool)
	if tip == "" || tip == since {
		return ids, nil
	}
	all, err := r.repo.Changes(ctx, since, tip)
	for _, c := range all {
		if id, isDocument := idOf(c.Name); isDocument {
			ids[id] = true
		}
	}
	return ids, r.repo.Explain(err)
}

// commit adds the pending handoffs and events to the ref of this writer, and returns the commit. Handoffs that cannot
// be proven stay pending.
func (r *gitCarrier) commit(ctx ctx, p progress, n *pending, tip string) (string, error) {
	r.grew = true
	pack := r.repo.NewPack()
	defer pack.Close()
	if tip == "" { // writer.json names the owner of the ref, in canonical form
		created := r.Now().UTC().Format(time.RFC3339)
		pack.File("writer.json",
			fmt.Appendf(nil, "{\"created\":%q,\"format\":\"handoff-writer/1\",\"writer\":%q}\n", created, r.writer))
	}
	if err := cmp.Or(r.writeLog(pack, p), r.writeDocuments(pack, n), r.writeSignatures(pack, n)); err != nil {
		return "", err
	}
	message := fmt.Sprintf("%s, %s\n", handoff.Count(len(n.ids), "handoff"), handoff.Count(n.Events-p.Events, "event"))
	commit, err := pack.Commit(ctx, tip, committer(r.writer, r.Now().Unix()), message)
	if err == nil {
		err = r.repo.Store(pack)
	}
	if err == nil {
		err = r.move(ctx, map[string]string{localRef("writers", r.writer): commit})
	}
	return commit, err
}

// committer returns who committed something, and when, as git writes it.
func committer(writer string, at int64) string {
	return fmt.Sprintf("%s <%[1]s@handoff> %d +0000", writer, at)
}

// writeLog adds the files of the log that have grown.
func (x *exchange) writeLog(to *repo.Pack, p progress) (err error) {
	var file []byte
	count, number := 0, p.Events/perFile+1
	for e := range x.events(p.Chunk, &err) {
		file, count = append(append(file, e.Text...), '\n'), count+1
		if count == perFile {
			to.File(logFile(number), file)
			file, count, number = file[:0], 0, number+1
		}
	}
	if count > 0 {
		to.File(logFile(number), file)
	}
	return err
}

// writeDocuments adds the new documents with their signatures.
func (x *exchange) writeDocuments(to *repo.Pack, n *pending) error {
	return x.eachPending(n, n.ids, func(all []signedDocument) error {
		for _, d := range all {
			name := fileOf(d.Entry.ID, d.Time)
			if to.File(name, d.Text); d.signature != "" {
				to.File(signatureOf(name), []byte(d.signature))
			}
		}
		return nil
	})
}

// writeSignatures adds the signatures of handoffs that were signed later.
func (x *exchange) writeSignatures(to *repo.Pack, n *pending) error {
	here, err := x.Exchange().Here(n.signed)
	for id, e := range here {
		if err == nil && !slices.Contains(n.ids, id) {
			var signature string
			if signature, err = x.signature(id); signature != "" {
				to.File(signatureOf(fileOf(id, e.Time)), []byte(signature))
			}
		}
	}
	return err
}

// pushRefs pushes refs. It forces only those with a lease. out has the result for each ref. no is the error if the
// remote rejected some, although it can store them. refs are those of a pattern; see [repo.Repo.Push].
func (r *gitCarrier) pushRefs(ctx ctx, refs map[string]string, options []string, specs ...string) (out []byte,
	no *git.Error, err error) {
	args := slices.Concat([]string{"--porcelain", "--no-verify"}, options, specs)
	if out, err = r.repo.Push(ctx, refs, args...); git.Refusal(err) != nil {
		no = git.Refusal(err)
		return no.Output, no, repo.Unusable(no)
	}
	return out, nil, err
}

// push pushes the ref of this writer. If git does not confirm it, the remote is asked: the connection may have broken
// after everything was sent.
func (r *gitCarrier) push(ctx ctx, ref string) error {
	out, no, err := r.pushRefs(ctx, nil, nil, ref+":"+r.writerRef(r.writer))
	if no == nil || err != nil {
		return err
	}
	before := r.writers[r.writer]
	if err := r.list(ctx); err != nil {
		return err
	}
	if r.writers[r.writer] == r.refs[ref] {
		r.writers[r.writer] = before // sent handoffs are counted from there
		return nil
	}
	for line := range bytes.Lines(out) {
		text := strings.TrimSpace(string(line))
		switch {
		case !strings.HasPrefix(text, "!"):
		case strings.Contains(text, "[rejected]"):
			if moved := r.isReady(ctx); moved != nil {
				return moved
			}
		case strings.Contains(text, "[remote rejected]"):
			return fault.Config("set sync_namespace: refs/heads/handoff in "+handoff.SettingsName+
				" and run `handoff sync --remote "+r.Remote+"`, or ask who looks after the remote",
				"the remote refuses %s: %s", r.writerRef(r.writer), text[strings.LastIndexByte(text, '\t')+1:])
		}
	}
	if no.Says("DAV") { // git tries WebDAV if a web server is not a git server
		return repo.BadRemote(no)
	}
	return fault.New(nil, "run it again", "nothing was sent: %v", no)
}

// atOnce is the number of refs in one git command.
const atOnce = 200

// restore publishes again missing or older histories of writers, and missing claims. It replaces nothing else.
func (r *gitCarrier) restore(ctx ctx) error {
	var specs []string
	for _, ref := range slices.Sorted(maps.Keys(r.refs)) {
		writer, isWriter := strings.CutPrefix(ref, localRef("fetched", ""))
		there := r.writers[writer]
		if !isWriter || writer == r.writer || there == r.refs[ref] {
			continue
		}
		isBehind := there == ""
		if !isBehind {
			isBehind, _ = r.repo.IsAncestor(ctx, there, r.refs[ref])
		}
		if isBehind {
			specs = append(specs, ref+":"+r.writerRef(writer))
		}
	}
	for some := range slices.Chunk(specs, atOnce) {
		if _, _, err := r.pushRefs(ctx, nil, nil, some...); err != nil { // refs that exist meanwhile stay
			return err
		}
	}
	lost, err := r.restoreClaims(ctx)
	if err != nil || len(specs)+lost == 0 {
		return err
	}
	return r.list(ctx)
}
