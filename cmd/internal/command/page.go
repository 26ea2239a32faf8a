package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/relation"
	"github.com/seed-78daf238/handoff/lib/site"
)

const pageDir = "handoff-page" // by default; git ignores it

func pageCommand(a *cli.App) *cobra.Command {
	output := pageDir
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
		RunE:    func(_ *cobra.Command, _ []string) error { return makePage(a, output) },
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "the `directory` of the site")
	return cmd
}

func makePage(a *cli.App, output string) error {
	cli.CollectOften()
	p, s, err := a.ProjectStore()
	if err == nil {
		err = cli.NewFile(s, output)
	}
	if err != nil {
		return err
	}
	pages := site.Site{Title: filepath.Base(p.Root)}
	if pages.Handoffs, err = forPage(s); err != nil {
		return err
	}
	dir, old, err := openPageDir(output)
	if err != nil {
		return err
	}
	defer dir.Close()
	files := 0
	write := func(name string, content []byte) error {
		files++
		old = slices.DeleteFunc(old, func(was string) bool { return was == name })
		name = filepath.FromSlash(name)
		return cmp.Or(dir.MkdirAll(filepath.Dir(name), 0o755), dir.WriteFile(name, content, 0o644))
	}
	if err = pages.Draw(write); err == nil && output == pageDir {
		err = dir.WriteFile(".gitignore", []byte("*\n"), 0o644)
	}
	if err != nil {
		return fmt.Errorf("the site in %s is incomplete: %w", output, err)
	}
	for _, name := range old {
		_ = dir.Remove(filepath.FromSlash(name)) // on failure, an unlinked page remains
	}
	return a.Show(map[string]any{"directory": output, "files": files, "handoffs": len(pages.Handoffs)},
		handoff.EscapeLine(fmt.Sprintf("%s: %s; open %s", output, handoff.Count(len(pages.Handoffs), "handoff"),
			filepath.Join(output, "index.html")))+"\n")
}

// forPage returns the handoffs of the site, in the order of writing.
func forPage(s *handoff.Store) (all []site.Handoff, err error) {
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		return nil, err
	}
	return all, s.LoadEach(entries, func(got handoff.Stored, fault error) bool {
		e, set := got.Entry, relation.Of(got.References)
		h := site.Handoff{ID: e.ID, From: e.From, To: e.To, Topic: e.Topic, Time: e.Time, State: string(e.State),
			Tags: e.Tags, References: got.References, Expires: set.Expires, Re: set.Re, Supersedes: set.Supersedes,
			Events: pageEvents(e)}
		if h.Withheld = s.Distrust(e.From, got.Signature); fault != nil {
			h.Withheld = "the content does not verify; run `handoff verify`"
		}
		if h.Withheld == "" {
			h.Body, h.Title = got.Body, handoff.Title(got.Body, h.Topic)
		}
		if got.Signature.State == handoff.SignatureGood {
			h.Signed = got.Signature.Operator
		}
		all = append(all, h)
		return true
	})
}

// pageEvents returns the events of a handoff.
func pageEvents(e handoff.Entry) (all []site.Event) {
	for _, m := range e.ReadBy {
		all = append(all, site.Event{Did: "read", Operator: m.Operator, Time: m.Time})
	}
	life := e.Life()
	for i, did := range []handoff.Action{life.Take, life.Done, life.Archive} {
		if did.IsDone() {
			all = append(all, site.Event{Did: []string{"taken", "done", "archived"}[i], Operator: did.Operator,
				Time: did.Time, Note: did.Note})
		}
	}
	return all
}

// openPageDir opens the directory of a site, and returns its old pages. It refuses a directory with other files but no
// index of a site, and other files in the place of a page.
func openPageDir(path string) (dir *os.Root, old []string, err error) {
	if err = os.Mkdir(path, 0o755); errors.Is(err, fs.ErrExist) {
		_, err = os.Stat(path + string(filepath.Separator)) // a regular file
	}
	if err == nil {
		dir, err = os.OpenRoot(path)
	}
	if err != nil {
		return nil, nil, cli.OutputError(path, err)
	}
	isMade := func(name string) bool {
		info, err := dir.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
		text, err := dir.ReadFile(name)
		return err == nil && (filepath.Ext(name) != ".html" || site.IsMade(text))
	}
	isSite := isMade("index.html")
	err = fs.WalkDir(dir.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case !isSite:
			return cli.Invalid("name another one with -o", "%s is not empty and was not made by `handoff page`", path)
		case slices.Contains(site.Dirs, name) && !e.IsDir(), site.IsName(name) && !isMade(filepath.FromSlash(name)):
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
