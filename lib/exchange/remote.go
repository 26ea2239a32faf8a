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

// A remote is the peer at a git remote: what it has was published by its writers.
type remote struct {
	*exchange
	repo    *repo
	refs    map[string]string // of sync.git
	writers map[string]string // what the remote has, by writer; nil if it was not asked
	claims  map[string]string // and by claim
	denials denials
	wasSaid []byte // of what was refused before, as it was read

	repeated int  // how much of it was refused again
	grew     bool // sync.git has new objects
}

// newRemote is one that was not asked yet.
func newRemote(s *handoff.Store, o Options) *remote {
	r := &remote{exchange: newExchange(s, o)}
	r.peer = r
	return r
}

// open opens sync.git, which is locked then, takes away what an exchange that was killed has left, and finds
// the remote.
func (r *remote) open(ctx ctx) (err error) {
	if r.state, err = r.Exchange().State(); err != nil {
		return err
	}
	if err = r.openRepo(ctx); err != nil {
		return err
	}
	isReplaced := []string{disk.SyncState, disk.SyncHeld, disk.SyncTargets} // under the lock of sync.git alone
	_, _ = r.out.RemoveStaged(func(name string) bool { return slices.Contains(isReplaced, name) })
	if _, _, err = loadHeld(r.out); errors.Is(err, fault.ErrIntegrity) { // what waits is fetched anew
		err = errors.Join(r.repo.makeAnew(), r.out.Remove(disk.SyncHeld))
	}
	if err != nil {
		return err
	}
	r.loadRefused()
	return r.find(ctx)
}

// openRepo opens what is exchanged through.
func (r *remote) openRepo(ctx ctx) (err error) {
	if r.out, err = r.Exchange().Outside(); err == nil {
		r.repo, err = openRepo(ctx, r.out, r.Options)
	}
	return err
}

// close closes the repository, and with it gives back its lock.
func (r *remote) close() {
	if r.repo != nil {
		r.repo.end()
		r.repo.Close()
	}
	r.exchange.close()
}

// patiently does something, once more if what it met came of a repository of ours that was damaged. blames says of
// an error whether it blames others.
func (r *remote) patiently(ctx ctx, blames func(error) bool, do func() error) error {
	err := do()
	again, err := r.repo.isOurFault(ctx, err, blames(err))
	if !again || err != nil {
		return err
	}
	r.beginAgain()
	r.repeated = 0
	r.loadRefused()
	return do()
}

// find finds the URL of the remote. It is what the repository of the project says, and so a
// stranger may have chosen it: a program in the place of a transport and a repository within the
// project, which has hooks of its own, are refused.
func (r *remote) find(ctx ctx) error {
	top := git.Top(r.Root)
	where := ""
	if top != "" {
		var err error
		if where, err = r.repo.Remote(ctx, top, r.Remote); err != nil {
			return cmp.Or(unfit(err), nowhere(err))
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
			"the remote %q lies within the project", r.Remote)
	}
	r.got.Remote, r.repo.url = shown(where), where
	return r.mayUse(target{r.got.Remote, r.Namespace})
}

// own is a ref of sync.git in one of its own spaces, for a writer.
func own(space, writer string) string { return "refs/handoff/" + space + "/" + writer }

// at is the ref of a writer at the remote.
func (r *remote) at(writer string) string { return r.Namespace + "/writers/" + writer }

// claimAt is the ref of a claim at the remote. It must not exist when it is pushed, and is never changed.
func (r *remote) claimAt(name string) string { return r.Namespace + "/claims/" + name }

// A target is where handoffs are sent to. The first one is remembered outside of the project, and every other
// one that a person has accepted: a branch may name another remote, or namespace.
type target struct {
	URL       string `json:"url"` // without credentials, which change
	Namespace string `json:"namespace"`
}

// String is how a person reads a target.
func (t target) String() string {
	if t.URL == "" {
		return "a remote that cannot be read any more"
	}
	return t.URL + " (" + t.Namespace + ")"
}

// targets returns where handoffs may go.
func targets(d *disk.Dir) (all []target) {
	if _, err := load(d, disk.SyncTargets, &all); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil || len(all) == 0 {
		return []target{{}} // something was accepted, and nobody knows what
	}
	return all
}

// mayUse refuses a remote or a namespace to which handoffs did not go before, unless the person who runs the
// program wants it.
func (r *remote) mayUse(now target) error {
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

// pin remembers the remote, once it has answered.
func (r *remote) pin() error {
	all, now := targets(r.out), target{r.got.Remote, r.Namespace}
	if r.DryRun || slices.Contains(all, now) {
		return nil
	}
	all = slices.DeleteFunc(all, func(t target) bool { return t == target{} })
	return save(r.out, disk.SyncTargets, nil, append(all, now))
}

// shown is the URL of a remote without credentials.
func shown(remote string) string {
	u, err := url.Parse(remote)
	switch path, isLocal := git.LocalPath(remote); {
	case isLocal:
		return filepath.Clean(path)
	case err != nil || u.Host == "":
		return remote // host:path, where no password can be
	}
	if name := u.User.Username(); u.Scheme == "ssh" && name != "" {
		u.User = url.User(name)
	} else {
		u.User = nil
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

// hidden replaces the URL of a remote in what git says of it by one without credentials. Git itself leaves out
// the user alone.
func hidden(text, remote string) string {
	u, err := url.Parse(remote)
	if err != nil || u.Host == "" {
		return text
	}
	text = strings.ReplaceAll(text, remote, shown(remote))
	u.User = nil
	return strings.ReplaceAll(text, u.String(), shown(remote))
}

// refusedName is a file of what the user keeps of a store outside of the project. It can be lost: all is
// looked at again then.
const refusedName = "refused.json"

// denials are what was refused before. They are known by their object ids, and not looked at again.
type denials struct {
	Stamp   string             `json:"rules"` // by which was judged
	Claims  map[string]refusal `json:"claims"`
	Writers map[string]refusal `json:"writers"`
}

// A refusal is a claim, or what a writer has published, that does not count.
type refusal struct {
	Commit string `json:"commit"`
	ID     string `json:"handoff_id,omitempty"` // of which more may become known; "" where it will never count
	Why    string `json:"why"`
	Moved  bool   `json:"moved,omitempty"` // another claim stood there before
	Void   bool   `json:"void,omitempty"`  // it ends what somebody else has, whose own claim may replace it
}

// renew forgets what other rules may let count.
func (d *denials) renew(stamp string) {
	if d.Stamp != stamp {
		maps.DeleteFunc(d.Claims, func(_ string, c refusal) bool { return c.ID != "" })
		d.Stamp = stamp
	}
}

// loadRefused reads what was refused before.
func (r *remote) loadRefused() {
	r.denials = denials{Claims: make(map[string]refusal), Writers: make(map[string]refusal)}
	r.wasSaid, _ = load(r.out, refusedName, &r.denials)
}

// saveRefused keeps what was refused, of the refs that the remote still has.
func (r *remote) saveRefused() error {
	maps.DeleteFunc(r.denials.Claims, func(name string, c refusal) bool { return r.claims[name] != c.Commit })
	maps.DeleteFunc(r.denials.Writers, func(name string, c refusal) bool { return r.writers[name] != c.Commit })
	return save(r.out, refusedName, r.wasSaid, r.denials)
}

// letGo forgets what was fetched of those who are refused, and remembers what that was: the remote may be put
// right, and is asked anew once it has something else.
func (r *remote) letGo(ctx ctx) error {
	moves := make(map[string]string)
	for _, no := range r.got.Refused {
		fetched, imported := own("fetched", no.Writer), r.refs[own("imported", no.Writer)]
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

// isKnownBad reports whether what the remote has of a writer was refused before, and refuses it again.
func (r *remote) isKnownBad(writer, commit string) bool {
	before, was := r.denials.Writers[writer]
	if was = was && before.Commit == commit; was {
		r.repeat(Refusal{Writer: writer, Why: before.Why})
	}
	return was
}

// repeat is refuse for what was refused before: the repository here was found to be innocent of it.
func (r *remote) repeat(no Refusal) {
	r.refuse(no)
	r.repeated++
}

// list finds out what each writer has published, and what is claimed.
func (r *remote) list(ctx ctx) error {
	out, err := r.repo.call(ctx, "", "ls-remote", "--refs", r.at("w-*"), r.claimAt("*"))
	if err != nil {
		return err
	}
	r.writers, r.claims = make(map[string]string), make(map[string]string)
	for line := range strings.Lines(string(out)) {
		id, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		writer, isWriter := strings.CutPrefix(ref, r.at(""))
		name, isClaim := strings.CutPrefix(ref, r.claimAt(""))
		switch isObject := len(id) == 40 && form.IsHex(id); {
		case isObject && isWriter && form.IsWriter(writer):
			r.writers[writer] = id
		case isObject && isClaim && form.IsDigest(name):
			r.claims[name] = id
		}
	}
	if len(r.writers) > maxWriters {
		return fault.New(fault.ErrConfig, "have the refs removed there that nobody uses, or use another remote",
			"the remote has %d writers below %s, and at most %d are read", len(r.writers), r.at(""), maxWriters)
	}
	return nil
}

// maxWriters is how many a remote may have: git fetches the refs of more for longer than anybody waits.
const maxWriters = 10_000

// forget removes the refs of sync.git that begin with one of some names.
func (r *remote) forget(ctx ctx, names ...string) error {
	moves := make(map[string]string)
	for ref := range r.refs {
		if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(ref, name) }) {
			moves[ref] = ""
		}
	}
	return r.move(ctx, moves)
}

// move moves refs of sync.git, see [repo.setRefs].
func (r *remote) move(ctx ctx, moves map[string]string) error {
	for ref, id := range moves {
		if r.refs[ref] = id; id == "" {
			delete(r.refs, ref)
		}
	}
	return r.repo.setRefs(ctx, moves)
}
