package exchange

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A remote is a git remote as a peer.
type remote struct {
	*exchange
	repo        *repo
	refs        map[string]string // the refs of sync.git
	writers     map[string]string // the commit of each writer at the remote; nil if the remote was not asked
	claims      map[string]string // the commit of each claim at the remote
	denials     denials
	refusedText []byte // refused.json as it was read

	repeated int  // the number of earlier refusals that were repeated
	grew     bool // sync.git has new objects
}

// newRemote returns a remote that was not asked yet.
func newRemote(s *handoff.Store, o Options) *remote {
	r := &remote{exchange: newExchange(s, o)}
	r.peer = r
	return r
}

// open opens and locks sync.git, removes what a killed exchange left, and finds the remote.
func (r *remote) open(ctx ctx) (err error) {
	if r.state, err = r.Exchange().State(); err != nil {
		return err
	}
	if err = r.openRepo(ctx); err != nil {
		return err
	}
	// these change only under the lock of sync.git
	isReplaced := []string{disk.SyncState, disk.SyncHeld, disk.SyncTargets}
	_, _ = r.out.RemoveStaged(func(name string) bool { return slices.Contains(isReplaced, name) })
	if _, _, err = loadHeld(r.out); errors.Is(err, fault.ErrIntegrity) { // the held documents are fetched again
		err = errors.Join(r.repo.recreate(), r.out.Remove(disk.SyncHeld))
	}
	if err != nil {
		return err
	}
	r.loadRefused()
	return r.find(ctx)
}

// openRepo opens the repository of sync.
func (r *remote) openRepo(ctx ctx) (err error) {
	if r.out, err = r.Exchange().Outside(); err == nil {
		r.repo, err = openRepo(ctx, r.out, r.Options)
	}
	return err
}

// close closes the repository, which releases its lock.
func (r *remote) close() {
	if r.repo != nil {
		r.repo.end()
		r.repo.Close()
	}
	r.exchange.close()
}

// withRetry calls do, and once more if our repository turns out to be damaged. blames reports whether an error blames
// another writer.
func (r *remote) withRetry(ctx ctx, blames func(error) bool, do func() error) error {
	err := do()
	again, err := r.repo.isOurFault(ctx, err, blames(err))
	if !again || err != nil {
		return err
	}
	r.reset()
	r.repeated = 0
	r.loadRefused()
	return do()
}

// find sets the URL of the remote. The repository of the project names it, so another person may have chosen it. A
// URL that runs a program, and a repository inside the project, are refused: such a repository has hooks.
func (r *remote) find(ctx ctx) error {
	top := git.Top(r.Root)
	where := ""
	if top != "" {
		var err error
		if where, err = r.repo.Remote(ctx, top, r.Remote); err != nil {
			return cmp.Or(localGitError(err), badRemoteError(err))
		}
	}
	path, isLocal := git.LocalPath(where)
	head, _, isHelper := strings.Cut(where, "::")
	switch {
	case where == "":
		return fault.New(fault.ErrConfig, "add it with `git remote add`, or name another one with --remote",
			"%s has no git remote %q", r.Root, r.Remote)
	case strings.HasPrefix(where, "-"), isHelper && !strings.ContainsAny(head, "/@["):
		return fault.New(fault.ErrConfig, "use a path, ssh or https",
			"the URL of the remote %q is not used: it runs a program", r.Remote)
	case isLocal && store.Within(top, path):
		return fault.New(fault.ErrConfig, "move it elsewhere: it has programs of its own",
			"the remote %q is inside the project", r.Remote)
	}
	r.got.Remote, r.repo.url = withoutCredentials(where), where
	return r.checkTarget(target{r.got.Remote, r.Namespace})
}

// localRef returns a ref of sync.git in one of its spaces, for a writer.
func localRef(space, writer string) string { return "refs/handoff/" + space + "/" + writer }

// writerRef returns the ref of a writer at the remote.
func (r *remote) writerRef(writer string) string { return r.Namespace + "/writers/" + writer }

// claimRef returns the ref of a claim at the remote. It must not exist when it is pushed, and is never changed.
func (r *remote) claimRef(name string) string { return r.Namespace + "/claims/" + name }

// A target is where handoffs are sent to. The first target, and each that the user accepted, is recorded outside of
// the project: a branch could name another remote, or namespace.
type target struct {
	URL       string `json:"url"` // without credentials, which change
	Namespace string `json:"namespace"`
}

// String returns the target for people.
func (t target) String() string {
	if t.URL == "" {
		return "an unknown remote"
	}
	return t.URL + " (" + t.Namespace + ")"
}

// targets returns where handoffs can be sent to.
func targets(d *disk.Dir) (all []target) {
	if _, err := load(d, disk.SyncTargets, &all); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil || len(all) == 0 {
		return []target{{}} // a target was accepted, but it is unknown
	}
	return all
}

// checkTarget refuses a remote or namespace that is not a known target, unless the user wants it.
func (r *remote) checkTarget(now target) error {
	all := targets(r.out)
	if len(all) == 0 || slices.Contains(all, now) || r.Named {
		return nil
	}
	if r.Accept != nil && r.Accept("Handoffs went to "+all[0].String()+" so far. Send them to "+now.String()+" too?") {
		return nil
	}
	return fault.New(fault.ErrConfig, "if that is where they are to go, run `handoff sync --remote "+r.Remote+
		"`, which is remembered; else look at "+handoff.SettingsName+" and `git remote -v`",
		"handoffs went to %s so far, and would now go to %s; nothing was sent", all[0], now)
}

// pin records the remote as a target, after it has answered.
func (r *remote) pin() error {
	all, now := targets(r.out), target{r.got.Remote, r.Namespace}
	if r.DryRun || slices.Contains(all, now) {
		return nil
	}
	all = slices.DeleteFunc(all, func(t target) bool { return t == target{} })
	return save(r.out, disk.SyncTargets, nil, append(all, now))
}

// withoutCredentials returns the URL of a remote without credentials.
func withoutCredentials(remote string) string {
	u, err := url.Parse(remote)
	switch path, isLocal := git.LocalPath(remote); {
	case isLocal:
		return filepath.Clean(path)
	case err != nil || u.Host == "":
		return remote // host:path, which contains no password
	}
	if name := u.User.Username(); u.Scheme == "ssh" && name != "" {
		u.User = url.User(name)
	} else {
		u.User = nil
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

// hideCredentials removes the credentials of a remote from the output of git. git itself only omits the user.
func hideCredentials(text, remote string) string {
	u, err := url.Parse(remote)
	if err != nil || u.Host == "" {
		return text
	}
	text = strings.ReplaceAll(text, remote, withoutCredentials(remote))
	u.User = nil
	return strings.ReplaceAll(text, u.String(), withoutCredentials(remote))
}

// refusedName is the file that records refusals. It can be lost; then everything is judged again.
const refusedName = "refused.json"

// denials are earlier refusals, by object id. They are not judged again.
type denials struct {
	Stamp   string             `json:"rules"` // the stamp of the rules
	Claims  map[string]refusal `json:"claims"`
	Writers map[string]refusal `json:"writers"`
}

// A refusal is a claim, or a published commit of a writer, that does not count.
type refusal struct {
	Commit string `json:"commit"`
	// its handoff, about which more may become known; "" if it can never count
	ID    string `json:"handoff_id,omitempty"`
	Why   string `json:"why"`
	Moved bool   `json:"moved,omitempty"` // it replaced another claim
	Void  bool   `json:"void,omitempty"`  // it ends a lease of another operator, whose claim can replace it
}

// renew forgets refusals that other rules may allow.
func (d *denials) renew(stamp string) {
	if d.Stamp != stamp {
		maps.DeleteFunc(d.Claims, func(_ string, c refusal) bool { return c.ID != "" })
		d.Stamp = stamp
	}
}

// loadRefused reads the earlier refusals.
func (r *remote) loadRefused() {
	r.denials = denials{Claims: make(map[string]refusal), Writers: make(map[string]refusal)}
	r.refusedText, _ = load(r.out, refusedName, &r.denials)
}

// saveRefused saves the refusals of refs that the remote still has.
func (r *remote) saveRefused() error {
	maps.DeleteFunc(r.denials.Claims, func(name string, c refusal) bool { return r.claims[name] != c.Commit })
	maps.DeleteFunc(r.denials.Writers, func(name string, c refusal) bool { return r.writers[name] != c.Commit })
	return save(r.out, refusedName, r.refusedText, r.denials)
}

// forgetRefused forgets what was fetched from refused writers, and records their commits. They are asked again once
// the remote has another commit.
func (r *remote) forgetRefused(ctx ctx) error {
	moves := make(map[string]string)
	for _, no := range r.got.Refused {
		fetched, imported := localRef("fetched", no.Writer), r.refs[localRef("imported", no.Writer)]
		if no.Writer == "" {
			continue
		}
		r.denials.Writers[no.Writer] = refusal{Commit: r.writers[no.Writer], Why: no.Why}
		if r.refs[fetched] != imported {
			moves[fetched] = imported
		}
	}
	return r.repo.setRefs(ctx, moves)
}

// isKnownBad reports whether the commit of a writer was refused before, and refuses it again.
func (r *remote) isKnownBad(writer, commit string) bool {
	before, was := r.denials.Writers[writer]
	if was = was && before.Commit == commit; was {
		r.repeat(Refusal{Writer: writer, Why: before.Why})
	}
	return was
}

// repeat repeats an earlier refusal. Our repository was already found to be undamaged.
func (r *remote) repeat(no Refusal) {
	r.refuse(no)
	r.repeated++
}

// list asks the remote for the commits of all writers and claims.
func (r *remote) list(ctx ctx) error {
	out, err := r.repo.call(ctx, "", "ls-remote", "--refs", r.writerRef("w-*"), r.claimRef("*"))
	if err != nil {
		return err
	}
	r.writers, r.claims = make(map[string]string), make(map[string]string)
	for line := range strings.Lines(string(out)) {
		id, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		writer, isWriter := strings.CutPrefix(ref, r.writerRef(""))
		name, isClaim := strings.CutPrefix(ref, r.claimRef(""))
		switch isObject := len(id) == 40 && form.IsHex(id); {
		case isObject && isWriter && form.IsWriter(writer):
			r.writers[writer] = id
		case isObject && isClaim && form.IsDigest(name):
			r.claims[name] = id
		}
	}
	if len(r.writers) > maxWriters {
		return fault.New(fault.ErrConfig, "remove unused refs there, or use another remote",
			"the remote has %d writers below %s, and at most %d are read", len(r.writers), r.writerRef(""), maxWriters)
	}
	return nil
}

// maxWriters is the maximum number of writers at a remote. With more, git takes too long to fetch their refs.
const maxWriters = 10_000

// forget removes the refs of sync.git that begin with one of the names.
func (r *remote) forget(ctx ctx, names ...string) error {
	moves := make(map[string]string)
	for ref := range r.refs {
		if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(ref, name) }) {
			moves[ref] = ""
		}
	}
	return r.move(ctx, moves)
}

// move moves refs of sync.git; see [repo.setRefs].
func (r *remote) move(ctx ctx, moves map[string]string) error {
	for ref, id := range moves {
		if r.refs[ref] = id; id == "" {
			delete(r.refs, ref)
		}
	}
	return r.repo.setRefs(ctx, moves)
}
