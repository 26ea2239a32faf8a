package store

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// chooseGit returns how git treats the handoffs, and whether the settings must name it.
func (s preparing) chooseGit(kind disk.Git) (_ disk.Git, says bool, err error) {
	switch {
	case kind != "" && !slices.Contains([]disk.Git{disk.GitNone, disk.GitTracked, disk.GitSynced}, kind):
		return "", false, fault.Invalid("use synced, tracked or none", "--git: unknown mode %q", kind)
	case kind.IsShared() && git.Top(s.Opt.Root) == "":
		return "", false, fault.Config("run `git init` first, or remove --git",
			"%s is not in a git work tree", s.Opt.Root)
	case kind != "":
		return kind, true, nil
	case IsThere(filepath.Join(s.Opt.Root, settings.Name)) || IsThere(filepath.Join(s.Opt.Dir, disk.IndexFile)) ||
		git.Top(s.Opt.Root) == "":
		return s.Opt.Git, false, nil
	}
	return disk.GitSynced, true, nil
}

// withKey returns settings with a key set to a value, which must be a plain YAML scalar.
func withKey(text, key, value string) string {
	line, present := key+": "+value, regexp.MustCompile(`(?m)^`+key+`[ \t]*:.*$`)
	if present.MatchString(text) {
		return present.ReplaceAllLiteralString(text, line)
	}
	return withLines(text, []string{line})
}

// ignoring returns a .gitignore with the lines that kind needs. The state directory also has its own
// .gitignore.
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
	case base == "/": // never ignore the project itself
	case kind == disk.GitSynced:
		lines = []string{disk.StateDir + "/", base}
	default:
		text = withoutLine(text, base)
	}
	return withLines(text, lines)
}

// attributing returns a .gitattributes with the lines that kind needs. Git merges index files line by line.
// It checks documents and signatures out byte by byte, since ids are hashes of bytes.
func (s preparing) attributing(text string, kind disk.Git) string {
	lines := []string{"INDEX*.md merge=union"}
	if base, local := s.inRoot(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, `"`, `\"`); local &&
		kind == disk.GitTracked {
		for _, pattern := range []string{base + "*.md", base + disk.Signatures + "/*"} {
			if strings.ContainsAny(pattern, " \t\"\\") {
				pattern = `"` + strings.ReplaceAll(pattern, `\`, `\\`) + `"`
			}
			lines = append(lines, pattern+" -text")
		}
	}
	return withLines(text, lines)
}

// inRoot returns the handoffs directory as a path relative to the root. The path ends in a slash, and is ""
// for the root itself. pairs are old and new strings to replace in it.
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

// explainGit describes the consequences of kind. moves reports whether git may already have files of the
// store.
func (s preparing) explainGit(kind disk.Git, says, moves bool) (lines []string) {
	dir, _ := s.inRoot()
	switch kind {
	case disk.GitSynced:
		if moves {
			lines = append(lines, "older commits keep their files in "+dir+explainCheckout(dir))
			lines = append(lines, "git keeps its files of "+dir+" until you run `git rm -r --cached "+ShellQuote(dir)+
				"`, which leaves them in place")
		}
		if !moves && s.hasHistory() {
			lines = append(lines,
				"commits of this project have files in "+dir+" or the state directory"+explainCheckout(dir))
		}
		return append(lines, "git ignores "+dir+": all work trees use this one, and `git clean -fdx` would delete it")
	case disk.GitTracked:
		return []string{"commit " + dir +
			" with the code: each clone and each work tree has its own copy, and git merges them"}
	}
	if !says && git.Top(s.Opt.Root) != "" {
		return []string{"the handoffs stay in this work tree; `handoff init --git synced` shares them with the others"}
	}
	return nil
}

// hasHistory reports whether the git index or a commit of any branch has a file of the store. If git fails,
// the answer is no.
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

// explainCheckout warns that a checkout of older files replaces newer ones, and suggests another directory.
// dir ends in a slash.
func explainCheckout(dir string) string {
	return ", and checking one out replaces what is there: another directory is safe from that, `handoffs_dir: " +
		strings.TrimSuffix(dir, "/") + "-synced` in " + settings.Name
}

// withLines returns text with the missing lines appended.
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

// withoutLine returns text without line.
func withoutLine(text, line string) string {
	var kept strings.Builder
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) != line {
			kept.WriteString(l)
		}
	}
	return kept.String()
}
