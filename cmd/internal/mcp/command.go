package mcp

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Command returns the command.
func Command(a *cli.App) *cobra.Command {
	var operator string
	cmd := &cobra.Command{
		Use: "mcp",
		Long: `Serve the handoffs of the project over the Model Context Protocol, on standard
input and output. The tools are handoff_list, handoff_next, handoff_search,
handoff_read, handoff_write, handoff_reply, handoff_mark_read, handoff_take,
handoff_release, handoff_done, handoff_check and handoff_resume; their
arguments have the names of the flags. The resource is handoff://{id}. With
--operator the server acts only for that operator: it refuses to write, mark,
take, finish or resume for any other. In a store that has synced, next, take,
release, done and resume ask the remote, for 5 seconds at most; with the
argument offline they do not.`,
		Example: "  claude mcp add handoff -- handoff mcp --operator claude",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return Serve(cmd.Context(), a, operator) },
	}
	cmd.Flags().StringVar(&operator, "operator", "",
		"act only for this `operator` (default: the one that a call names)")
	return cmd
}
