package replica

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// send commits what is new here and pushes the own ref. A dry run only counts.
func (x *syncing) send(ctx ctx, p progress) (progress, error) {
	ref := own("writers", x.writer)
	tip := x.refs[ref]
	if p.Commit != tip { // it was interrupted, or one of them was lost
		found, err := x.locate(ctx, tip)
		if errors.Is(err, fault.ErrIntegrity) {
			return p, err
		} else if err != nil {
			return p, x.repo.broken(err)
		}
		found.Writer, found.Last, found.Commit = x.writer, p.Last, tip
		p = found
	}
	if len(x.got.Received)+x.got.Marks+x.got.Tokens > 0 { // their events go with the others
		if err := x.settle(ctx); err != nil {
			return p, err
		}
	}
	n, err := x.findNews(p)
	if err != nil {
		return p, err
	}
	if n.vague {
		if n.ids, err = x.allOwn(ctx, tip); err != nil {
			return p, err
		}
	}
	if x.DryRun {
		x.got.Told = n.loud
		x.got.Sent, err = x.countSent(ctx, tip, len(n.ids))
		return p, err
	}
	if n.loud || len(n.ids) > len(p.Unsent) {
		if tip, err = x.commit(ctx, p, &n, tip); err != nil {
			return p, err
		}
		n.Commit, n.Partly = tip, false
		p = n.progress
	}
	p.Quiet = n.Quiet
	if tip == "" || x.remote[x.writer] == tip {
		return p, nil
	}
	if err := x.push(ctx, ref); err != nil {
		return x.loadProgress(), err
	}
	x.got.Told = true
	x.got.Sent, err = x.countSent(ctx, tip, 0)
	return p, err
}

// countSent counts the handoffs of a commit that the remote did not have, and some that are not committed.
func (x *syncing) countSent(ctx ctx, tip string, more int) (int, error) {
	if tip == "" || tip == x.remote[x.writer] {
		return more, nil
	}
	all, err := x.repo.changes(ctx, x.remote[x.writer], tip)
	for _, c := range all {
		if _, isDocument := idOf(c.name); isDocument {
			more++
		}
	}
	return more, x.repo.broken(err)
}

// allOwn returns all handoffs that did not come by an exchange, and are not in the tree of a commit.
func (x *syncing) allOwn(ctx ctx, tip string) (ids []string, err error) {
	log, done, err := x.openLog()
	if err != nil {
		return nil, err
	}
	defer done()
	leave := make(map[string]bool)
	for e := range eventlog.Scan(log, 0, &err, `"commit":"`) {
		if w, ok := e.Content.(eventlog.Written); ok && e.Type == eventlog.TypeImport && w.Commit != "" {
			leave[w.HandoffID] = true
		}
	}
	if err != nil {
		return nil, err
	}
	if tip != "" {
		sent, err := x.repo.changes(ctx, "", tip)
		if err != nil {
			return nil, x.repo.broken(err)
		}
		for _, c := range sent {
			if id, ok := idOf(c.name); ok {
				leave[id] = true
			}
		}
	}
	entries, err := x.List(handoff.Filter{})
	for _, e := range entries {
		if !leave[e.ID] {
			ids = append(ids, e.ID)
		}
	}
	return ids, err
}

// commit adds the news to the own ref and returns the commit. What of the news does not verify is left
// for another time.
func (x *syncing) commit(ctx ctx, p progress, n *news, tip string) (string, error) {
	x.grew = true
	err := x.repo.commit(ctx, func(w io.Writer) error { return x.writeCommit(w, p, n, tip) })
	if err != nil {
		return "", err
	}
	ref := own("writers", x.writer)
	if x.refs, err = x.repo.allRefs(ctx); err == nil && x.refs[ref] == "" {
		err = x.repo.broken(errors.New("it lost a commit"))
	}
	return x.refs[ref], err
}

// writeCommit writes a commit as git-fast-import(1) reads it.
func (x *syncing) writeCommit(w io.Writer, p progress, n *news, tip string) error {
	ref := own("writers", x.writer)
	message := fmt.Sprintf("%s, %s\n", handoff.Count(len(n.ids), "handoff"), handoff.Count(n.Events-p.Events, "event"))
	at := x.Now()
	fmt.Fprintf(w, "commit %s\ncommitter %s <%s@handoff> %d +0000\ndata %d\n%s\n", ref, x.writer, x.writer, at.Unix(), len(message), message)
	if tip != "" {
		fmt.Fprintf(w, "from %s\n", tip)
	} else if err := addFile(w, "writer.json", writerFile(x.writer, at)); err != nil {
		return err
	}
	if err := x.writeLog(w, p); err != nil {
		return err
	}
	if err := x.writeDocuments(w, n); err != nil {
		return err
	}
	return x.writeSignatures(w, n)
}

// writerFile is writer.json, which says whose ref it is, in canonical form.
func writerFile(writer string, at time.Time) []byte {
	return fmt.Appendf(nil, "{\"created\":%q,\"format\":\"handoff-writer/1\",\"writer\":%q}\n", at.UTC().Format(time.RFC3339), writer)
}

// addFile writes a file in the form that git fast-import reads.
func addFile(w io.Writer, name string, text []byte) error {
	if _, err := fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n", name, len(text)); err != nil {
		return err
	}
	_, err := w.Write(append(text, '\n'))
	return err
}

// writeLog writes the files of the log that have grown.
func (x *syncing) writeLog(w io.Writer, p progress) error {
	log, done, err := x.openLog()
	if err != nil {
		return err
	}
	defer done()
	var file []byte
	count, number := 0, p.Events/perFile+1
	for e := range eventlog.Scan(log, p.Chunk, &err) {
		file, count = append(append(file, e.Text...), '\n'), count+1
		if count == perFile {
			if err := addFile(w, logFile(number), file); err != nil {
				return err
			}
			file, count, number = file[:0], 0, number+1
		}
	}
	if err != nil || count == 0 {
		return err
	}
	return addFile(w, logFile(number), file)
}

// writeDocuments writes the documents that are new. One that cannot be proven to be what was written is not
// published: others would refuse all that comes with it.
func (x *syncing) writeDocuments(w io.Writer, n *news) (err error) {
	entries, err := x.entries(n.ids)
	if err != nil {
		return err
	}
	found := make(map[string]bool)
	failed := x.LoadEach(entries, func(got handoff.Stored, fault error) bool {
		if fault == nil {
			found[got.Entry.ID] = true
			err = x.addDocument(w, got)
		}
		return err == nil
	})
	gone := x.Pruned()
	for _, id := range n.ids {
		if !found[id] && !slices.Contains(n.Unsent, id) && !gone[id] {
			n.Unsent = append(n.Unsent, id)
		}
	}
	return errors.Join(failed, err)
}

// addDocument adds a handoff with its signature.
func (x *syncing) addDocument(w io.Writer, got handoff.Stored) error {
	if err := addFile(w, fileOf(got.Entry.ID, got.Time), got.Text); err != nil {
		return err
	}
	return x.addSignature(w, got.Entry)
}

func (x *syncing) addSignature(w io.Writer, e handoff.Entry) error {
	signature, err := x.SignatureText(e.ID)
	if err != nil || signature == "" {
		return err
	}
	return addFile(w, signatureOf(fileOf(e.ID, e.Time)), []byte(signature))
}

// writeSignatures adds the signatures of what was signed later, by whomever it was written.
func (x *syncing) writeSignatures(w io.Writer, n *news) error {
	entries, err := x.entries(slices.DeleteFunc(n.signed, func(id string) bool { return slices.Contains(n.ids, id) }))
	for _, e := range entries {
		if err == nil {
			err = x.addSignature(w, e)
		}
	}
	return err
}

// fewIDs are found one by one faster than in a list of all.
const fewIDs = 32

// entries returns the rows of ids: a few are looked for one by one, for many the index is read once.
func (x *syncing) entries(ids []string) (entries []handoff.Entry, err error) {
	if len(ids) <= fewIDs {
		for _, id := range ids {
			if e, err := x.Find(id); err == nil {
				entries = append(entries, e)
			} else if !errors.Is(err, fault.ErrInvalid) { // what cannot be read may be here
				return nil, err
			}
		}
		return entries, nil
	}
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	all, err := x.List(handoff.Filter{})
	return slices.DeleteFunc(all, func(e handoff.Entry) bool { return !wanted[e.ID] }), err
}

// push sends the own ref. It is never forced. Where git does not say that it was let in, the remote is asked:
// the connection may have broken when all was sent.
func (x *syncing) push(ctx ctx, ref string) error {
	_, err := x.repo.call(ctx, git.Call{Args: x.toRemote("push", "--porcelain", "--no-verify", ref+":"+x.at(x.writer)), Limit: transferLimit})
	e := (*git.Error)(nil)
	if err == nil || !errors.As(err, &e) || e.Code != 1 {
		return err
	}
	before := x.remote[x.writer]
	if err := x.listRemote(ctx); err != nil {
		return err
	}
	if x.remote[x.writer] == x.refs[ref] {
		x.remote[x.writer] = before // what was sent is counted from there
		return nil
	}
	for line := range bytes.Lines(e.Output) {
		text := strings.TrimSpace(string(line))
		switch {
		case !strings.HasPrefix(text, "!"):
		case strings.Contains(text, "[rejected]"):
			if moved := x.reconcile(ctx); moved != nil {
				return moved
			}
		case strings.Contains(text, "[remote rejected]"):
			return fault.New(fault.ErrConfig, "set sync_namespace: refs/heads/handoff in "+handoff.SettingsName+" and run `handoff sync --remote "+x.Remote+"`, or ask who looks after the remote",
				"the remote refuses %s: %s", x.at(x.writer), text[strings.LastIndexByte(text, '\t')+1:])
		}
	}
	if strings.Contains(e.Text, "DAV") { // what git tries where a web server knows nothing of git
		return nowhere(err)
	}
	return fault.New(nil, "run it again", "nothing was sent: %v", err)
}
