package everyday

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func initCommand(a *App) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Prepare a project; overwrites nothing",
		Long: `Prepare the project in the current directory (or --root): .handoff.yaml, the handoffs directory, and
for git what it is to ignore (.gitignore) and how it merges (.gitattributes). What is there stays as it
is. --git says how the handoffs live with git:

  synced   git ignores them; all work trees of the repository use those of the main one. What a new
           project in a git work tree gets.
  tracked  they are committed with the code; each clone and each work tree has its own copy, and
           git merges them.
  none     git is told nothing but what to ignore of one machine: there is one place.

Run with another kind, it changes what it wrote for the former one, and moves no handoff.`,
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
			done, err := s.Init(handoff.Git(kind))
			for _, did := range done {
				a.Note(did)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&kind, "git", "", "how the handoffs live with git: `KIND` is synced, tracked or none")
	return cmd
}
