package whole

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
)

func manCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Long:    "Write the man pages, one for each command, into a directory. `man -l DIR/handoff.1` shows the first.",
		Example: "  handoff man ~/.local/share/man/man1",
		Args:    everyday.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, dirs []string) error {
			err := os.MkdirAll(dirs[0], 0o755)
			if err == nil {
				err = WriteManPages(dirs[0])
			}
			if err != nil {
				return everyday.OutputError(dirs[0], err)
			}
			if !a.JSON {
				return nil
			}
			pages, err := filepath.Glob(filepath.Join(dirs[0], "*.1"))
			if err != nil {
				return err
			}
			return a.PrintJSON(map[string]any{"directory": dirs[0], "files": len(pages)})
		},
	}
}

// WriteManPages writes the man pages of all commands into a directory that is there. The same program writes the same bytes.
func WriteManPages(dir string) error {
	root := everyday.Root(Program())
	root.DisableAutoGenTag = true
	root.InitDefaultCompletionCmd()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "handoff", Manual: "Handoff Manual", Date: &day}, dir)
}
