package command

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/relation"
	"github.com/seed-78daf238/handoff/lib/site"
)

const (
	pageDir    = "handoff-page"  // by default; git ignores it
	pageMarker = ".handoff-page" // an empty file that marks the directory of a site
)

type pageFlags struct {
	Output string
}

func pageCommand(a *cli.App) *cobra.Command {
	f := &pageFlags{}
	cmd := &cobra.Command{
		Use:   "page",
		Short: "Make a web site of the handoffs",
		Long: `Make a web site of the handoffs: a board of unread, taken and done ones, lists
by state and person, and a page for each handoff with its thread. The files
need no server and no JavaScript; the same handoffs give the same bytes.

-o names the directory; git ignores the default, handoff-page. The directory
must be empty, or made by this command: then old pages are removed, and other
files stay. A symbolic link of the project is refused.`,
		Example: `  handoff page -o public`,
		RunE:    func(_ *cobra.Command, _ []string) error { return makePage(a, f) },
	}
	cmd.Flags().StringVarP(&f.Output, "output", "o", pageDir, "the `directory` of the site")
	return cmd
}

func makePage(a *cli.App, f *pageFlags) error {
	cli.CollectOften()
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	if err := cli.NewFile(s, f.Output); err != nil {
		return err
	}
	pages := site.Site{Title: filepath.Base(p.Root)}
	all, stop, err := forPage(s)
	if err != nil {
		return err
	}
	defer stop()
	pages.Handoffs = all
	dir, old, err := openPageDir(f.Output)
	if err != nil {
		return err
	}
	defer dir.Close()
	made, err := drawInto(pages, dir)
	if err == nil && f.Output == pageDir {
		err = dir.WriteFile(".gitignore", []byte("*\n"), 0o644)
	}
	if err != nil {
		return fmt.Errorf("the site in %s is incomplete: %w", f.Output, err)
	}
	for _, name := range old {
		if !made[name] {
			_ = dir.Remove(filepath.FromSlash(name)) // on failure, an unlinked page remains
		}
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"directory": f.Output, "files": len(made), "handoffs": len(pages.Handoffs)})
	}
	if a.Quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: %s; open %s\n", handoff.EscapeLine(f.Output),
		handoff.Count(len(pages.Handoffs), "handoff"), handoff.EscapeLine(filepath.Join(f.Output, "index.html")))
	return err
}

// forPage returns the handoffs of the site, in the order of writing. Bodies are read when they are drawn. stop ends
// that.
func forPage(s *handoff.Store) (all []site.Handoff, stop func(), err error) {
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		return nil, nil, err
	}
	reasons := make(map[handoff.Signature]string)
	distrust := func(got handoff.Stored) string {
		key := got.Signature
		key.Operator += " " + got.Entry.From
		if _, known := reasons[key]; !known {
			reasons[key] = s.Distrust(got.Entry.From, got.Signature)
		}
		return reasons[key]
	}
	next, stop := iter.Pull2(func(do func(handoff.Stored, error) bool) { _ = s.LoadEach(entries, do) })
	body := func() (string, error) {
		got, err, more := next()
		if err != nil || !more {
			return "", errors.New("the content does not verify; run `handoff verify`")
		}
		if why := distrust(got); why != "" {
			return "", errors.New(why)
		}
		return got.Body, nil
	}
	err = s.LoadEach(entries, func(got handoff.Stored, fault error) bool {
		e, set := got.Entry, relation.Of(got.References)
		h := site.Handoff{ID: e.ID, From: e.From, To: e.To, Topic: e.Topic, Time: e.Time, State: string(e.State()),
			Tags: e.Tags, References: got.References, Expires: set.Expires, Re: set.Re, Supersedes: set.Supersedes,
			Events: pageEvents(e), Body: body}
		if fault == nil && distrust(got) == "" {
			h.Title = handoff.Title(got.Body, h.Topic)
		}
		if got.Signature.State == handoff.SignatureGood {
			h.Signed = got.Signature.Operator
		}
		all = append(all, h)
		return true
	})
	return all, stop, err
}

// pageEvents returns the events of a handoff.
func pageEvents(e handoff.Entry) (all []site.Event) {
	for _, m := range e.ReadBy {
		all = append(all, site.Event{Did: "read", Operator: m.Operator, Time: m.Time})
	}
	life := e.Life()
	for _, done := range []struct {
		did string
		by  handoff.Action
	}{{"taken", life.Take}, {"done", life.Done}, {"archived", life.Archive}} {
		if done.by.IsDone() {
			all = append(all, site.Event{Did: done.did, Operator: done.by.Operator, Time: done.by.Time,
				Note: done.by.Note})
		}
	}
	return all
}

// openPageDir opens the directory of a site, and returns its old files. It refuses a directory that has files but not
// the marker of a site, or something else in the place of a page.
func openPageDir(path string) (dir *os.Root, old []string, err error) {
	if err = os.Mkdir(path, 0o755); err == nil || errors.Is(err, fs.ErrExist) {
		_, err = os.Stat(path + string(filepath.Separator)) // a regular file
	}
	if err == nil {
		dir, err = os.OpenRoot(path)
	}
	if err != nil {
		return nil, nil, cli.OutputError(path, err)
	}
	_, unmarked := dir.Lstat(pageMarker)
	err = fs.WalkDir(dir.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case unmarked != nil:
			return cli.Invalid("name another one with -o", "%s is not empty and was not made by `handoff page`", path)
		case slices.Contains(site.Dirs, name) && !e.IsDir(), site.IsName(name) && !isPage(dir, name, e):
			return cli.Invalid("move it away, or name another directory with -o",
				"%s was not made by `handoff page`; nothing was changed", filepath.Join(path, name))
		case site.IsName(name):
			old = append(old, name)
		}
		return nil
	})
	if err != nil {
		dir.Close()
	}
	return dir, old, err
}

// isPage reports whether a file of a directory can be one of a site.
func isPage(dir *os.Root, name string, e fs.DirEntry) bool {
	text, err := dir.ReadFile(filepath.FromSlash(name))
	return err == nil && e.Type().IsRegular() && (filepath.Ext(name) != ".html" || site.IsMade(text))
}

// drawInto draws the site, and returns its files. It writes the marker first, so that an interrupted site can be drawn
// again. Files that have their content already are not written.
func drawInto(pages site.Site, dir *os.Root) (map[string]bool, error) {
	if err := dir.WriteFile(pageMarker, nil, 0o644); err != nil {
		return nil, err
	}
	for _, sub := range site.Dirs {
		if err := dir.Mkdir(sub, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	made := make(map[string]bool)
	return made, pages.Draw(func(name string, content []byte) error {
		made[name] = true
		name = filepath.FromSlash(name)
		if there, err := dir.ReadFile(name); err == nil && string(there) == string(content) {
			return nil
		}
		return dir.WriteFile(name, content, 0o644)
	})
}
