package inbox

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Command builds the command.
func Command(a *cli.App) *cobra.Command {
	var operator string
	cmd := &cobra.Command{
		Use: "inbox",
		Long: `Look at handoffs on the whole terminal: a list with filter and search beside the one that is chosen. Keys
open, take, end, answer, supersede and archive it, mark it as read, show its thread and copy its id;
? shows them all. New handoffs appear as they come. Without a command, handoff does the same on a terminal in a project.

Everything is shown as text: no body can steer the terminal. NO_COLOR turns colours off.`,
		Example: "  handoff inbox\n  handoff inbox --operator ben",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return Run(a, operator, func(stdin io.Reader, stdout, stderr io.Writer, me, verb, id string) error {
				return a.Again(stdin, stdout, stderr, me, verb, id)
			})
		},
	}
	a.OperatorFlag(cmd, &operator)
	return cmd
}
