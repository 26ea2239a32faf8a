package whole

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/cmd/internal/mcp"
)

func mcpCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "mcp",
		Long: `Serve the handoffs of the project over the Model Context Protocol, on standard input and output: tools
handoff_list, handoff_read, handoff_write, handoff_reply, handoff_mark_read, handoff_check and
handoff_resume, whose arguments are named as the flags, and the resource handoff://{id}.`,
		Example: "  claude mcp add handoff -- handoff mcp",
		Args:    everyday.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return mcp.Serve(cmd.Context(), a.App) },
	}
}
