package handoff

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

const (
	settingsText = `# Settings of handoff; every key may be left out. See handoff(1).
# handoffs_dir: handoffs
# operator: YOU
`
	maxGitFile = 1 << 20 // of .gitignore and .gitattributes
)

// ignoredNames are those in a handoffs directory that belong to one machine, or to a moment.
var ignoredNames = []string{".INDEX*", layout.Intent, "intent-*", ".staging/", ".tmp-*", "INDEX*.md.*", layout.Quarantine + "*"}

// Init prepares the project of the store: the handoffs directory, .handoff.yaml, and what git is to ignore and to merge
// line by line. What is there stays as it is, and lines that are missing are added. Whatever it returns, run again it
// completes what was interrupted. done says what it did; it is on disk then, and what root made belongs to the owner of
// the project. Errors are ErrConfig.
func (s *Store) Init() (done []string, err error) {
	defer func() { err = fault.Explain(err, "the project is not prepared", "run the command again") }()
	made, err := s.makeDir()
	if err != nil {
		return nil, err
	}
	if made {
		done = append(done, "made "+s.opt.Dir)
	}
	_, root, err := store.Locate(s.opt.Root)
	if err != nil || root == nil {
		return done, store.PlaceError(s.opt.Root, errors.Join(err, fs.ErrNotExist))
	}
	defer root.Close()
	for _, step := range []struct {
		name string
		do   func(name string) (bool, error)
	}{
		{SettingsName, func(name string) (bool, error) { return createFile(root, name, settingsText) }},
		{layout.GitIgnore, func(name string) (bool, error) { return addLines(root, name, s.ignoreLines()) }},
		{".gitattributes", func(name string) (bool, error) { return addLines(root, name, []string{"INDEX*.md merge=union"}) }},
	} {
		changed, err := step.do(step.name)
		if err != nil {
			return done, store.PlaceError(filepath.Join(s.opt.Root, step.name), err)
		}
		if changed {
			done = append(done, "wrote "+step.name)
		}
	}
	return done, root.Sync()
}

// makeDir makes the handoffs directory where it is missing. Who made it before may have died before it was on disk.
func (s *Store) makeDir() (made bool, err error) {
	d, err := s.at.OpenPlace(s.opt.Dir)
	if made = err == nil && d == nil; made {
		d, err = s.at.MakePlace(s.opt.Dir, 0o755)
	}
	if err != nil {
		return false, err
	}
	defer d.Close()
	root, err := store.Resolve(s.opt.Root)
	if err != nil {
		return false, err
	}
	return made, durable.SyncParents(d.Path(), root)
}

// ignoreLines are the lines of .gitignore. The state directory has a .gitignore of its own besides.
func (s *Store) ignoreLines() []string {
	lines := []string{layout.StateDir + "/"}
	rel, err := filepath.Rel(s.opt.Root, s.opt.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return lines
	}
	base := "/"
	if rel != "." {
		base += strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(filepath.ToSlash(rel)) + "/"
	}
	for _, name := range ignoredNames {
		lines = append(lines, base+name)
	}
	return lines
}

// createFile makes a file that is not there yet.
func createFile(d *durable.Dir, name, text string) (made bool, err error) {
	staged, err := d.Stage([]byte(text), 0o644)
	if err != nil {
		return false, err
	}
	defer staged.Discard()
	if err := staged.Publish(name); !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	return false, nil
}

// addLines adds those lines that a file lacks at its end, and makes the file if it is not there.
func addLines(d *durable.Dir, name string, lines []string) (changed bool, err error) {
	text, err := d.ReadFile(name, maxGitFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	have := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		have[strings.TrimSpace(line)] = true
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	for _, line := range lines {
		if !have[line] {
			text, changed = append(text, line+"\n"...), true
		}
	}
	if !changed {
		return false, nil
	}
	return true, d.Replace(name, text, 0o644)
}
