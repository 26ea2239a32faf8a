// Package site contains the command that makes a web site of the handoffs.
package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/page"
	"github.com/seed-78daf238/handoff/lib/relation"
)

const pageMarker = ".handoff-page" // an empty file that marks the directory of a site

// Commands has the command.
var Commands = cli.Commands{"page": cli.Of(run)}

type pageFlags struct {
	cli.Filter
	Output string `flag:",o" default:"handoff-page" not:"serve"`
	Serve  bool
}

func run(a *cli.App, f *pageFlags, _ []string) error {
	chosen, err := f.Chosen(a)
	if err != nil {
		return err
	}
	cli.CollectOften()
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	site := siteSource{s, chosen, filepath.Base(p.Root)}
	if f.Serve {
		return servePage(context.Background(), a, site)
	}
	return writePage(a, site, f.Output)
}

// A siteSource is the source of a site.
type siteSource struct {
	*handoff.Store
	chosen handoff.Filter
	title  string
}

// page reads the handoffs of the site. Bodies are read when they are drawn.
func (s siteSource) page() (page.Site, error) {
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

// events returns a function that returns the events of a handoff.
func (s siteSource) events() func(handoff.Listed) []page.Event {
	lives, decided, note := s.Lifecycle().Lives(), s.Lifecycle().Decided(), s.Lifecycle().Notes()
	return func(l handoff.Listed) (all []page.Event) {
		add := func(did string, act handoff.Act, by handoff.Action) {
			if by.IsDone() {
				all = append(all, page.Event{Did: did, Operator: by.Operator, Time: by.Time,
					Note: note(l.ID, act, by)})
			}
		}
		add("told", "", handoff.Action{Operator: l.To, Time: l.Told})
		for _, m := range l.ReadBy {
			add("read", "", handoff.Action{Operator: m.Operator, Time: m.Time})
		}
		life, verdict := lives(l.ID), decided(l.ID)
		add("taken", handoff.ActTake, life.Take.Holds())
		add("done", handoff.ActDone, life.Done)
		add("archived", handoff.ActArchive, life.Archive.Holds())
		add("approved", handoff.ActApprove, verdict.Approved)
		add("rejected", handoff.ActReject, verdict.Rejected)
		return all
	}
}

// body returns a function that reads the body of an entry. It fails if the body does not verify, or lacks a
// required signature.
func (s siteSource) body(e handoff.Entry) func() (string, error) {
	return func() (string, error) {
		got, err := s.Load(e)
		if err != nil {
			return "", errors.New("the content does not verify; run `handoff verify`")
		}
		if why, refuse := s.Distrust(e.From, got.Signature); refuse {
			return "", errors.New(why)
		}
		return got.Body, nil
	}
}

func writePage(a *cli.App, from siteSource, output string) error {
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
		return fmt.Errorf("the site in %s is incomplete: %w", output, err)
	}
	for _, name := range old {
		if _, again := slices.BinarySearch(made, name); !again {
			_ = dir.Remove(filepath.FromSlash(name)) // on failure, an unlinked page remains
		}
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"directory": output, "files": len(made), "handoffs": len(site.Handoffs)})
	}
	if a.Quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: %s; open %s\n", handoff.EscapeLine(output),
		handoff.Count(len(site.Handoffs), "handoff"), handoff.EscapeLine(filepath.Join(output, "index.html")))
	return err
}

// openPageDir opens the directory of a site, and returns its old files. It refuses a directory in which a foreign
// file has the name of a site's file.
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
	if old, err = pagesIn(dir, path); err != nil {
		dir.Close()
	}
	return dir, old, err
}

// pagesIn returns the site's files in the directory path. It refuses anything there that is not a regular file or
// directory of the site, and a directory with files but without the marker of a site.
func pagesIn(dir *os.Root, path string) (old []string, err error) {
	marker, err := dir.Lstat(pageMarker)
	if err == nil && !marker.Mode().IsRegular() {
		return nil, notPage(filepath.Join(path, pageMarker))
	}
	isSite := err == nil
	err = fs.WalkDir(dir.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		is, shown := slices.Contains(page.Dirs, name), filepath.Join(path, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case !isSite:
			return cli.Invalid("name another one with -o", "%s is not empty and was not made by `handoff page`", path)
		case e.IsDir() && !is:
			return fs.SkipDir
		case is && e.Type()&fs.ModeSymlink != 0:
			return cli.Invalid("remove it, or name another directory with -o", "%s is a symbolic link", shown)
		case is && e.IsDir(), !is && !page.IsName(name):
			return nil
		case is, !e.Type().IsRegular(), !page.IsMade(name, headOf(dir, name)):
			return notPage(shown)
		}
		old = append(old, name)
		return nil
	})
	return old, err
}

// headOf returns the first bytes of a file. An unreadable file has bytes that no site has.
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

// drawInto draws the site, and returns its files, sorted. It writes the marker first, so that an interrupted site
// can be drawn again.
func drawInto(site page.Site, dir *os.Root) (made []string, err error) {
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
	var drawn sync.Mutex
	err = site.Draw(func(name string, content []byte) error {
		drawn.Lock()
		made = append(made, name)
		drawn.Unlock()
		return writeFile(dir, filepath.FromSlash(name), content)
	})
	slices.Sort(made)
	return made, err
}

// writeFile writes a file, unless it already has the content.
func writeFile(dir *os.Root, name string, content []byte) error {
	if there, err := dir.ReadFile(name); err == nil && string(there) == string(content) {
		return nil
	}
	return dir.WriteFile(name, content, 0o644)
}
