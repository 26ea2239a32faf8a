package exchange

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/exchange/repo"
	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A gitCarrier is a git remote. Versions are the ids of commits.
type gitCarrier struct {
	*remote
	repo  *repo.Repo
	refs  map[string]string // the refs of sync.git
	grew  bool              // sync.git has new objects
	folds string            // the commit of the ref of all folds at the remote; "" for none
}

// open opens and locks sync.git, and finds the remote.
func (r *gitCarrier) open(ctx ctx) (err error) {
	if err = r.openRepo(ctx); err == nil {
		err = r.openHome(r.out, r.repo.Recreate)
	}
	if err != nil {
		return err
	}
	return r.find(ctx)
}

// openRepo opens the repository of sync.
func (r *gitCarrier) openRepo(ctx ctx) (err error) {
	r.repo, err = repo.Open(ctx, r.out, repo.Options{Environ: r.Environ, Asks: r.Asks, Wait: r.Wait})
	return err
}

// close closes the repository, which releases its lock.
func (r *gitCarrier) close() {
	if r.repo != nil {
		r.repo.End()
		r.repo.Close()
	}
}

func (r *gitCarrier) isOurFault(ctx ctx, err error, blames bool) (bool, error) {
	return r.repo.IsOurFault(ctx, err, blames)
}

// begin reads the refs of sync.git. After a copy or a restore, the state directory is a new writer. It then imports
// everything again, since it may lack what sync.git has recorded as imported.
func (r *gitCarrier) begin(ctx ctx) (p progress, err error) {
	if r.refs, err = r.repo.Refs(ctx); err != nil {
		return p, err
	}
	p, isNew := r.ownProgress()
	if p.Head.Number > 0 { // it is of an object store
		p = progress{Writer: r.writer, Partly: true, Last: p.Last}
	}
	if isNew {
		err = errors.Join(r.forgetImported(ctx), r.known.forget())
	}
	if err == nil && p.Commit != r.refs[localRef("writers", r.writer)] {
		err = r.recover(ctx) // another sync ran meanwhile, and sent more
	}
	return p, err
}

// tell does nothing more than to forget the tries: each replica lists the claims of the remote.
func (r *gitCarrier) tell(_ ctx, tries []try) { _ = r.known.dropTries(tries) }

// end packs the repository.
func (r *gitCarrier) end(ctx ctx) {
	if r.grew {
		r.repo.Pack(ctx)
	}
}

func (r *gitCarrier) failed() error { return r.repo.Failed() }

func (r *gitCarrier) get(ctx ctx, want []repo.Wanted) ([][]byte, error) {
	texts, err := r.repo.Read(ctx, want)
	return texts, unlessLost(err)
}

// unlessLost returns err, or nil for held objects that are gone since the repository was made again.
func unlessLost(err error) error {
	if errors.Is(err, repo.ErrLost) {
		return nil
	}
	return err
}

// keep records how much of each writer was imported.
func (r *gitCarrier) keep(ctx ctx, c *intake) error {
	moves := make(map[string]string, len(c.imported))
	for writer, commit := range c.imported {
		moves[localRef("imported", writer)] = commit
	}
	return errors.Join(r.repo.SetRefs(ctx, moves), r.knowFolds(ctx)) // all folds until then are known
}

// find sets the URL of the remote. The repository of the project names it, so another person may have chosen it. A
// URL that runs a program, and a repository inside the project, are refused: such a repository has hooks.
func (r *gitCarrier) find(ctx ctx) error {
	top := git.Top(r.Root)
	where := ""
	if top != "" {
		var err error
		if where, err = r.repo.Remote(ctx, top, r.Remote); err != nil {
			return cmp.Or(repo.LocalError(err), repo.BadRemote(err))
		}
	}
	path, isLocal := git.LocalPath(where)
	head, _, isHelper := strings.Cut(where, "::")
	switch {
	case where == "":
		return fault.Config(
			"add it with `git remote add`; an object store goes into remotes of your own configuration: "+
				"`handoff help remotes`; or name another one with --remote NAME or in .handoff.yaml",
			"%s has no git remote %q", r.Root, r.Remote)
	case strings.HasPrefix(where, "-"), isHelper && !strings.ContainsAny(head, "/@["):
		return fault.Config("use a path, ssh or https",
			"the URL of the remote %q is not used: it runs a program", r.Remote)
	case isLocal && store.Within(top, path):
		return fault.Config("move it elsewhere: it has programs of its own",
			"the remote %q is inside the project", r.Remote)
	}
	r.got.Remote, r.repo.URL = repo.WithoutCredentials(where), where
	return r.checkTarget(target{r.got.Remote, r.Namespace})
}

// localRef returns a ref of sync.git in one of its spaces, for a writer.
func localRef(space, writer string) string { return "refs/handoff/" + space + "/" + writer }

// writerRef returns the ref of a writer at the remote.
func (r *gitCarrier) writerRef(writer string) string { return r.Namespace + "/writers/" + writer }

// claimRef returns the ref of a claim at the remote. It must not exist when it is pushed, and is never changed.
func (r *gitCarrier) claimRef(name string) string { return r.Namespace + "/claims/" + name }

// forgetRefused forgets what was fetched from refused writers.
func (r *gitCarrier) forgetRefused(ctx ctx) error {
	moves := make(map[string]string)
	for _, no := range r.got.Refused {
		fetched, imported := localRef("fetched", no.Writer), r.refs[localRef("imported", no.Writer)]
		if no.Writer != "" && r.refs[fetched] != imported {
			moves[fetched] = imported
		}
	}
	return r.repo.SetRefs(ctx, moves)
}

// list asks the remote for the commits of all writers and claims.
func (r *gitCarrier) list(ctx ctx) error {
	out, err := r.repo.Call(ctx, "", "ls-remote", "--refs", r.writerRef("w-*"), r.claimRef("*"), r.foldRef())
	if err != nil {
		return err
	}
	r.writers, r.claims, r.folds = make(map[string]string), make(map[string]string), ""
	for line := range strings.Lines(string(out)) {
		id, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		writer, isWriter := strings.CutPrefix(ref, r.writerRef(""))
		name, isClaim := strings.CutPrefix(ref, r.claimRef(""))
		switch isObject := len(id) == 40 && form.IsHex(id); {
		case len(id) == 64:
			return repo.ErrFormat
		case isObject && isWriter && form.IsWriter(writer):
			r.writers[writer] = id
		case isObject && isClaim && form.IsDigest(name):
			r.claims[name] = id
		case isObject && ref == r.foldRef():
			r.folds = id
		}
	}
	if len(r.writers) > objects.MaxWriters { // with more, git takes too long to fetch their refs
		return fault.Config("remove unused refs there, or use another remote",
			"the remote has %d writers below %s, and at most %d are read", len(r.writers), r.writerRef(""),
			objects.MaxWriters)
	}
	return nil
}

// forgetImported removes the refs of sync.git that say what was imported.
func (r *gitCarrier) forgetImported(ctx ctx) error {
	moves := make(map[string]string)
	for ref := range r.refs {
		if strings.HasPrefix(ref, localRef("imported", "")) {
			moves[ref] = ""
		}
	}
	return r.move(ctx, moves)
}

// move moves refs of sync.git; see [repo.Repo.SetRefs].
func (r *gitCarrier) move(ctx ctx, moves map[string]string) error {
	for ref, id := range moves {
		if r.refs[ref] = id; id == "" {
			delete(r.refs, ref)
		}
	}
	return r.repo.SetRefs(ctx, moves)
}

// claimTexts fetches claims by their names. Fetching many refs takes git quadratic time, so it asks for the objects. A
// server that only provides objects by the names of their refs is asked for the refs.
func (r *gitCarrier) claimTexts(ctx ctx, names []string) ([][]byte, error) {
	fetch := func(names []string, refspec func(string) string) error {
		var specs strings.Builder
		for _, name := range names {
			specs.WriteString(refspec(name) + "\n")
		}
		return r.fetchRefs(ctx, specs.String())
	}
	at := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return r.claims[name] == folded })
	if len(at) > 0 && fetch(at, func(name string) string { return r.claims[name] }) != nil {
		for some := range slices.Chunk(at, atOnce) {
			if err := fetch(some, r.claimRef); err != nil {
				return nil, err
			}
		}
	}
	want := make([]repo.Wanted, len(names))
	for i, name := range names {
		want[i] = repo.Wanted{Object: r.claims[name] + ":" + eventlog.ClaimFile, Max: eventlog.MaxFile}
	}
	texts, err := r.repo.Read(ctx, want)
	for i, name := range names {
		if err == nil && r.claims[name] == folded {
			texts[i] = r.known.ended.of(name).text
		}
	}
	return texts, err
}

// putClaims pushes claims to refs that must not exist. A claim is the only file of a root commit, whose id depends on
// the text of the claim alone.
func (r *gitCarrier) putClaims(ctx ctx, tries []try, all bool) (in map[string]bool, words string, err error) {
	in = make(map[string]bool)
	if len(tries) == 0 {
		return in, "", nil
	}
	if err := r.commitClaims(ctx, tries); err != nil {
		return nil, "", err
	}
	var options, specs []string
	if all {
		if options, specs, err = r.guard(ctx); err != nil {
			return nil, "", err
		}
	}
	isGuarded := len(specs) > 0
	if all && len(tries) > 1 && !isGuarded {
		options = append(options, "--atomic")
	}
	var refs map[string]string
	if len(tries) > fewRefs {
		refs, specs = make(map[string]string), append(specs, localRef("claims", "*")+":"+r.claimRef("*"))
	}
	for _, t := range tries {
		if no := r.denials[t.name]; no.Void && r.claims[t.name] == no.Commit {
			options = append(options, "--force-with-lease="+r.claimRef(t.name)+":"+no.Commit)
		}
		if refs == nil {
			specs = append(specs, commitOfClaim(t)+":"+r.claimRef(t.name))
		} else {
			refs[localRef("claims", t.name)] = commitOfClaim(t)
		}
	}
	out, no, err := r.pushRefs(ctx, refs, options, specs...)
	if err != nil && isGuarded && len(tries) == 1 && strings.Contains(err.Error(), "--atomic") {
		out, no, err = r.pushRefs(ctx, refs, options[2:], specs[1:]...) // nobody can fold claims there
	}
	if err != nil {
		return nil, "", err
	}
	if no != nil {
		words = no.Text
	}
	granted := r.granted(out, &words)
	for _, t := range tries {
		if in[t.name] = granted[t.name]; in[t.name] {
			r.claims[t.name] = commitOfClaim(t)
		}
	}
	return in, words, nil
}

// commitClaims makes the commits of claims.
func (r *gitCarrier) commitClaims(ctx ctx, tries []try) error {
	pack := r.repo.NewPack()
	defer pack.Close()
	for _, t := range tries {
		addClaim(pack, t)
	}
	return r.repo.Store(pack)
}

// fewRefs is the number of refs that a push names, and does not describe by a pattern.
const fewRefs = 16

// granted returns which claims a push has put at the remote, by its output. words receives why it has refused others.
func (r *gitCarrier) granted(out []byte, words *string) map[string]bool {
	granted := make(map[string]bool)
	for line := range bytes.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if len(fields) < 3 {
			continue
		}
		_, ref, _ := strings.Cut(fields[1], ":")
		name := strings.TrimPrefix(ref, r.claimRef(""))
		if granted[name] = slices.Contains([]string{"*", "=", "+"}, fields[0]); !granted[name] {
			*words = fields[2]
		}
	}
	return granted
}

// commitOfClaim returns the id of the commit of a claim.
func commitOfClaim(t try) string { return addClaim(new(repo.Pack), t) }

// addClaim adds the commit of a claim, and returns its id.
func addClaim(to *repo.Pack, t try) string {
	at, _ := time.Parse(time.RFC3339, t.Time)
	to.File(eventlog.ClaimFile, t.text)
	id, _ := to.Commit(context.Background(), "", committer(t.Writer, max(at.Unix(), 0)), "claim") // Store has the error
	return id
}
