package everyday

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func initCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Prepare a project; overwrites nothing",
		Long: `Prepare the project in the current directory (or --root): .handoff.yaml, the handoffs directory,
what git is to ignore (.gitignore: the state, locks, leftovers, backups), and INDEX*.md merge=union in
.gitattributes. What is there stays as it is.`,
		Args: Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cwd, err := a.Getwd()
			if err != nil {
				return err
			}
			if a.Flags.Root == "" {
				a.Flags.Root = cwd
			}
			_, s, err := a.NewStore()
			if err != nil {
				return err
			}
			if _, err := s.List(handoff.Filter{}); err != nil { // the place must be one that a store may have
				return err
			}
			done, err := s.Init()
			for _, did := range done {
				a.Note(did)
			}
			return err
		},
	}
}
