package everyday

import "github.com/spf13/cobra"

// A Gate is what the flags say about credentials in what is written.
type Gate struct {
	Redact bool
	Allow  []string
}

// Register adds the flags to a command.
func (g *Gate) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.Redact, "redact", false, "replace credentials by [redacted:RULE] instead of refusing them")
	Texts(cmd.Flags(), &g.Allow, "allow-secret", "let what meets this `rule` of the secret scan through, audited; may be repeated")
}
