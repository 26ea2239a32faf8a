package store

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// chooseGit returns how the store is to live with git, and whether the settings have to say so.
func (s preparing) chooseGit(kind disk.Git) (_ disk.Git, says bool, err error) {
	switch {
	case kind != "" && !slices.Contains([]disk.Git{disk.GitNone, disk.GitTracked, disk.GitSynced}, kind):
		return "", false, fault.New(fault.ErrInvalid, "it is synced, tracked or none", "git cannot do %q with handoffs", kind)
	case kind.IsShared() && git.Top(s.Opt.Root) == "":
		return "", false, fault.New(fault.ErrConfig, "run `git init` first, or leave --git out", "%s is not in a git work tree", s.Opt.Root)
	case kind != "":
		return kind, true, nil
	case IsThere(filepath.Join(s.Opt.Root, settings.Name)) || IsThere(filepath.Join(s.Opt.Dir, disk.IndexFile)) || git.Top(s.Opt.Root) == "":
		return s.Opt.Git, false, nil
	}
	return disk.GitSynced, true, nil
}

var gitKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^git[ \t]*:.*$`) })

// withGit returns settings that say how the store lives with git.
func withGit(text string, kind disk.Git, says bool) string {
	line := "git: " + string(kind)
	switch {
	case !says:
		return text
	case gitKey().MatchString(text):
		return gitKey().ReplaceAllLiteralString(text, line)
	}
	return withLines(text, []string{line})
}

// ignoring returns a .gitignore with the lines that a kind needs. The state directory has a .gitignore
// of its own besides.
func (s preparing) ignoring(text string, kind disk.Git) string {
	lines := []string{disk.StateDir + "/"}
	base, local := s.inRoot(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
	if !local {
		return withLines(text, lines)
	}
	base = "/" + base
	for _, name := range ignoredNames {
		lines = append(lines, base+name)
	}
	switch {
	case base == "/": // the project itself is not to be ignored
	case kind == disk.GitSynced:
		lines = []string{disk.StateDir + "/", base}
	default:
		text = withoutLine(text, base)
	}
	return withLines(text, lines)
}

// attributing returns a .gitattributes with the lines that a kind needs: index files join their lines,
// and documents and signatures are checked out with the bytes that their ids are of.
func (s preparing) attributing(text string, kind disk.Git) string {
	lines := []string{"INDEX*.md merge=union"}
	if base, local := s.inRoot(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, `"`, `\"`); local && kind == disk.GitTracked {
		for _, pattern := range []string{base + "*.md", base + disk.Signatures + "/*"} {
			if strings.ContainsAny(pattern, " \t\"\\") {
				pattern = `"` + strings.ReplaceAll(pattern, `\`, `\\`) + `"`
			}
			lines = append(lines, pattern+" -text")
		}
	}
	return withLines(text, lines)
}

// inRoot returns the handoffs directory as a path from the root that ends in a slash, "" for the root
// itself. What stands in pairs is replaced in it.
func (s preparing) inRoot(pairs ...string) (path string, local bool) {
	rel, err := filepath.Rel(s.Opt.Root, s.Opt.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if rel == "." {
		return "", true
	}
	return strings.NewReplacer(pairs...).Replace(filepath.ToSlash(rel)) + "/", true
}

// explainGit says what follows from how the store lives with git. moves is whether git may have files of it.
func (s preparing) explainGit(kind disk.Git, moves bool) (says []string) {
	dir, _ := s.inRoot()
	switch kind {
	case disk.GitSynced:
		if moves {
			says = append(says, "older commits keep their files in "+dir+safer(dir))
			says = append(says, "what git has of "+dir+" stays in git until you run `git rm -r --cached "+ShellQuote(dir)+"`, which leaves the files where they are")
		}
		if !moves && s.hasHistory() {
			says = append(says, "commits of this project have files in "+dir+" or the state directory"+safer(dir))
		}
		return append(says, "git ignores "+dir+": all work trees use this one, and `git clean -fdx` would delete it")
	case disk.GitTracked:
		return []string{"commit " + dir + " with the code: each clone and each work tree has its own copy, and git merges them"}
	}
	return nil
}

// hasHistory reports whether a commit of any branch has a file where the store is, or the index does. What
// cannot be told is no.
func (s preparing) hasHistory() bool {
	top := git.Top(s.Opt.Root)
	var paths []string
	for _, path := range []string{s.Opt.Dir, s.Opt.StateDir} {
		if rel, err := filepath.Rel(top, path); top != "" && err == nil && filepath.IsLocal(rel) && rel != "." {
			paths = append(paths, rel)
		}
	}
	has, err := git.Tree{Dir: top}.Has(context.Background(), paths)
	return err == nil && has
}

// safer says what a checkout of older files does, and offers a directory beside one, which ends in a slash.
func safer(dir string) string {
	return ", and checking one out replaces what is there: another directory is safe from that, `handoffs_dir: " +
		strings.TrimSuffix(dir, "/") + "-synced` in " + settings.Name
}

// withLines returns a text with those lines at its end that it lacks.
func withLines(text string, lines []string) string {
	have := make(map[string]bool)
	for line := range strings.Lines(text) {
		have[strings.TrimSpace(line)] = true
	}
	for _, line := range lines {
		if have[line] {
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += line + "\n"
	}
	return text
}

// withoutLine returns a text without a line.
func withoutLine(text, line string) string {
	var kept strings.Builder
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) != line {
			kept.WriteString(l)
		}
	}
	return kept.String()
}
