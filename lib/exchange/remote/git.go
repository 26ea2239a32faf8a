package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// GitOptions say where a git remote is.
type GitOptions struct {
	Cache     string   // a directory for a bare repository; it is made if it is missing, and made again if it is broken
	Project   string   // an absolute path: git's settings there speak to the remote
	Remote    string   // its name in git's settings
	URL       string   // "" for the one that the settings have
	Namespace string   // of the refs, such as refs/handoff
	Environ   []string // the environment, from os.Environ
	Asks      bool     // there is a terminal, on which git may ask for a password
	Done      func()   // called by Close; nil does nothing
}

// A gitRemote is a git remote. Only one process at a time may use its cache.
type gitRemote struct {
	o      GitOptions
	logs   string // the names of the refs begin so
	format string // of the objects
	safe   string // settings of the cache
	call   git.Call
	isPath bool // the remote is on this machine
	parts  bool // it does not take all or nothing

	planted map[string]string // objects in the places of logs that have not begun: an append replaces them
}

// The refs of the cache: the logs as they were read, and what is appended.
const (
	seen = "refs/seen/"
	next = "refs/next/"
)

// OpenGit opens a git remote, and returns its URL. It speaks to it only when asked. The error is fault.ErrConfig if
// there is no such remote, or if git is missing, older than 2.32, or refuses the repository of the project because it
// belongs to somebody else.
func OpenGit(o GitOptions) (r Remote, url string, err error) {
	s, err := settingsOf(o.Project, o.Environ)
	if err == nil && o.URL == "" {
		o.URL, err = s.urlOf(o.Remote)
	}
	if err != nil {
		return nil, "", err
	}
	version := git.Call{Dir: s.top, Environ: o.Environ, Args: []string{"version"}}
	out, err := version.Run(context.Background())
	var major, minor int
	_, scanErr := fmt.Sscanf(string(out), "git version %d.%d", &major, &minor)
	if err != nil || scanErr != nil || major < 2 || major == 2 && minor < 32 {
		return nil, "", fault.Config("install git "+oldest+" or newer", "git is too old: %.40q", out)
	}
	g := &gitRemote{o: o, logs: strings.TrimSuffix(o.Namespace, "/") + "/log/", safe: s.trusted(),
		planted: map[string]string{}, format: cmp.Or(s.first["extensions.objectformat"], "sha1"),
		isPath: isPath(o.URL) || strings.HasPrefix(o.URL, "file:")}
	env := append(s.forRemote(o.URL), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+filepath.Join(o.Cache, "config"), "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1")
	g.call = git.Call{Dir: s.top, Repo: o.Cache, Environ: o.Environ, More: env, Online: true, Asks: o.Asks,
		Limit: 10 * time.Minute}
	return g, o.URL, nil
}

// Close calls Done.
func (g *gitRemote) Close() error {
	if g.o.Done != nil {
		g.o.Done()
	}
	return nil
}

// errCache is wrapped by errors of the cache.
var errCache = errors.New("the cache of the remote is broken")

// withCache makes the cache, if it is missing, and calls do. If the cache is broken, it makes it again, once.
func (g *gitRemote) withCache(ctx context.Context, do func(again bool) error) error {
	for again := false; ; again = true {
		err := fault.Explain(git.MakeBare(g.o.Cache, g.format, g.safe), "the cache of the remote cannot be made",
			"run the command again")
		if err == nil {
			err = do(again)
		}
		if again || ctx.Err() != nil || !errors.Is(err, errCache) {
			return err
		}
		if err := os.RemoveAll(g.o.Cache); err != nil {
			return err
		}
	}
}

// run runs git in the cache.
func (g *gitRemote) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	c := g.call
	c.Args, c.Stdin = args, stdin
	return c.Run(ctx)
}

// failed returns why a call to the remote failed. That may be the cache.
func (g *gitRemote) failed(ctx context.Context, err error) error {
	_, broken := g.run(ctx, nil, "fsck", "--connectivity-only", "--no-dangling", "--no-progress")
	e, is := errors.AsType[*git.Error](err)
	isLocked := is && e.Command == "fetch" && e.Says(".lock': File exists") // a killed git left it
	if ctx.Err() == nil && (broken != nil || isLocked) {
		return errors.Join(errCache, err)
	}
	return g.explain(err)
}

// Versions returns the commits of the logs.
func (g *gitRemote) Versions(ctx context.Context) (all map[string]string, err error) {
	var out []byte
	err = g.withCache(ctx, func(bool) error {
		if out, err = g.run(ctx, nil, "ls-remote", "--refs", own, g.logs+"*"); err != nil {
			return g.failed(ctx, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all = make(map[string]string)
	for line := range strings.Lines(string(out)) {
		commit, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if log, is := strings.CutPrefix(ref, g.logs); is && IsLog(log) {
			all[log] = commit
		}
	}
	if len(all) > MaxLogs {
		return nil, fmt.Errorf("the remote has %d logs, more than %d", len(all), MaxLogs)
	}
	return all, nil
}

// Read fetches the logs, and reads them.
func (g *gitRemote) Read(ctx context.Context, after map[string]Position, do func(string, Batch) error) error {
	if len(after) == 0 {
		return nil
	}
	after = maps.Clone(after) // what was read before the cache broke is not read again
	names := slices.Sorted(maps.Keys(after))
	return g.withCache(ctx, func(bool) error {
		if err := g.fetch(ctx, names); err != nil {
			return err
		}
		call := g.call
		call.Limit = 24 * time.Hour // it waits for what do does
		objects, err := call.Objects(ctx)
		if err != nil {
			return err
		}
		defer objects.Close()
		var rewritten []error
		for _, log := range names {
			chain, err := g.chainOf(objects, log, string(after[log]))
			if errors.Is(err, errPlanted) {
				err = do(log, Batch{})
			}
			if _, is := errors.AsType[*Rewritten](err); is {
				rewritten = append(rewritten, err)
			} else if err != nil {
				return cmp.Or(ctx.Err(), err)
			}
			for _, commit := range slices.Backward(chain) {
				text, err := batchOf(objects, commit)
				if err != nil {
					return cmp.Or(ctx.Err(), err)
				}
				after[log] = Position(commit)
				if err := do(log, Batch{text, after[log]}); err != nil {
					return err
				}
			}
		}
		return errors.Join(rewritten...)
	})
}

// fetch brings logs into the cache. Logs that the remote does not have are not there either afterwards.
func (g *gitRemote) fetch(ctx context.Context, names []string) error {
	if len(names) > 500 { // git compares each with all
		names = []string{""}
	}
	var specs strings.Builder
	for _, log := range names { // a pattern, which may match nothing
		fmt.Fprintf(&specs, "+%s%s*:%s%s*\n", g.logs, log, seen, log)
	}
	_, err := g.run(ctx, strings.NewReader(specs.String()), "fetch", "--quiet", "--no-tags", "--prune",
		"--no-write-fetch-head", "--no-recurse-submodules", "--stdin", own)
	if err != nil {
		return g.failed(ctx, err)
	}
	return nil
}

const (
	maxCommit  = 64 << 10 // bytes of a commit
	maxBatches = 1 << 20  // of a log, at once
)

// errPlanted means that the ref of a log that has not begun names something else than a commit. An append replaces it.
var errPlanted = errors.New("no commit")

// chainOf returns the commits of a log behind a position, newest first.
func (g *gitRemote) chainOf(objects *git.Objects, log, after string) (chain []string, err error) {
	at := seen + log
	for {
		o, err := objects.Get(at, maxCommit)
		switch {
		case err == nil && len(chain) == 0 && o.Kind == "" && after == "": // there is no such log
			delete(g.planted, log)
			return nil, nil
		case err != nil || len(chain) > 0 && o.ID == "":
			return nil, errors.Join(errCache, err)
		case len(chain) == 0 && o.Kind != "commit" && after == "":
			g.planted[log] = o.ID
			return nil, errPlanted
		case o.ID == after:
			return chain, nil
		case o.Kind != "commit" || o.Data == nil || len(chain) == maxBatches:
			return nil, &Rewritten{log}
		}
		chain = append(chain, o.ID)
		if at = parentOf(string(o.Data)); at == after {
			return chain, nil
		}
		if at == "" {
			return nil, &Rewritten{log}
		}
	}
}

// parentOf returns the first parent in the text of a commit, which begins with its tree; "" if it has none.
func parentOf(commit string) string {
	if words := strings.Fields(commit); len(words) > 3 && words[2] == "parent" {
		return words[3]
	}
	return ""
}

// batchOf returns the batch of a commit, nil if it has none, or a too large one.
func batchOf(objects *git.Objects, commit string) ([]byte, error) {
	o, err := objects.Get(commit+":batch", MaxBatch)
	if err == nil && o.ID == "" { // is it missing there, or only here?
		var tree git.Object
		tree, err = objects.Get(commit+"^{tree}", maxCommit)
		if tree.ID == "" || strings.Contains(string(tree.Data), " batch\x00") {
			err = errors.Join(errCache, err)
		}
	}
	if err != nil {
		return nil, errors.Join(errCache, err)
	}
	if o.Kind != "blob" {
		return nil, nil
	}
	return o.Data, nil
}

// Append makes commits, and pushes them.
func (g *gitRemote) Append(ctx context.Context, all []Addition) (map[string]Position, error) {
	ends, names := make(map[string]Position), []string(nil)
	for _, a := range all {
		if !IsLog(a.Log) || len(a.Text) > MaxBatch || a.After != "" && !form.IsHex(string(a.After)) {
			return nil, fault.Invalid("", "%d bytes cannot be appended to %q behind %q", len(a.Text), a.Log, a.After)
		}
		names = append(names, a.Log)
	}
	for part := range slices.Chunk(all, 1000) { // more are too many arguments
		err := g.withCache(ctx, func(again bool) error {
			if again {
				if err := g.fetch(ctx, names); err != nil {
					return err
				}
			}
			commits, err := g.commit(ctx, part)
			if e, is := errors.AsType[*git.Error](err); is && again && e.Says("Not a valid commit") {
				return ErrMoved // the remote does not have the position either
			}
			if err != nil {
				return errors.Join(errCache, err)
			}
			for i, a := range part {
				ends[a.Log] = Position(commits[i])
			}
			return g.push(ctx, part, commits)
		})
		if err != nil {
			return nil, err
		}
	}
	return ends, nil
}

// commit returns a commit for each addition. Equal additions have equal commits, so that repeating one is harmless.
func (g *gitRemote) commit(ctx context.Context, part []Addition) ([]string, error) {
	var in []io.Reader
	for i, a := range part {
		head := fmt.Sprintf("commit %s%s\nmark :%d\n", next, a.Log, i+1) +
			"committer handoff <handoff@localhost> 0 +0000\ndata 0\n"
		if a.After != "" {
			head += "from " + string(a.After) + "\n"
		}
		head += fmt.Sprintf("deleteall\nM 100644 inline batch\ndata %d\n", len(a.Text))
		in = append(in, strings.NewReader(head), bytes.NewReader(a.Text),
			strings.NewReader(fmt.Sprintf("\nget-mark :%d\n", i+1)))
	}
	in = append(in, strings.NewReader("done\n"))
	out, err := g.run(ctx, io.MultiReader(in...), "fast-import", "--quiet", "--force", "--done")
	commits := strings.Fields(string(out))
	if err == nil && len(commits) != len(part) {
		err = fmt.Errorf("git fast-import printed %.100q", out)
	}
	return commits, err
}

// findPlanted reports whether there is news of what is planted in the places of logs that have not begun.
func (g *gitRemote) findPlanted(ctx context.Context, part []Addition) bool {
	before, after := maps.Clone(g.planted), map[string]Position{}
	for _, a := range part {
		if a.After == "" {
			after[a.Log] = ""
		}
	}
	err := g.Read(ctx, after, func(string, Batch) error { return nil })
	return err == nil && !maps.Equal(g.planted, before)
}

// push pushes commits, each behind its position. It fails with ErrMoved if one of the logs does not end there.
func (g *gitRemote) push(ctx context.Context, part []Addition, commits []string) error {
	args := []string{"push", "--porcelain", "--no-verify", own}
	if !g.parts {
		args = append(args, "--atomic")
	}
	for i, a := range part {
		ref := g.logs + a.Log
		args = append(args, fmt.Sprintf("--force-with-lease=%s:%s", ref, cmp.Or(string(a.After), g.planted[a.Log])),
			commits[i]+":"+ref)
	}
	_, err := g.run(ctx, nil, args...)
	e, is := errors.AsType[*git.Error](err)
	switch {
	case !is:
		return err
	case e.Says("\t[rejected]"): // git saw it before it sent anything
		if !g.findPlanted(ctx, part) {
			return ErrMoved
		}
		return g.push(ctx, part, commits)
	case e.Says("does not support --atomic") && !g.parts:
		g.parts = true
		return g.push(ctx, part, commits)
	}
	blocks := regexp.MustCompile(`'(` + g.logs + `[\w/.-]+)' exists; cannot create `)
	if ref := blocks.FindStringSubmatch(e.Said); ref != nil {
		return fault.Config("run `git push "+g.o.Remote+" --delete "+ref[1]+"`",
			"%s at the remote is in the place of a log", ref[1])
	}
	all, lookErr := g.Versions(ctx) // the answer may be lost, or another clone was quicker
	if lookErr != nil {
		return g.failed(ctx, err)
	}
	missing, moved := false, e.Says("cannot lock ref", "failed to update ref", "failed to lock", "incorrect old value")
	for i, a := range part {
		is := all[a.Log]
		missing = missing || is != commits[i]
		moved = moved || is != commits[i] && is != string(a.After)
	}
	switch {
	case !missing:
		return nil
	case moved:
		return ErrMoved
	}
	return g.failed(ctx, err)
}
