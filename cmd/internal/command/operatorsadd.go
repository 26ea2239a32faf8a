package command

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type operatorsAddFlags struct{ Name, Email, Key string }

func operatorsAddCommand(a *cli.App) *cobra.Command {
	f := &operatorsAddFlags{}
	cmd := &cobra.Command{
		Use:   "add OPERATOR",
		Short: "Add an operator to OPERATORS.md",
		Long: `Add an operator to OPERATORS.md, or create the file. Existing entries stay as
they are. Once the file exists, only operators that it lists can send, receive
or take handoffs. Add other keys, such as capabilities, in the file.`,
		Example: `  handoff operators add ben --email ben@example.org --key ~/.ssh/id_ed25519.pub`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return addOperator(a, f, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Name, "name", "", "the display name (`text`; default: OPERATOR)")
	flags.StringVar(&f.Email, "email", "", "the git user.email (`address`) of the operator")
	flags.StringVar(&f.Key, "key", "", "the public SSH `key` for signatures, or its file")
	return cmd
}

func addOperator(a *cli.App, f *operatorsAddFlags, ops []string) error {
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	o := handoff.Operator{ID: ops[0], DisplayName: cmp.Or(f.Name, ops[0]), GitEmail: f.Email,
		Capabilities: []string{"write"}, ActiveSince: a.Now().UTC().Format(time.DateOnly)}
	if key := f.Key; key != "" {
		if _, err := os.Stat(key); err == nil {
			text, err := cli.ReadInput(key)
			if err != nil {
				return err
			}
			key = string(text)
		}
		o.SSHKeys = []handoff.SSHKey{{Key: strings.TrimSpace(key)}}
	}
	if err := s.Registry().Add(context.Background(), o); err != nil {
		return err
	}
	if me := p.Me(); me != "" && s.Registry().Check(me) != nil {
		a.Note("you are not in " + p.Options.OperatorsFile + ": run `handoff operators add " + me + "`")
	}
	return a.Did(o, "added "+o.ID+" to "+p.Options.OperatorsFile)
}
