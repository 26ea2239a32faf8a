package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

const (
	settingsText = `# Settings of handoff; every key may be left out. See handoff(1).
# handoffs_dir: handoffs
# operator: YOU
`
	maxGitFile = 1 << 20 // for .gitignore and .gitattributes
)

// ignoredNames are the patterns of files in a handoffs directory that are temporary or belong to one machine.
var ignoredNames = []string{".INDEX*", ".tmp-*", "INDEX*.md.*", disk.Quarantine + "*"}

// Init implements Store.Init of package handoff.
func Init(at *Store, kind disk.Git) (done []string, err error) {
	s := preparing{at}
	defer func() { err = fault.Explain(err, "the project is not ready", "repeat the command") }()
	kind, says, err := s.chooseGit(kind)
	moves := kind == disk.GitSynced && s.Opt.Git != disk.GitSynced && IsThere(filepath.Join(s.Opt.Dir, disk.IndexFile))
	if err != nil {
		return nil, err
	}
	made, err := s.makeDir()
	if err != nil {
		return nil, err
	}
	if made {
		done = append(done, "made "+s.Opt.Dir)
	}
	_, root, err := Locate(s.Opt.Root)
	if err != nil || root == nil {
		return done, PlaceError(s.Opt.Root, errors.Join(err, fs.ErrNotExist))
	}
	defer root.Close()
	wrote := false
	for _, step := range []struct {
		name, fresh string
		edit        func(text string) string
	}{
		{settings.Name, settingsText, func(text string) string {
			if says {
				text = withKey(text, "git", string(kind))
			}
			return text
		}},
		{disk.GitIgnore, "", func(text string) string { return s.ignoring(text, kind) }},
		{".gitattributes", "", func(text string) string { return s.attributing(text, kind) }},
	} {
		changed, err := editFile(root, step.name, step.fresh, step.edit)
		if err != nil {
			return done, PlaceError(filepath.Join(s.Opt.Root, step.name), err)
		}
		if wrote = wrote || changed; changed {
			done = append(done, "wrote "+step.name)
		}
	}
	if kind.IsShared() && wrote {
		done = append(done, "commit these files, so that all clones do the same")
	}
	return append(done, s.explainGit(kind, says, moves)...), root.Sync()
}

// A preparing is one run of Init.
type preparing struct{ *Store }

// makeDir makes the handoffs directory if it is missing. It syncs the directory even if it exists, since a
// killed process may have made it.
func (s preparing) makeDir() (made bool, err error) {
	d, err := s.OpenPlace(s.Opt.Dir)
	if made = err == nil && d == nil; made {
		d, err = s.MakePlace(s.Opt.Dir, 0o755)
	}
	if err != nil {
		return false, err
	}
	defer d.Close()
	root, err := Resolve(s.Opt.Root)
	if err != nil {
		return false, err
	}
	return made, disk.SyncParents(root, d.Path())
}

// editFile replaces the text of a file by the result of edit. If the file does not exist, edit gets fresh.
func editFile(d *disk.Dir, name, fresh string, edit func(text string) string) (changed bool, err error) {
	text, err := d.ReadFile(name, maxGitFile)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return false, err
	}
	if absent {
		err := d.CreateNew(name, []byte(edit(fresh)), 0o644)
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		return err == nil, err
	}
	edited := edit(string(text))
	if edited == string(text) {
		return false, nil
	}
	if strings.HasSuffix(name, ".yaml") && !isYAML(edited) {
		return false, fault.Config("change it in an editor", "%s does not have a line for each key", name)
	}
	return true, d.Replace(name, []byte(edited), 0o644)
}

// isYAML reports whether a text has no faults. A line that is added to a mapping in braces is one.
func isYAML(text string) bool {
	_, faults := document.ReadYAML(form.Normal([]byte(text)), document.YAMLOptions{MaxBytes: maxGitFile,
		MaxNodes: maxGitFile})
	return len(faults) == 0
}
