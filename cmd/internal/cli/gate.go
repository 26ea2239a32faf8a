package cli

import "github.com/spf13/cobra"

// A Gate holds the flags for credentials and pruned handoffs.
type Gate struct {
	Redact  bool
	Allow   []string
	Restore bool // store pruned handoffs again; not all commands have the flag
}

// RegisterRestore adds the flag to a command.
func (g *Gate) RegisterRestore(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.Restore, "restore", false, "store pruned handoffs again")
}

// Register adds the flags to a command.
func (g *Gate) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.Redact, "redact", false,
		"replace credentials by [redacted:RULE] instead of refusing the text")
	Texts(cmd.Flags(), &g.Allow, "allow-secret", "accept credentials that match this `rule`; audited")
}
