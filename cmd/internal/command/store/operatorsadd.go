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
		Use: "add OPERATOR", Short: "Add an operator to OPERATORS.md",
		Long: `Add an operator to OPERATORS.md, or create the file. Existing entries stay as
they are. Once the file exists, only operators that it lists can send, receive
or take handoffs. An e-mail address and a GitHub handle are written only if you
give them.`,
		Example: "  handoff operators add ben --name 'Ben Example' --email ben@example.org --key ~/.ssh/id_ed25519.pub",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, ops []string) error {
			o.ID = ops[0]
			return a.addOperator(o, key)
		},
	}
	cmd.Flags().StringVar(&o.DisplayName, "name", "", "the display name (`text`; default: OPERATOR)")
	cmd.Flags().StringVar(&o.GitEmail, "email", "", "the git user.email (`address`) of the operator")
	cmd.Flags().StringVar(&o.GitHubHandle, "github", "", "the GitHub `handle`")
	cli.Texts(cmd.Flags(), &o.Capabilities, "capability", "a capability (`word`, such as approve; default: write)")
	cmd.Flags().StringVar(&key, "key", "", "the public SSH `key` for signatures, or its file")
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
	o.ActiveSince = a.Now().UTC().Format(time.DateOnly)
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
	if me := p.Me(); me != "" && s.Registry().Check(me) != nil {
		a.Note("you are not in " + listedIn(p) + ": run `handoff operators add " + me + "`")
	}
	return a.Did(o, "added "+o.ID+" to "+listedIn(p))
}
