package everyday

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

const settingsText = `# Settings of handoff; every key may be left out. See handoff(1).
# handoffs_dir: handoffs
# operator: YOU
`

func initCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Prepare a project; overwrites nothing",
		Long: `Prepare the project in the current directory (or --root): .handoff.yaml, the handoffs directory,
.run/ in .gitignore, and INDEX*.md merge=union in .gitattributes. What is there stays as it is.`,
		Args: Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cwd, err := a.Getwd()
			if err != nil {
				return err
			}
			if a.Flags.Root == "" {
				a.Flags.Root = cwd
			}
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			if _, err := s.List(handoff.Filter{}); err != nil { // the place must be one that a store may have
				return err
			}
			return a.initProject(p, s)
		},
	}
}

func (a *App) initProject(p handoff.Project, s *handoff.Store) error {
	steps := []struct {
		name string
		do   func(string) (bool, error)
	}{
		{handoff.SettingsName, func(path string) (bool, error) { return createFile(path, settingsText) }},
		{".gitignore", func(path string) (bool, error) { return addLine(path, ".run/") }},
		{".gitattributes", func(path string) (bool, error) { return addLine(path, "INDEX*.md merge=union") }},
	}
	made, err := s.MakeDir()
	if err != nil {
		return &handoff.Error{Class: handoff.ErrConfig, Problem: err.Error(), Cause: err}
	}
	if made {
		a.Note("made " + s.Dir())
	}
	for _, step := range steps {
		changed, err := step.do(filepath.Join(p.Root, step.name))
		if err != nil {
			return &handoff.Error{Class: handoff.ErrConfig, Problem: err.Error(), Cause: err}
		}
		if changed {
			a.Note("wrote " + step.name)
		}
	}
	return nil
}

func createFile(path, text string) (bool, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.WriteString(text)
	return true, errors.Join(err, f.Close())
}

// addLine appends a line to a file that does not have it. A symbolic link is left alone.
func addLine(path, line string) (bool, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is not a regular file", path)
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	for have := range strings.Lines(string(text)) {
		if strings.TrimSpace(have) == line {
			return false, nil
		}
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		line = "\n" + line
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return false, err
	}
	_, err = f.WriteString(line + "\n")
	return true, errors.Join(err, f.Close())
}
