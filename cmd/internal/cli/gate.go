package cli

import "github.com/spf13/cobra"

// A Gate is what the flags say about what may be written.
type Gate struct {
	Redact  bool
	Allow   []string
	Restore bool // what was pruned is stored again; only some commands have the flag
}

// RegisterRestore adds the flag to a command.
func (g *Gate) RegisterRestore(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.Restore, "restore", false, "store what was pruned too")
}

// Register adds the flags to a command.
func (g *Gate) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.Redact, "redact", false, "replace credentials by [redacted:RULE] instead of refusing them")
	Texts(cmd.Flags(), &g.Allow, "allow-secret", "let what meets this `rule` of the secret scan through, audited")
}
