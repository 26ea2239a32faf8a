package exchange

import (
	"bufio"
	"cmp"
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

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A repo is sync.git, locked.
type repo struct {
	git.Runner
	out   *disk.Dir // the directory it lies in, outside of the project
	dir   *disk.Dir
	spool *os.File // takes what git prints of objects; it has no name, and is gone with this process

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
func openRepo(ctx ctx, out *disk.Dir, o Options) (*repo, error) {
	dir, err := out.MakeDir(disk.SyncRepo, 0o700)
	if err != nil {
		return nil, store.PlaceError(filepath.Join(out.Path(), disk.SyncRepo), err)
	}
	runner := git.Runner{Dir: dir.Path(), Environ: o.Environ, Asks: o.Asks, Hold: dir.File()}
	r := &repo{Runner: runner, out: out, dir: dir}
	if err = r.prepare(ctx, o.Wait); err == nil {
		r.spool, err = os.CreateTemp(r.Dir, "tmp_")
	}
	if err == nil {
		err = os.Remove(r.spool.Name())
	}
	if err != nil {
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
		_ = r.out.Remove(disk.SyncRunning)
	}
}

// prepare takes the lock of sync.git, makes the repository where it is missing, and takes away what no git
// may find in it. Templates and settings of the user are kept out.
func (r *repo) prepare(ctx ctx, wait time.Duration) error {
	if err := r.dir.Lock(ctx, wait); errors.Is(err, disk.ErrHeld) {
		return fault.New(fault.ErrBusy, "wait until it has ended",
			"another sync of this store runs, or what it has started does")
	} else if err != nil {
		return err
	}
	_, err := r.out.Lstat(disk.SyncRunning)
	ended := errors.Is(err, fs.ErrNotExist)
	if ended {
		err = errors.Join(r.out.Touch(disk.SyncRunning, 0o600), r.out.Sync())
	}
	if err = errors.Join(err, r.clean()); err != nil {
		return err
	}
	if r.old, err = r.IsOlder(ctx, 2, 36); err != nil {
		return r.broken(err)
	}
	if err = r.make(); err != nil || ended || !r.isDamaged(ctx) {
		return err
	}
	return r.makeAnew()
}

// make makes what of the repository is missing, or is not ours: settings could name programs to run. It is all that
// git takes for a bare one (gitrepository-layout(5)).
func (r *repo) make() error {
	for name, want := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": config} {
		text, err := r.dir.ReadFile(name, disk.MaxStateFile)
		if err == nil && string(text) == want {
			continue
		}
		if err := r.dir.Replace(name, []byte(want), 0o600); err != nil {
			return err
		}
	}
	for _, name := range []string{"objects", "refs"} {
		d, err := r.dir.MakeDir(name, 0o700)
		if err != nil {
			return err
		}
		d.Close()
	}
	return nil
}

// makeAnew makes an empty repository in the place of one that cannot be used. All of it comes back: from the
// store, and from the remote. The directory stays, since it is what is locked.
func (r *repo) makeAnew() error {
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
	return r.make()
}

// isDamaged reports whether git finds fault with the repository.
func (r *repo) isDamaged(ctx ctx) bool {
	args := []string{"fsck", "--full", "--no-dangling", "--no-reflogs", "--no-progress"}
	_, err := r.Runner.Run(ctx, git.Call{Args: args, Limit: transferLimit})
	return err != nil && unfit(err) == nil && ctx.Err() == nil
}

// isOurFault reports whether what an exchange has met may come of a repository of ours that is damaged, which
// is made anew then: the exchange is to be done once more. blames is whether it blames others.
func (r *repo) isOurFault(ctx ctx, err error, blames bool) (bool, error) {
	isBroken := errors.Is(err, errBroken)
	isDoubtful := blames || err != nil && r.suspect
	if r.anew || ctx.Err() != nil || !isBroken && !(isDoubtful && r.isDamaged(ctx)) {
		return false, err
	}
	return true, r.makeAnew()
}

// Run runs git in the repository. Where that fails, the repository may be damaged; a remote that does not
// answer says nothing about it.
func (r *repo) Run(ctx ctx, c git.Call) ([]byte, error) {
	out, err := r.Runner.Run(ctx, c)
	if e := (*git.Error)(nil); errors.As(err, &e) {
		r.suspect = r.suspect || c.Args[0] != "ls-remote"
		e.Text = hidden(e.Text, r.url)
	}
	return out, err
}

// ask runs git in the repository, and says what to do where it cannot be used.
func (r *repo) ask(ctx ctx, input string, args ...string) ([]byte, error) {
	out, err := r.Run(ctx, git.Call{Args: args, Stdin: strings.NewReader(input)})
	return out, r.broken(err)
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
	is := func(pattern string) bool {
		matches, _ := filepath.Match(pattern, name)
		return matches
	}
	return slices.ContainsFunc([]string{"*.lock", "*.keep", "tmp_*", ".tmp-*", "fast_import_crash_*"}, is)
}

// pack puts the newest objects into one pack, and that together with others which are not much larger.
// Each sync stores the last file of a log and the tree of a day anew; beside their older versions in a
// pack they take next to nothing.
func (r *repo) pack(ctx ctx) {
	repack := git.Call{Args: []string{"repack", "-d", "-n", "--quiet", "--geometric=8"}, Limit: transferLimit}
	if _, err := r.Run(ctx, repack); err != nil && ctx.Err() == nil { // git is older than 2.32
		_, _ = r.Run(ctx, git.Call{Args: []string{"gc", "--auto", "--quiet"}, Limit: transferLimit})
	}
}

// allRefs returns the refs of ours.
func (r *repo) allRefs(ctx ctx) (map[string]string, error) {
	return r.refsBelow(ctx, "refs/handoff")
}

// refsBelow returns the refs of sync.git below some names, with what they point to.
func (r *repo) refsBelow(ctx ctx, below ...string) (map[string]string, error) {
	out, err := r.ask(ctx, "", append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, below...)...)
	if err != nil {
		return nil, err
	}
	refs := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		refs[name] = id
	}
	return refs, nil
}

// commit makes the commits that write writes, in the form that git fast-import reads.
func (r *repo) commit(ctx ctx, write func(*bufio.Writer) error) error {
	reader, writer := io.Pipe()
	go func() {
		w := bufio.NewWriter(writer)
		err := write(w)
		if err == nil {
			fmt.Fprintln(w, "done")
			err = w.Flush()
		}
		writer.CloseWithError(err)
	}()
	args := []string{"fast-import", "--quiet", "--done", "--date-format=raw"}
	_, err := r.Run(ctx, git.Call{Args: args, Stdin: reader, Limit: transferLimit})
	reader.Close()
	return r.broken(err)
}

// setRefs moves refs, all or none. One that is moved to "" is removed.
func (r *repo) setRefs(ctx ctx, refs map[string]string) error {
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
	_, err := r.ask(ctx, orders.String(), "update-ref", "--stdin")
	return err
}

// isAncestor reports whether a ref only went forward from old to young. A commit that is not here comes
// before none that is.
func (r *repo) isAncestor(ctx ctx, old, young string) (bool, error) {
	_, err := r.Runner.Run(ctx, git.Call{Args: []string{"merge-base", "--is-ancestor", old, young}})
	if err == nil || git.Refusal(err) != nil {
		return err == nil, nil
	}
	types, typeErr := r.ask(ctx, old+"\n"+young+"\n", "cat-file", "--batch-check=%(objecttype)")
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
	case e.Says("No space left on device", "Disk quota exceeded"):
		return fault.New(nil, fault.Then(syscall.ENOSPC, "run the command again"),
			"there is no room here, or at the remote: %v", err)
	}
	return nil
}

// broken says what to do about a repository of ours that git cannot use.
func (r *repo) broken(err error) error {
	if why := unfit(err); err == nil || why != nil {
		return why
	}
	if e := (*git.Error)(nil); errors.Is(err, errBroken) || errors.As(err, &e) && e.Code < 0 {
		return err
	}
	return fault.New(errBroken, "remove "+r.Dir+" if this comes again: what it holds is fetched anew",
		"%s cannot be used: %v", r.Dir, err)
}

// errBroken is the class of errors about a repository of ours that git cannot use.
var errBroken = errors.New("the repository of sync is damaged")

// hopeless says what to do about a remote that another try does not bring to answer, by the words of git; nil is
// that it may answer yet.
func hopeless(err *git.Error) error {
	switch {
	case err.Says("does not appear to be a git repository", "not found", "does not exist", "not a git repository"):
		return nowhere(err)
	case err.Says("does not support --atomic"): // git-config(1), receive.advertiseAtomic
		return fault.New(fault.ErrConfig,
			"ask who looks after the remote to leave receive.advertiseAtomic of its repository at true",
			"the remote cannot let in several claims together: %v", err)
	case err.Says("Authentication failed", "Permission denied", "could not read Username", "could not read Password",
		"terminal prompts disabled", "access denied", "returned error: 403", "Host key verification failed"):
		return fault.New(fault.ErrConfig,
			"see what `git ls-remote` and `git push` say to it, and ask who looks after the remote",
			"the remote does not let you in: %v", err)
	}
	return nil
}

func nowhere(err error) error {
	return fault.New(fault.ErrConfig, "look at `git remote -v`", "the remote cannot be used: %v", err)
}

const tries = 3

// call runs git against the remote, and tries again where the network may be at fault.
func (r *repo) call(ctx ctx, input string, args ...string) (out []byte, err error) {
	if args[0] == "push" { // who is let in relies on what is here
		if err := r.flush(); err != nil {
			return nil, err
		}
	}
	limit := transferLimit
	if args[0] == "ls-remote" {
		limit = answerLimit
	}
	for n := 1; ; n++ {
		out, err = r.Run(ctx, git.Call{Args: r.toRemote(args), Stdin: strings.NewReader(input), Limit: limit})
		e := (*git.Error)(nil)
		if !errors.As(err, &e) || e.Code == 1 {
			return out, err
		}
		if why := cmp.Or(unfit(err), hopeless(e)); why != nil {
			return nil, why
		}
		if e.Late || n == tries || ctx.Err() != nil {
			return nil, fault.New(nil, "run it again once the remote can be reached",
				"the remote cannot be reached: %v", err)
		}
		time.Sleep(time.Duration(n) * (100 + rand.N[time.Duration](300)) * time.Millisecond)
	}
}

// toRemote names the remote in the arguments of a git: a command with its options, and what comes behind them.
func (r *repo) toRemote(args []string) []string {
	service := "upload-pack"
	if args[0] == "push" {
		service = "receive-pack"
	}
	n := 1
	for n < len(args) && strings.HasPrefix(args[n], "--") {
		n++
	}
	return slices.Concat(args[:n], git.Serving(r.url, service), []string{"--", r.url}, args[n:])
}
