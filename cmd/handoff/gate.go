package main

import "github.com/spf13/cobra"

// A gate is what the flags say about credentials in what is written.
type gate struct {
	redact bool
	allow  []string
}

func (g *gate) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.redact, "redact", false, "replace credentials by [redacted:RULE] instead of refusing them")
	cmd.Flags().StringArrayVar(&g.allow, "allow-secret", nil, "let what meets this `rule` of the secret scan through, audited; may be repeated")
}
