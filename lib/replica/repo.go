package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A repo is sync.git, locked.
type repo struct {
	git.Runner
	out   *durable.Dir // the directory it lies in, outside of the project
	dir   *durable.Dir
	spool *os.File // see openSpool

	url     string // of the remote
	suspect bool   // a git failed in it, or did not end
	anew    bool   // it was made in this exchange
	old     bool   // git does not sync what it writes; see flush

	failed atomic.Pointer[error] // of the spool
}

// config is all that the repository configures. It is put back each time: whoever planted settings
// runs nothing.
const config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"

// openRepo opens sync.git in the directory of the store outside of the project, and makes it where it is
// missing. Only one may have it at a time. What an exchange that did not end has left damaged is made anew.
func openRepo(ctx context.Context, out *durable.Dir, o Options) (*repo, error) {
	dir, err := out.MakeDir(layout.SyncRepo, 0o700)
	if err != nil {
		return nil, store.PlaceError(filepath.Join(out.Path(), layout.SyncRepo), err)
	}
	r := &repo{Runner: git.Runner{Dir: dir.Path(), Environ: o.Environ, Asks: o.Asks, Hold: dir.File()}, out: out, dir: dir}
	if err := r.prepare(ctx, o.Wait); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close gives back the lock.
func (r *repo) Close() {
	r.spool.Close() // one that was never opened says so
	r.dir.Close()
}

// end says that an exchange has come to its end: what it has written is on the disk.
func (r *repo) end() {
	if r.flush() == nil {
		_ = r.out.Remove(layout.SyncRunning)
	}
}

// prepare takes the lock of sync.git, makes the repository where it is missing, and takes away what no git
// may find in it. Templates and settings of the user are kept out.
func (r *repo) prepare(ctx context.Context, wait time.Duration) error {
	if err := r.dir.Lock(ctx, wait); errors.Is(err, durable.ErrHeld) {
		return fault.New(fault.ErrBusy, "wait until it has ended", "another sync of this store runs, or what it has started does")
	} else if err != nil {
		return err
	}
	_, err := r.out.Lstat(layout.SyncRunning)
	ended := errors.Is(err, fs.ErrNotExist)
	if ended {
		err = errors.Join(r.out.Touch(layout.SyncRunning, 0o600), r.out.Sync())
	}
	if err = errors.Join(err, r.clean()); err != nil {
		return err
	}
	if r.old, err = r.IsOlder(ctx, 2, 36); err != nil {
		return r.broken(err)
	}
	if r.isMade() {
		err = r.setConfig()
	} else {
		err = r.make(ctx)
	}
	if err != nil || ended || !r.isDamaged(ctx) {
		return err
	}
	return r.makeAnew(ctx)
}

// isMade reports whether git takes the directory for a repository (gitrepository-layout(5)): who made
// it may have been killed.
func (r *repo) isMade() bool {
	head, err := r.dir.ReadFile("HEAD", layout.MaxStateFile)
	for _, name := range []string{"objects", "refs"} {
		if err == nil {
			_, err = r.dir.Lstat(name)
		}
	}
	return err == nil && strings.HasPrefix(string(head), "ref: refs/") && strings.HasSuffix(string(head), "\n")
}

// make makes the repository, in a directory that may hold a part of it.
func (r *repo) make(ctx context.Context) error {
	err := r.setConfig()
	if err == nil {
		err = r.dir.Remove("HEAD") // git would take what it has left of it
	}
	if err != nil {
		return err
	}
	_, err = r.Run(ctx, git.Call{Args: []string{"-c", "init.defaultRefFormat=files", "init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main"}})
	if err != nil {
		return r.broken(err)
	}
	return r.setConfig()
}

// makeAnew makes an empty repository in the place of one that cannot be used. All of it comes back: from the
// store, and from the remote. The directory stays, since it is what is locked.
func (r *repo) makeAnew(ctx context.Context) error {
	r.anew, r.suspect = true, false
	all, err := os.ReadDir(r.Dir)
	for _, e := range all {
		if err == nil {
			err = os.RemoveAll(filepath.Join(r.Dir, e.Name()))
		}
	}
	if err != nil {
		return err
	}
	return r.make(ctx)
}

// isDamaged reports whether git finds fault with the repository.
func (r *repo) isDamaged(ctx context.Context) bool {
	_, err := r.Runner.Run(ctx, git.Call{Args: []string{"fsck", "--full", "--no-dangling", "--no-reflogs", "--no-progress"}, Limit: transferLimit})
	return err != nil && unfit(err) == nil && ctx.Err() == nil
}

// isOurFault reports whether what an exchange has met may come of a repository of ours that is damaged, which
// is made anew then: the exchange is to be done once more. blames is whether it blames others.
func (r *repo) isOurFault(ctx context.Context, err error, blames bool) (bool, error) {
	isBroken := errors.Is(err, errBroken)
	isDoubtful := blames || err != nil && r.suspect
	if r.anew || ctx.Err() != nil || !isBroken && !(isDoubtful && r.isDamaged(ctx)) {
		return false, err
	}
	return true, r.makeAnew(ctx)
}

// Run runs git in the repository. Where that fails, the repository may be damaged; a remote that does not
// answer says nothing about it.
func (r *repo) Run(ctx context.Context, c git.Call) ([]byte, error) {
	out, err := r.Runner.Run(ctx, c)
	if e := (*git.Error)(nil); errors.As(err, &e) {
		r.suspect = r.suspect || c.Args[0] != "ls-remote"
		e.Text = hidden(e.Text, r.url)
	}
	return out, err
}

// flush has all of the repository on the disk, where git does not see to that itself.
func (r *repo) flush() error {
	if !r.old {
		return nil
	}
	var paths []string
	err := filepath.WalkDir(r.Dir, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	for _, path := range slices.Backward(paths) {
		f, openErr := os.Open(path)
		if openErr == nil {
			openErr = errors.Join(f.Sync(), f.Close())
		}
		err = errors.Join(err, openErr)
	}
	return err
}

// setConfig writes the settings of sync.git anew where somebody has changed them: they could name programs
// to run.
func (r *repo) setConfig() error {
	text, err := r.dir.ReadFile("config", layout.MaxStateFile)
	if err == nil && string(text) == config {
		return nil
	}
	return r.dir.Replace("config", []byte(config), 0o600)
}

// clean removes what a git that was killed has left, and what no repository of ours has: links, and files
// that lead git elsewhere or give it other settings. No git runs: it would hold the lock of the directory.
func (r *repo) clean() error {
	return filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || path == r.Dir {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(r.Dir, path)
		switch {
		case err != nil:
			return err
		case !isOfRepo(filepath.ToSlash(name), d.IsDir()) || !d.IsDir() && !d.Type().IsRegular():
			if err := os.RemoveAll(path); err != nil || !d.IsDir() {
				return err
			}
			return fs.SkipDir
		case d.Type().IsRegular() && isRemnant(d.Name()):
			return os.Remove(path)
		}
		return nil
	})
}

// isOfRepo reports whether a repository of ours has a file or directory of that name.
func isOfRepo(name string, isDir bool) bool {
	top, rest, _ := strings.Cut(name, "/")
	switch top {
	case "objects":
		info, isInfo := strings.CutPrefix(rest, "info/")
		return !isInfo || info == "packs" || strings.HasPrefix(info, "commit-graph")
	case "refs":
		return true
	}
	return !isDir && slices.Contains([]string{"HEAD", "config", "packed-refs"}, name)
}

// isRemnant reports whether a file of a repository is one that only a running git has.
func isRemnant(name string) bool {
	begins := func(with string) bool { return strings.HasPrefix(name, with) }
	return strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".keep") || begins("tmp_") || begins(".tmp-") || begins("fast_import_crash_")
}

// pack puts the newest objects into one pack, and that together with others which are not much larger.
// Each sync stores the last file of a log and the tree of a day anew; beside their older versions in a
// pack they take next to nothing.
func (r *repo) pack(ctx context.Context) {
	if _, err := r.Run(ctx, git.Call{Args: []string{"repack", "-d", "-n", "--quiet", "--geometric=8"}, Limit: transferLimit}); err == nil || ctx.Err() != nil {
		return
	}
	_, _ = r.Run(ctx, git.Call{Args: []string{"gc", "--auto", "--quiet"}, Limit: transferLimit}) // before git 2.32; what fails now is done at another time
}

// allRefs returns the refs of ours.
func (r *repo) allRefs(ctx context.Context) (map[string]string, error) {
	return r.refsBelow(ctx, "refs/handoff")
}

// refsBelow returns the refs of sync.git below some names, with what they point to.
func (r *repo) refsBelow(ctx context.Context, below ...string) (map[string]string, error) {
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, below...)
	out, err := r.Run(ctx, git.Call{Args: args})
	if err != nil {
		return nil, r.broken(err)
	}
	refs := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		refs[name] = id
	}
	return refs, nil
}

// commit makes the commits that write writes, in the form that git fast-import reads.
func (r *repo) commit(ctx context.Context, write func(io.Writer) error) error {
	reader, writer := io.Pipe()
	go func() {
		err := write(writer)
		if err == nil {
			_, err = io.WriteString(writer, "done\n")
		}
		writer.CloseWithError(err)
	}()
	_, err := r.Run(ctx, git.Call{Args: []string{"fast-import", "--quiet", "--done", "--date-format=raw"},
		Stdin: reader, Limit: transferLimit})
	reader.Close()
	return r.broken(err)
}

// setRefs moves refs, all or none. One that is moved to "" is removed.
func (r *repo) setRefs(ctx context.Context, refs map[string]string) error {
	var orders strings.Builder
	for name, id := range refs {
		if id == "" {
			fmt.Fprintf(&orders, "delete %s\n", name)
		} else {
			fmt.Fprintf(&orders, "update %s %s\n", name, id)
		}
	}
	if orders.Len() == 0 {
		return nil
	}
	_, err := r.Run(ctx, git.Call{Args: []string{"update-ref", "--stdin"}, Stdin: strings.NewReader(orders.String())})
	return r.broken(err)
}

// isAncestor reports whether a ref only went forward from old to young. A commit that is not here comes
// before none that is.
func (r *repo) isAncestor(ctx context.Context, old, young string) (bool, error) {
	_, err := r.Runner.Run(ctx, git.Call{Args: []string{"merge-base", "--is-ancestor", old, young}})
	if e := (*git.Error)(nil); err == nil || errors.As(err, &e) && e.Code == 1 {
		return err == nil, nil
	}
	types, typeErr := r.Run(ctx, git.Call{Args: []string{"cat-file", "--batch-check=%(objecttype)"}, Stdin: strings.NewReader(old + "\n" + young + "\n")})
	if typeErr == nil && string(types) != "commit\ncommit\n" {
		return false, nil
	}
	return false, r.broken(err)
}

// unfit says what to do about a git that is missing or too old, and about a disk that is full; nil is that it
// is none of these.
func unfit(err error) error {
	e := (*git.Error)(nil)
	switch {
	case !errors.As(err, &e):
		return nil
	case e.IsMissing():
		return fault.New(fault.ErrConfig, "install git 2.31 or newer", "git is not installed")
	case e.IsOld():
		return fault.New(fault.ErrConfig, "install git 2.31 or newer", "git is too old: %v", err)
	case says(e, full):
		return fault.New(nil, fault.Then(syscall.ENOSPC, "run the command again"), "there is no room here, or at the remote: %v", err)
	}
	return nil
}

// broken says what to do about a repository of ours that git cannot use.
func (r *repo) broken(err error) error {
	if why := unfit(err); err == nil || why != nil {
		return why
	}
	if errors.Is(err, errBroken) {
		return err
	}
	if e := (*git.Error)(nil); errors.As(err, &e) && e.Code < 0 {
		return err
	}
	return fault.New(errBroken, "remove "+r.Dir+" if this comes again: what it holds is fetched anew", "%s cannot be used: %v", r.Dir, err)
}

// errBroken is the class of errors about a repository of ours that git cannot use.
var errBroken = errors.New("the repository of sync is damaged")

// hopeless are the words of git about what another try does not mend.
var hopeless = []string{"Authentication failed", "Permission denied", "could not read Username", "could not read Password", "terminal prompts disabled",
	"access denied", "returned error: 403", "Host key verification failed"}

// full are those about a disk.
var full = []string{"No space left on device", "Disk quota exceeded"}

// absent are those about a remote that is not there.
var absent = []string{"does not appear to be a git repository", "not found", "does not exist", "not a git repository"}

// apart are those about a remote that lets refs in one by one only (git-config(1), receive.advertiseAtomic).
var apart = []string{"does not support --atomic"}

const tries = 3

// call runs git against the remote, and tries again where the network may be at fault.
func (r *repo) call(ctx context.Context, c git.Call) (out []byte, err error) {
	input := c.Stdin
	var given []byte
	if input != nil {
		b := new(bytes.Buffer)
		if _, err := b.ReadFrom(input); err != nil {
			return nil, err
		}
		given = b.Bytes()
	}
	if c.Args[0] == "push" { // who is let in relies on what is here
		if err := r.flush(); err != nil {
			return nil, err
		}
	}
	for n := 1; ; n++ {
		if input != nil {
			c.Stdin = bytes.NewReader(given)
		}
		out, err = r.Run(ctx, c)
		e := (*git.Error)(nil)
		if !errors.As(err, &e) || e.Code == 1 {
			return out, err
		}
		if why := unfit(err); why != nil {
			return nil, why
		}
		switch {
		case says(e, absent):
			return nil, nowhere(err)
		case says(e, apart):
			return nil, fault.New(fault.ErrConfig, "ask who looks after the remote to leave receive.advertiseAtomic of its repository at true",
				"the remote cannot let in several claims together: %v", err)
		case says(e, hopeless):
			return nil, fault.New(fault.ErrConfig, "see what `git ls-remote` and `git push` say to it, and ask who looks after the remote", "the remote does not let you in: %v", err)
		case e.Late || n == tries || ctx.Err() != nil:
			return nil, fault.New(nil, "run it again once the remote can be reached", "the remote cannot be reached: %v", err)
		}
		time.Sleep(time.Duration(n) * (100 + rand.N[time.Duration](300)) * time.Millisecond)
	}
}

func nowhere(err error) error {
	return fault.New(fault.ErrConfig, "look at `git remote -v`", "the remote cannot be used: %v", err)
}

// says reports whether git's own words hold one of these. Git has no codes for what a server answers.
func says(e *git.Error, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(e.Text, w) })
}
