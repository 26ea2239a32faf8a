package site

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/page"
	"github.com/seed-78daf238/handoff/lib/relation"
)

const (
	defaultPageDir = "handoff-page"
	pageMarker     = ".handoff-page" // an empty file in a directory that is one of ours
)

// An app is one run of the program.
type app struct{ *cli.App }

// Command builds the command.
func Command(run *cli.App) *cobra.Command {
	a := &app{run}
	var f cli.Filter
	var output string
	var serve bool
	cmd := &cobra.Command{
		Use: "page",
		Long: `Draw the handoffs as a site: a board of what waits, is taken, awaits approval and is done, a page for each handoff and
each person, threads with pictures, and a timeline of who handed what to whom. It is made of files that need no
server and no JavaScript to read; the same handoffs give the same bytes. Flags choose as those of list do.

-o names the directory, handoff-page if nothing does. One that is there already must be empty, or have been made by
this command: its pages that are not needed any more go then, other files stay. A symbolic link of the project is
refused, and so is a file of yours that has the name of a page.

--serve shows the site on this machine alone, at an address that nobody can guess, and keeps it up to date until
it is interrupted. Nothing can be changed there.`,
		Example: "  handoff page -o public\n  handoff page --serve\n  handoff page --to ben --since 30d -o ben",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			chosen, err := f.Chosen(a.App)
			if err != nil {
				return err
			}
			cli.CollectOften()
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			site := siteOf{s, chosen, filepath.Base(p.Root)}
			if serve {
				return a.servePage(cmd.Context(), site)
			}
			return a.writePage(site, output)
		},
	}
	f.Register(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", defaultPageDir, "the `directory` of the site")
	cmd.Flags().BoolVar(&serve, "serve", false, "show the site on this machine, and write no directory")
	cli.Exclusive(cmd, "output", "serve")
	return cmd
}

// A siteOf is what a site is drawn from.
type siteOf struct {
	*handoff.Store
	chosen handoff.Filter
	title  string
}

// page reads what the site shows. Bodies are read when they are drawn.
func (s siteOf) page() (page.Site, error) {
	s.Store = s.Glance()
	entries, err := s.List(s.chosen)
	if err != nil {
		return page.Site{}, err
	}
	now := time.Now()
	site := page.Site{Title: s.title, Handoffs: make([]page.Handoff, 0, len(entries)), Now: now}
	if list, err := s.Registry().Policy(); err == nil && list != nil {
		for _, o := range list.All() {
			if list.Can(o.ID, "approve", now) {
				site.Approvers = append(site.Approvers, o.ID)
			}
		}
	}
	events, listed, at := s.events(), s.Listed(entries), 0
	err = s.LoadEach(entries, func(got handoff.Stored, fault error) bool {
		l := listed[at]
		at++
		set := relation.Of(got.References)
		h := page.Handoff{ID: l.ID, From: l.From, To: l.To, Topic: l.Topic, Time: l.Time, State: string(l.State),
			Tags: got.Tags, References: got.References, Expires: set.Expires, Re: set.Re, Supersedes: set.Supersedes,
			Events: events(l), Body: s.body(got.Entry)}
		if _, refuse := s.Distrust(l.From, got.Signature); fault == nil && !refuse {
			h.Title = handoff.Title(got.Body, l.Topic)
		}
		if got.Signature.State == handoff.SignatureGood {
			h.Signed = got.Signature.Operator
		}
		site.Handoffs = append(site.Handoffs, h)
		return true
	})
	return site, err
}

// events returns what says what was done with each handoff.
func (s siteOf) events() func(handoff.Listed) []page.Event {
	lives, decided := s.Lifecycle().Lives(), s.Lifecycle().Decided()
	return func(l handoff.Listed) (all []page.Event) {
		add := func(did, who, when string) {
			if when != "" {
				all = append(all, page.Event{Did: did, Operator: who, Time: when})
			}
		}
		add("told", l.To, l.Told)
		for _, m := range l.ReadBy {
			add("read", m.Operator, m.Time)
		}
		life, verdict := lives(l.ID), decided(l.ID)
		take, away := life.Take.Holds(), life.Archive.Holds()
		add("taken", take.Operator, take.Time)
		add("done", life.Done.Operator, life.Done.Time)
		add("archived", away.Operator, away.Time)
		add("approved", verdict.Approved.Operator, verdict.Approved.Time)
		add("rejected", verdict.Rejected.Operator, verdict.Rejected.Time)
		return all
	}
}

// body returns what reads the body of an entry: what cannot be proven, or is not signed by whom it should be, is not shown.
func (s siteOf) body(e handoff.Entry) func() (string, error) {
	return func() (string, error) {
		got, err := s.Load(e)
		if err != nil {
			return "", errors.New("it is not known to be what was written; `handoff verify` says more")
		}
		if why, refuse := s.Distrust(e.From, got.Signature); refuse {
			return "", errors.New(why)
		}
		return got.Body, nil
	}
}

func (a *app) writePage(from siteOf, output string) error {
	if err := cli.NewFile(from.Store, output); err != nil {
		return err
	}
	site, err := from.page()
	if err != nil {
		return err
	}
	dir, old, err := openPageDir(output)
	if err != nil {
		return err
	}
	defer dir.Close()
	made, err := drawInto(site, dir)
	if err != nil {
		return fmt.Errorf("the site in %s is not complete: %w", output, err)
	}
	for _, name := range old {
		if !slices.Contains(made, name) {
			_ = dir.Remove(filepath.FromSlash(name)) // it is only not linked any more
		}
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"directory": output, "files": len(made), "handoffs": len(site.Handoffs)})
	}
	if a.Quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: %s; open %s\n", handoff.EscapeLine(output), handoff.Count(len(site.Handoffs), "handoff"), handoff.EscapeLine(filepath.Join(output, "index.html")))
	return err
}

// openPageDir opens the directory of a site, and returns which files were made in it before. It refuses one in
// which something else has a name that a site needs.
func openPageDir(path string) (dir *os.Root, old []string, err error) {
	if err = os.Mkdir(path, 0o755); err == nil || errors.Is(err, fs.ErrExist) {
		_, err = os.Stat(path + string(filepath.Separator)) // a file
	}
	if err == nil {
		dir, err = os.OpenRoot(path)
	}
	if err != nil {
		return nil, nil, cli.OutputError(path, err)
	}
	switch marker, err := dir.Lstat(pageMarker); {
	case err == nil && marker.Mode().IsRegular():
		old, err = pagesIn(dir, path)
		if err == nil {
			return dir, old, nil
		}
		dir.Close()
		return nil, nil, err
	case err == nil:
		dir.Close()
		return nil, nil, notPage(filepath.Join(path, pageMarker))
	}
	names, err := fs.ReadDir(dir.FS(), ".")
	if err == nil && len(names) > 0 {
		err = cli.Invalid("name another with -o", "%s is not empty, and was not made by `handoff page`", path)
	}
	if err != nil {
		dir.Close()
		return nil, nil, err
	}
	return dir, nil, nil
}

// pagesIn returns the files of a site in the directory that path names. Anything there
// that is not a regular file of the site, or not one of its directories, is refused: it came from elsewhere.
func pagesIn(dir *os.Root, path string) (old []string, err error) {
	for _, sub := range append([]string{"."}, page.Dirs...) {
		info, err := dir.Lstat(sub)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, cli.Invalid("remove it, or name another directory with -o", "%s is a symbolic link",
				filepath.Join(path, sub))
		case !info.IsDir():
			return nil, notPage(filepath.Join(path, sub))
		}
		files, err := fs.ReadDir(dir.FS(), sub)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			name := filepath.ToSlash(filepath.Join(sub, f.Name()))
			if !page.IsName(name) {
				continue
			}
			if !f.Type().IsRegular() || !page.IsMade(name, headOf(dir, name)) {
				return nil, notPage(filepath.Join(path, filepath.FromSlash(name)))
			}
			old = append(old, name)
		}
	}
	return old, nil
}

// headOf returns the beginning of a file. That of one that cannot be read says that it is nobody's.
func headOf(dir *os.Root, name string) []byte {
	f, err := dir.Open(filepath.FromSlash(name))
	if err != nil {
		return []byte("unreadable")
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, page.HeadLen))
	if err != nil {
		return []byte("unreadable")
	}
	return head
}

func notPage(path string) error {
	return cli.Invalid("move it away, or name another directory with -o",
		"%s was not made by `handoff page`; nothing was changed", path)
}

// drawInto draws the site, and returns its files, sorted. The marker comes first: what is interrupted can be drawn again.
func drawInto(site page.Site, dir *os.Root) (made []string, err error) {
	names := make(chan string, 64)
	done := make(chan struct{})
	go func() {
		for name := range names {
			made = append(made, name)
		}
		close(done)
	}()
	marker, err := dir.OpenFile(pageMarker, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	marker.Close()
	for _, sub := range page.Dirs {
		if err := dir.Mkdir(sub, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	err = site.Draw(func(name string, content []byte) error {
		names <- name
		return writeFile(dir, filepath.FromSlash(path.Clean(name)), content)
	})
	close(names)
	<-done
	slices.Sort(made)
	return made, err
}

// writeFile replaces a file, unless it has the content already.
func writeFile(dir *os.Root, name string, content []byte) error {
	if there, err := dir.ReadFile(name); err == nil && string(there) == string(content) {
		return nil
	}
	return dir.WriteFile(name, content, 0o644)
}
