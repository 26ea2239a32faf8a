package inbox

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Command returns the command.
func Command(a *cli.App) *cobra.Command {
	var operator string
	cmd := &cobra.Command{
		Use: "inbox",
		Long: `Browse and handle handoffs, full screen: a list with filter and search, and
the chosen handoff next to it. Keys open, take, finish, reply to, supersede
and archive it, mark it as read, show its thread and copy its id; ? lists them
all. New handoffs appear as they arrive. On a terminal in a project, handoff
without a command opens the inbox too.

Everything is shown as text: no body can control the terminal. NO_COLOR turns
colors off.`,
		Example: "  handoff inbox\n  handoff inbox --operator ben",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return Run(a, operator, func(stdin io.Reader, stdout, stderr io.Writer, me, verb, id string) error {
				return a.Again(stdin, stdout, stderr, me,
					slices.DeleteFunc([]string{verb, id}, func(arg string) bool { return arg == "" })...)
			})
		},
	}
	a.OperatorFlag(cmd, &operator)
	return cmd
}
