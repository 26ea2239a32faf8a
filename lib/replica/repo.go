package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// A repo is sync.git, locked.
type repo struct {
	git.Runner
	dir   *durable.Dir
	spool *os.File // see openSpool

	failed atomic.Pointer[error] // of the spool
}

// config is all that the repository configures. It is put back each time: whoever planted a state
// directory runs nothing.
const config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"

// openRepo opens sync.git, and makes it where it is missing. Only one may have it at a time.
func openRepo(ctx context.Context, state *durable.Dir, o Options) (*repo, error) {
	dir, err := state.MakeDir(layout.SyncRepo, 0o700)
	if err != nil {
		return nil, err
	}
	r := &repo{Runner: git.Runner{Dir: filepath.Join(state.Path(), layout.SyncRepo), Environ: o.Environ, Asks: o.Asks, Hold: dir.File()}, dir: dir}
	if err := r.prepare(ctx, o.Wait); err != nil {
		dir.Close()
		return nil, err
	}
	return r, nil
}

func (r *repo) close() {
	r.spool.Close() // one that was never opened says so
	r.dir.Close()
}

// prepare takes the lock of sync.git, makes the repository where it is missing, and takes away what a git
// that was killed left in it. Templates and settings of the user are kept out.
func (r *repo) prepare(ctx context.Context, wait time.Duration) error {
	if err := r.dir.Lock(ctx, wait); errors.Is(err, durable.ErrHeld) {
		return fault.New(fault.ErrBusy, "wait until it has ended", "another sync of this store runs, or what it has started does")
	} else if err != nil {
		return err
	}
	if err := errors.Join(r.removeRemnants(), r.setConfig()); err != nil || r.isMade() {
		return err
	}
	if err := r.dir.Remove("HEAD"); err != nil && !errors.Is(err, fs.ErrNotExist) { // git would take what it has left of it
		return err
	}
	_, err := r.Run(ctx, git.Call{Args: []string{"-c", "init.defaultRefFormat=files", "init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main"}})
	if err != nil {
		return r.broken(err)
	}
	return r.setConfig()
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

// setConfig writes the settings of sync.git anew where somebody has changed them: they could name programs
// to run.
func (r *repo) setConfig() error {
	text, err := r.dir.ReadFile("config", layout.MaxStateFile)
	if err == nil && string(text) == config {
		return nil
	}
	return r.dir.Replace("config", []byte(config), 0o600)
}

// removeRemnants removes what a git that was killed has left. None runs: it would hold the lock of the
// directory.
func (r *repo) removeRemnants() error {
	return filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && len(name) == 2 && form.IsHex(name): // of loose objects
			return fs.SkipDir
		case d.Type().IsRegular() && isRemnant(name):
			return os.Remove(path)
		}
		return nil
	})
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
	if _, err := r.Run(ctx, git.Call{Args: []string{"repack", "-d", "--quiet", "--geometric=8"}, Limit: transferLimit}); err == nil || ctx.Err() != nil {
		return
	}
	_, _ = r.Run(ctx, git.Call{Args: []string{"gc", "--auto", "--quiet"}, Limit: transferLimit}) // before git 2.32; what fails now is done at another time
}

// allRefs returns the refs of ours.
func (r *repo) allRefs(ctx context.Context) (map[string]string, error) {
	return r.refsBelow(ctx, "refs/handoff")
}

// refsBelow returns the refs of sync.git below a name, with what they point to.
func (r *repo) refsBelow(ctx context.Context, below string) (map[string]string, error) {
	out, err := r.Run(ctx, git.Call{Args: []string{"for-each-ref", "--format=%(objectname) %(refname)", below}})
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

// isAncestor reports whether a ref only went forward from old to young. What cannot be told is no.
func (r *repo) isAncestor(ctx context.Context, old, young string) bool {
	_, err := r.Run(ctx, git.Call{Args: []string{"merge-base", "--is-ancestor", old, young}})
	return err == nil
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
	if e := (*git.Error)(nil); errors.As(err, &e) && e.Code < 0 {
		return err
	}
	return fault.New(nil, "remove "+r.Dir+" if this comes again: what it holds is fetched anew", "%s cannot be used: %v", r.Dir, err)
}

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
