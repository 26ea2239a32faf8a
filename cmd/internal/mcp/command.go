package mcp

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Command builds the command.
func Command(a *cli.App) *cobra.Command {
	var operator string
	cmd := &cobra.Command{
		Use: "mcp",
		Long: `Serve the handoffs of the project over the Model Context Protocol, on standard input and output: tools
handoff_list, handoff_read, handoff_write, handoff_reply, handoff_mark_read, handoff_take, handoff_done,
handoff_check and handoff_resume, whose arguments are named as the flags, and the resource handoff://{id}.
With --operator the server acts for that operator alone: it writes from nobody else, and refuses to mark,
take, end or resume for anybody else.`,
		Example: "  claude mcp add handoff -- handoff mcp --operator claude",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return Serve(cmd.Context(), a, operator) },
	}
	cmd.Flags().StringVar(&operator, "operator", "",
		"for whom alone the server acts (`operator`; default whomever a call names)")
	return cmd
}
