// Package repo is the bare repository, sync.git, in which an exchange over git keeps what it sends and receives, and
// the calls of git to its remote.
//
// The repository is derived: [Repo.Recreate] empties it when it is damaged, and its content returns from the store and
// the remote. Nothing in it is run, whatever is planted in it: see [Open]. Trees of others are read without recursion,
// and objects only up to a size ([Repo.Spool], [Repo.ChangesOf]). The time of the remote is limited.
package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/url"
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

// A ctx is a context. The short name keeps lines short.
type ctx = context.Context

// Time limits for a remote.
var (
	AnswerLimit   = 30 * time.Second
	transferLimit = 10 * time.Minute
)

// Options configure how git is run.
type Options struct {
	Environ []string      // the environment for git
	Asks    bool          // git can ask for a password, on a terminal
	Wait    time.Duration // how long Open waits for another process
}

// A Repo is sync.git, locked.
type Repo struct {
	git.Runner
	out   *disk.Dir // its parent directory, outside of the project
	dir   *disk.Dir
	spool *os.File // receives objects from git; it has no name, and disappears with this process

	URL     string // of the remote
	suspect bool   // a git command in it failed or was killed
	isNew   bool   // it was created in this exchange
	old     bool   // git does not sync what it writes; see flush

	failed atomic.Pointer[error] // see Failed
}

// config is the whole configuration of the repository. It is restored each time, so that planted settings run
// nothing.
const (
	config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	head   = "ref: refs/heads/main\n"
)

// Open opens sync.git in the directory of the store outside of the project, or creates it. Only one process can
// have it open. If an unfinished exchange left it damaged, it is created again.
func Open(ctx ctx, out *disk.Dir, o Options) (*Repo, error) {
	dir, err := out.MakeDir(disk.SyncRepo, 0o700)
	if err != nil {
		return nil, store.PlaceError(filepath.Join(out.Path(), disk.SyncRepo), err)
	}
	runner := git.Runner{Dir: dir.Path(), Environ: o.Environ, Asks: o.Asks, Hold: dir.File()}
	r := &Repo{Runner: runner, out: out, dir: dir}
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

// Failed returns the first error of reading what [Repo.Spool] has read, nil after success. It is a fault here, not
// in what was received.
func (r *Repo) Failed() error {
	if failed := r.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

// Close releases the lock.
func (r *Repo) Close() {
	r.spool.Close() // a nil file returns an error, which is ignored
	r.dir.Close()
}

// End marks the exchange as finished: everything that it wrote is on disk.
func (r *Repo) End() {
	if r.flush() == nil {
		_ = r.out.Remove(disk.SyncRunning)
	}
}

// prepare locks sync.git, creates what is missing, and removes what git must not find in it. Templates and settings
// of the user are not used.
func (r *Repo) prepare(ctx ctx, wait time.Duration) error {
	if err := r.dir.Lock(ctx, wait); errors.Is(err, disk.ErrHeld) {
		return fault.Busy("wait for it",
			"another sync is running")
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
		return r.Explain(err)
	}
	if err = r.make(); err != nil || ended || !r.isDamaged(ctx) {
		return err
	}
	return r.Recreate()
}

// make creates the missing and foreign files of a bare repository: settings could name programs to run. These files
// are all that git needs (gitrepository-layout(5)).
func (r *Repo) make() error {
	for name, want := range map[string]string{"HEAD": head, "config": config} {
		text, err := r.dir.ReadFile(name, disk.MaxStateFile)
		if err == nil && string(text) == want {
			continue
		}
		if err := r.dir.Replace(name, []byte(want), 0o600); err != nil {
			return err
		}
	}
	objects, err := r.dir.MakeDir("objects", 0o700)
	if err != nil {
		return err
	}
	defer objects.Close()
	for in, name := range map[*disk.Dir]string{r.dir: "refs", objects: "pack"} {
		made, err := in.MakeDir(name, 0o700)
		if err != nil {
			return err
		}
		made.Close()
	}
	return nil
}

// Recreate replaces an unusable repository by an empty one. Its content returns from the store and the remote. The
// directory stays, since it is what is locked.
func (r *Repo) Recreate() error {
	r.isNew, r.suspect = true, false
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

// isDamaged reports whether git fsck finds an error in the repository.
func (r *Repo) isDamaged(ctx ctx) bool {
	args := []string{"fsck", "--full", "--no-dangling", "--no-reflogs", "--no-progress"}
	_, err := r.Runner.Run(ctx, git.Call{Args: args, Limit: transferLimit})
	return err != nil && LocalError(err) == nil && ctx.Err() == nil
}

// IsOurFault reports whether the error of an exchange may come from damage in our repository. If so, the repository
// was recreated, and the exchange must be repeated. blames is whether the error blames another writer.
func (r *Repo) IsOurFault(ctx ctx, err error, blames bool) (bool, error) {
	isBroken := errors.Is(err, ErrBroken)
	isDoubtful := blames || err != nil && r.suspect
	if r.isNew || ctx.Err() != nil || !isBroken && !(isDoubtful && r.isDamaged(ctx)) {
		return false, err
	}
	return true, r.Recreate()
}

// Run runs git in the repository. If git fails, the repository may be damaged, except if a remote does not answer.
func (r *Repo) Run(ctx ctx, c git.Call) ([]byte, error) {
	out, err := r.Runner.Run(ctx, c)
	if e, is := errors.AsType[*git.Error](err); is {
		r.suspect = r.suspect || c.Args[0] != "ls-remote"
		e.Text = hideCredentials(e.Text, r.URL)
	}
	return out, err
}

// Ask runs git in the repository. Its error explains what to do if the repository is unusable.
func (r *Repo) Ask(ctx ctx, input string, args ...string) ([]byte, error) {
	out, err := r.Run(ctx, git.Call{Args: args, Stdin: strings.NewReader(input)})
	return out, r.Explain(err)
}

// flush syncs the whole repository to disk, if git does not do so itself.
func (r *Repo) flush() error {
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

// clean removes what a killed git left, and files that our repository never has: links, and files that give git other
// settings. No git process runs: it would hold the lock of the directory.
func (r *Repo) clean() error {
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

// isOfRepo reports whether our repository can have a file or directory of that name.
func isOfRepo(name string, isDir bool) bool {
	switch name {
	case "objects", "objects/pack", "refs":
		return isDir
	case "HEAD", "config", "packed-refs":
		return !isDir
	}
	info, isInfo := strings.CutPrefix(name, "objects/info/")
	return isInfo && (info == "packs" || strings.HasPrefix(info, "commit-graph")) ||
		!isInfo && (strings.HasPrefix(name, "objects/") || strings.HasPrefix(name, "refs/"))
}

// isRemnant reports whether only a running git has such a file.
func isRemnant(name string) bool {
	is := func(pattern string) bool {
		matches, _ := filepath.Match(pattern, name)
		return matches
	}
	return slices.ContainsFunc([]string{"*.lock", "*.keep", "tmp_*", ".tmp-*"}, is)
}

// Pack packs the newest objects together with older packs of similar size. Each sync writes the last file of a log
// and the tree of a day again. In one pack with their older versions they need almost no space. Versions of a file are
// neighbours there, so a small window finds them.
func (r *Repo) Pack(ctx ctx) {
	repack := git.Call{Args: []string{"repack", "-d", "-n", "--quiet", "--geometric=8", "--window=5"},
		Limit: transferLimit}
	if _, err := r.Run(ctx, repack); err != nil && ctx.Err() == nil { // git is older than 2.32
		_, _ = r.Run(ctx, git.Call{Args: []string{"gc", "--auto", "--quiet"}, Limit: transferLimit})
	}
}

// Refs returns the refs of sync.git.
func (r *Repo) Refs(ctx ctx) (map[string]string, error) {
	return r.RefsBelow(ctx, "refs/handoff")
}

// RefsBelow returns the refs of sync.git below some names, with their commits.
func (r *Repo) RefsBelow(ctx ctx, below ...string) (map[string]string, error) {
	out, err := r.Ask(ctx, "", append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, below...)...)
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

// SetRefs moves refs, all or none. A ref that moves to "" is removed.
func (r *Repo) SetRefs(ctx ctx, refs map[string]string) error {
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
	_, err := r.Ask(ctx, orders.String(), "update-ref", "--stdin")
	return err
}

// IsAncestor reports whether old is an ancestor of young. A missing commit is no ancestor, and has none.
func (r *Repo) IsAncestor(ctx ctx, old, young string) (bool, error) {
	_, err := r.Runner.Run(ctx, git.Call{Args: []string{"merge-base", "--is-ancestor", old, young}})
	if err == nil || git.Refusal(err) != nil {
		return err == nil, nil
	}
	types, typeErr := r.Ask(ctx, old+"\n"+young+"\n", "cat-file", "--batch-check=%(objecttype)")
	if typeErr == nil && string(types) != "commit\ncommit\n" {
		return false, nil
	}
	return false, r.Explain(err)
}

// LocalError returns the error for a git that is missing or too old, or for a full disk. It returns nil for other
// errors.
func LocalError(err error) error {
	e, is := errors.AsType[*git.Error](err)
	switch {
	case !is:
		return nil
	case e.IsMissing():
		return fault.Config("install git 2.31 or newer", "git is not installed")
	case e.IsOld():
		return fault.Config("install git 2.31 or newer", "git is too old: %v", err)
	case e.Says("No space left on device", "Disk quota exceeded"):
		return fault.New(nil, fault.Then(syscall.ENOSPC, "run the command again"),
			"there is no room here, or at the remote: %v", err)
	}
	return nil
}

// Explain returns the error for our repository if git cannot use it.
func (r *Repo) Explain(err error) error {
	if why := LocalError(err); err == nil || why != nil {
		return why
	}
	if e, is := errors.AsType[*git.Error](err); errors.Is(err, ErrBroken) || is && e.Code < 0 {
		return err
	}
	return fault.New(ErrBroken, "remove "+r.Dir+" if this happens again: its content is fetched again",
		"%s cannot be used: %v", r.Dir, err)
}

// ErrBroken is the class of errors about our repository if git cannot use it.
var ErrBroken = errors.New("the repository of sync is damaged")

// ErrFormat is the error for a remote whose objects git cannot exchange with those of sync.git.
var ErrFormat = fault.Config(
	"use a remote that was made with `git init --bare --object-format=sha1`: name it with --remote NAME",
	"the objects of the remote have SHA-256 names, and sync needs SHA-1")

// Unusable returns an error if the remote cannot store what a push sent, or cannot read what it has, by the words of
// git. Otherwise it returns nil.
func Unusable(err *git.Error) error {
	switch why := LocalError(err); {
	case why != nil:
		return why
	case err.Says("Read-only file system", "unable to create temporary object directory", "insufficient permission"):
		return fault.Config("ask who looks after the remote to make its files writable for you",
			"the remote cannot be written: %v", err)
	case err.Says("is corrupt", "repository corruption", "missing necessary objects", "not our ref", "bad object",
		"unresolved deltas"):
		return fault.New(nil, "ask who looks after the remote to run `git fsck` there, and to restore a backup; "+
			"then `handoff sync --restore-remote` publishes again what this clone knows",
			"the remote is damaged: %v", err)
	case err.Says("remote unpack failed"):
		return fault.New(nil, "ask who looks after the remote to look at its disk and its configuration",
			"the remote cannot store what was sent: %v", err)
	}
	return nil
}

// permanentError returns an error if the answer of the remote cannot change with a retry, by the words of git.
// Otherwise it returns nil.
func permanentError(err *git.Error) error {
	switch {
	case err.Says("hash algorithm", "mismatched algorithms", "object format"):
		return ErrFormat
	case err.Says("does not appear to be a git repository", "not found", "does not exist", "not a git repository"):
		return BadRemote(err)
	case err.Says("does not support --atomic"): // git-config(1), receive.advertiseAtomic
		return fault.Config("ask who looks after the remote to leave receive.advertiseAtomic of its repository at true",
			"the remote cannot let in several claims together: %v", err)
	case err.Says("Authentication failed", "Permission denied", "could not read Username", "could not read Password",
		"terminal prompts disabled", "access denied", "returned error: 403", "Host key verification failed"):
		return fault.Config("see what `git ls-remote` and `git push` say to it, and ask who looks after the remote",
			"the remote does not let you in: %v", err)
	}
	return nil
}

func BadRemote(err error) error {
	return fault.Config("look at `git remote -v`", "the remote cannot be used: %v", err)
}

const tries = 3

// Call runs git against the remote. It retries if the network may be at fault.
func (r *Repo) Call(ctx ctx, input string, args ...string) (out []byte, err error) {
	if args[0] == "push" { // whoever reads the remote relies on the objects here
		if err := r.flush(); err != nil {
			return nil, err
		}
	}
	limit := transferLimit
	if args[0] == "ls-remote" {
		limit = AnswerLimit
	}
	for n := 1; ; n++ {
		out, err = r.Run(ctx, git.Call{Args: r.toRemote(args), Stdin: strings.NewReader(input), Limit: limit})
		e, is := errors.AsType[*git.Error](err)
		if !is || e.Code == 1 {
			return out, err
		}
		if why := cmp.Or(LocalError(err), permanentError(e)); why != nil {
			return nil, why
		}
		if e.Late || n == tries || ctx.Err() != nil {
			return nil, cmp.Or(Unusable(e), fault.New(nil, "run it again once the remote can be reached",
				"the remote cannot be reached: %v", err))
		}
		time.Sleep(time.Duration(n) * (100 + rand.N[time.Duration](300)) * time.Millisecond)
	}
}

// Push runs git push with options and refspecs. If there are refs, it runs in a repository that has no others, and the
// same objects: one refspec can then be a pattern for all of them. git compares each ref that a refspec names with all
// refs of the remote, and an argument list has an end.
func (r *Repo) Push(ctx ctx, refs map[string]string, args ...string) ([]byte, error) {
	args = append([]string{"push"}, args...)
	if len(refs) == 0 {
		return r.Call(ctx, "", args...)
	}
	if err := r.flush(); err != nil {
		return nil, err
	}
	packed := "# pack-refs with: peeled fully-peeled sorted \n"
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		packed += refs[name] + " " + name + "\n"
	}
	files := map[string]string{"HEAD": head, "config": config, "packed-refs": packed,
		"objects/info/alternates": filepath.Join(r.Dir, "objects") + "\n"}
	home := r.Dir
	r.Dir = filepath.Join(home, "push") // which clean removes, if this process is killed
	defer func() { os.RemoveAll(r.Dir); r.Dir = home }()
	err := errors.Join(os.MkdirAll(filepath.Join(r.Dir, "objects", "info"), 0o700),
		os.Mkdir(filepath.Join(r.Dir, "refs"), 0o700))
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o600))
	}
	if err != nil {
		return nil, err
	}
	return r.Call(ctx, "", args...)
}

// toRemote inserts the remote into the arguments of git: after the command and its options.
func (r *Repo) toRemote(args []string) []string {
	service := "upload-pack"
	if args[0] == "push" {
		service = "receive-pack"
	}
	n := 1
	for n < len(args) && strings.HasPrefix(args[n], "--") {
		n++
	}
	return slices.Concat(args[:n], git.Serving(r.URL, service), []string{"--", r.URL}, args[n:])
}

// WithoutCredentials returns the URL of a remote without credentials.
func WithoutCredentials(remote string) string {
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
	text = strings.ReplaceAll(text, remote, WithoutCredentials(remote))
	u.User = nil
	return strings.ReplaceAll(text, u.String(), WithoutCredentials(remote))
}
