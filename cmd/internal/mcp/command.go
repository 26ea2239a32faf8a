package mcp

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands has the command.
var Commands = cli.Commands{"mcp": mcpCommand}

func mcpCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve handoffs to an agent over MCP",
		Long: `Serve the handoffs of the project over the Model Context Protocol, on standard
input and output. The tools are handoff_list, handoff_read, handoff_write,
handoff_reply, handoff_take, handoff_done, handoff_check and handoff_resume;
their arguments have the names of the flags. With --operator the server acts
only for that operator: it refuses to write, take, finish or resume for any
other.`,
		Example: `  claude mcp add handoff -- handoff mcp --operator claude`,
		RunE:    func(_ *cobra.Command, _ []string) error { return Serve(context.Background(), a, a.Who.Operator) },
	}
}
