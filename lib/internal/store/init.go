package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

const (
	settingsText = `# Settings of handoff. Each has a default: run ` + "`handoff help settings`" + `.
# handoffs_dir: handoffs
# operator: YOU
`
	maxGitFile = 1 << 20 // for .gitignore and .gitattributes
)

// Init prepares a project: both directories, .handoff.yaml, and what git ignores. kind is how git treats the handoffs;
// "" means as the settings say. It returns what it did, and replaces only what another kind needed. It can be repeated.
func (s *Store) Init(kind disk.Git) (done []string, err error) {
	defer func() { err = fault.Explain(err, "the project is not ready", "repeat the command") }()
	if err := s.checkGit(kind); err != nil {
		return nil, err
	}
	isNamed := kind != ""
	if !isNamed {
		kind = s.Opt.Git
	}
	s.Opt.Git = kind
	if !IsThere(s.Opt.Dir) {
		done = append(done, "made "+s.Opt.Dir)
	}
	if err := s.initDirs(); err != nil {
		return nil, err
	}
	root, err := disk.Open(s.Opt.Root)
	if err != nil {
		return done, placeError(s.Opt.Root, err)
	}
	defer root.Close()
	write := func(name, fresh string, edit func(text string) string) {
		changed := false
		if err == nil {
			changed, err = editFile(root, name, fresh, edit)
			err = placeError(filepath.Join(s.Opt.Root, name), err)
		}
		if changed {
			done = append(done, "wrote "+name)
		}
	}
	fresh := settingsText
	if kind.IsShared() { // a copy without git, such as a ZIP file, can then be told from an empty project
		fresh += "git: " + string(kind) + "\n"
	}
	write(settings.Name, fresh, func(text string) string {
		if isNamed {
			text = withKey(text, "git", string(kind))
		}
		return text
	})
	if pattern := s.attributes(); kind == disk.GitTracked && pattern != "" {
		write(".gitattributes", "", func(text string) string { return withLine(text, pattern) })
	}
	if err != nil || len(done) == 0 {
		return done, err
	}
	return append(done, s.explain()...), root.Sync()
}

func (s *Store) checkGit(kind disk.Git) error {
	switch {
	case kind != "" && !slices.Contains([]disk.Git{disk.GitNone, disk.GitTracked, disk.GitSynced}, kind):
		return fault.Invalid("use synced, tracked or none", "--git: unknown mode %q", kind)
	case kind.IsShared() && git.Top(s.Opt.Root) == "":
		return fault.Config("run `git init` first, or remove --git", "%s is not in a git work tree", s.Opt.Root)
	}
	return nil
}

// initDirs makes both directories, durably. Another kind than before has other rules for git.
func (s *Store) initDirs() error {
	c := s.newChange()
	defer c.close()
	if err := c.make(); err != nil {
		return err
	}
	if text, err := c.dir.Read(disk.GitIgnore, maxGitFile); err == nil &&
		(string(text) == ignoreAll || string(text) == ignoreDerived) {
		if err := c.dir.Remove(disk.GitIgnore); err != nil {
			return err
		}
	}
	return c.settle()
}

// attributes returns the line of .gitattributes with which git leaves documents as they are: ids are hashes of bytes.
func (s *Store) attributes() string {
	rel, err := filepath.Rel(s.Opt.Root, s.Opt.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	pattern := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(filepath.ToSlash(rel))
	if pattern += "/*.md"; strings.ContainsAny(pattern, " \t\"#") {
		pattern = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(pattern) + `"`
	}
	return pattern + " -text -filter -merge"
}

// explain says what the kind means.
func (s *Store) explain() []string {
	dir := s.RelPath("")
	switch s.Opt.Git {
	case disk.GitSynced:
		all := []string{"git ignores " + dir + "; all work trees of this clone share it",
			"`git clean -fdx` deletes it; `handoff sync` brings back what was synced"}
		if path, names, _ := s.Tracked(s.Opt.Dir); len(names) > 0 {
			all = append(all, "git keeps its files until you run `git rm -r --cached "+ShellQuote(path)+"`")
		}
		return all
	case disk.GitTracked:
		return []string{"commit " + dir + " with the code; each clone has its own copy"}
	}
	return nil
}

// editFile replaces the text of a file by the result of edit. If the file does not exist, edit gets fresh.
func editFile(d *disk.Dir, name, fresh string, edit func(text string) string) (changed bool, err error) {
	text, err := d.Read(name, maxGitFile)
	if errors.Is(err, fs.ErrNotExist) {
		return true, d.Replace(name, []byte(edit(fresh)), 0o644, true)
	}
	if errors.Is(err, fault.ErrIntegrity) {
		err = fault.Config("run `mv "+name+" "+name+".odd`", "%s is not a plain file", name)
	}
	if err != nil {
		return false, err
	}
	edited := edit(string(text))
	if edited == string(text) {
		return false, nil
	}
	if strings.HasSuffix(name, ".yaml") && !isYAML(edited) {
		return false, fault.Config("change it in an editor", "%s does not have a line for each key", name)
	}
	return true, d.Replace(name, []byte(edited), 0o644, true)
}

// isYAML reports whether a text has no faults. A line that is added to a mapping in braces is one.
func isYAML(text string) bool {
	_, faults := document.ReadYAML(form.Normal([]byte(text)), document.YAMLOptions{MaxBytes: maxGitFile,
		MaxNodes: maxGitFile})
	return len(faults) == 0
}

// withKey returns settings with a key set to a value, which must be a plain YAML scalar.
func withKey(text, key, value string) string {
	line, present := key+": "+value, regexp.MustCompile(`(?m)^`+key+`[ \t]*:.*$`)
	if present.MatchString(text) {
		return present.ReplaceAllLiteralString(text, line)
	}
	return withLine(text, line)
}

// withLine returns text with a line, which is appended if it is missing.
func withLine(text, line string) string {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == line {
			return text
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + line + "\n"
}
