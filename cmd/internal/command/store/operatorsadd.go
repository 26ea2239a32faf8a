package store

import (
	"cmp"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func (a *app) addOperatorCommand() *cobra.Command {
	var o handoff.Operator
	var key string
	cmd := &cobra.Command{
		Use: "add OPERATOR", Short: "Add somebody to OPERATORS.md, or begin it",
		Long: `Add an entry to the operators file; what is there stays as it is. An e-mail address and a GitHub handle are only
written if you name them.
Once the file is there, only who it lists may be named in handoffs.`,
		Example: "  handoff operators add ben --name 'Ben Example' --email ben@example.org --key ~/.ssh/id_ed25519.pub",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, ops []string) error {
			o.ID = ops[0]
			return a.addOperator(o, key)
		},
	}
	cmd.Flags().StringVar(&o.DisplayName, "name", "", "what people call them (`text`; default the operator)")
	cmd.Flags().StringVar(&o.GitEmail, "email", "", "their git user.email (`address`), by which git knows them")
	cmd.Flags().StringVar(&o.GitHubHandle, "github", "", "their `handle` on GitHub")
	cli.Texts(cmd.Flags(), &o.Capabilities, "capability", "what they may do (`word`, such as approve; default write)")
	cmd.Flags().StringVar(&key, "key", "", "the SSH public `key` that they sign with, or its file")
	return cmd
}

func (a *app) addOperator(o handoff.Operator, key string) error {
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	o.DisplayName = cmp.Or(o.DisplayName, o.ID)
	if len(o.Capabilities) == 0 {
		o.Capabilities = []string{"write"}
	}
	now := time.Now
	if p.Options.Now != nil {
		now = p.Options.Now
	}
	o.ActiveSince = now().UTC().Format(time.DateOnly)
	if key != "" {
		if _, err := os.Stat(key); err == nil {
			text, err := cli.ReadInput(key)
			if err != nil {
				return err
			}
			key = string(text)
		}
		o.SSHKeys = []handoff.SSHKey{{Key: strings.TrimSpace(key)}}
	}
	if err := s.Registry().Add(o); err != nil {
		return err
	}
	return a.Did(o, o.ID+" is in "+listedIn(p))
}
