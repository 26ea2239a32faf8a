package command

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func operatorsTrustCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "trust",
		Short: "Accept OPERATORS.md as it is now",
		Long: `Accept OPERATORS.md, and the settings about operators, as they are now. It needs
a person at a terminal. Look at the difference first.

The file that you accepted last decides what others can do here: a checkout or a
pull changes no rights. The first command that changes something accepts the
file that it finds.`,
		Example: `  handoff operators trust`,
		Args:    cobra.NoArgs,
		RunE:    func(_ *cobra.Command, _ []string) error { return trust(a) },
	}
}

// trust accepts OPERATORS.md.
func trust(a *cli.App) error {
	s, err := operatorsStore(a)
	if err != nil {
		return err
	}
	list, err := s.Registry().Policy()
	if err != nil {
		return err
	}
	what := "OPERATORS.md with " + handoff.Count(len(list.All()), "operator")
	if list == nil {
		if !s.Registry().HasAccepted() {
			return cli.Invalid("run `handoff operators add NAME` first", "there is no OPERATORS.md")
		}
		what = "every name, since there is no OPERATORS.md"
	}
	if err := a.ByPerson("operators trust", "Accept "+what+"?"); err != nil {
		return err
	}
	if err := s.Registry().Trust(context.Background()); err != nil {
		return err
	}
	a.Committed()
	a.Note("accepted " + what)
	return nil
}

// operatorsStore returns the store for commands that need only the operators file of the project.
func operatorsStore(a *cli.App) (*handoff.Store, error) {
	p, s, err := a.NewStore()
	if _, statErr := os.Stat(p.Options.OperatorsFile); err == nil && errors.Is(statErr, fs.ErrNotExist) {
		err = p.Exists()
	}
	return s, err
}

func operatorsListCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the operators",
		Example: `  handoff operators list
  handoff operators list --json`,
		RunE: func(_ *cobra.Command, _ []string) error { return listOperators(a) },
	}
}

func listOperators(a *cli.App) error {
	s, err := operatorsStore(a)
	if err != nil {
		return err
	}
	list, err := s.Registry().Policy()
	if err == nil && list == nil {
		a.Note("there is no OPERATORS.md, so every name is accepted: `handoff operators add` creates it")
	}
	if err != nil || list == nil {
		return err
	}
	if a.JSON {
		return cli.JSONLines(a, list.All())
	}
	var rows [][]string
	for _, o := range list.All() {
		state := "active"
		if o.Offboarded(time.Now()) {
			state = "offboarded"
		}
		rows = append(rows, []string{o.ID, o.DisplayName, o.GitEmail, state})
	}
	for _, id := range list.Teams() {
		members, _ := list.Team(id)
		a.Note("team " + id + ": " + strings.Join(members, ", "))
	}
	return a.Print(a.Table("ID NAME EMAIL STATE", rows))
}

func operatorsVerifyCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "verify OPERATOR",
		Short:   "Show whether an operator is verified; exits with 3 if not",
		Example: `  handoff operators verify ben`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return verifyOperator(a, args) },
	}
}

func verifyOperator(a *cli.App, ops []string) error {
	operator := ops[0]
	s, err := operatorsStore(a)
	if err != nil {
		return err
	}
	status, err := s.Registry().Verify(operator)
	if err != nil {
		return err
	}
	err = a.Show(map[string]string{"operator": operator, "state": string(status.State), "reason": status.Reason},
		string(status.State)+"\n")
	if err == nil && status.Reason != "" {
		err = fault.Denied("", "%s", status.Reason)
	}
	return err
}

func operatorsValidateCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "validate [FILE]",
		Short:   "Show the faults of an operators file; exits with 2 if any",
		Example: `  handoff operators validate`,
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return validateOperators(a, args) },
	}
}

func validateOperators(a *cli.App, files []string) error {
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	path := p.Options.OperatorsFile
	text, err := s.Registry().Text()
	if len(files) > 0 || errors.Is(err, fs.ErrNotExist) {
		path = cmp.Or(strings.Join(files, ""), path)
		text, err = cli.ReadInput(path)
	}
	if err != nil {
		return err
	}
	if _, faults := handoff.ParseOperators(text); len(faults) > 0 {
		return &handoff.DocumentError{Name: path, Faults: faults}
	}
	a.Note(path + " is valid")
	return a.Show(map[string]string{"file_path": path}, "")
}

const operatorsHelp = `List, add and check the operators that handoffs can name.

OPERATORS.md in the project root lists them. If it exists, only they can send,
receive and take handoffs. Its frontmatter:

  ---
  schema_version: '1.0'
  operators:
    - id: ann
      display_name: Ann Example
      github_handle: ann-example
      git_email: ann@example.org
      capabilities: [human]
      active_since: 2026-01-01
      # active_until
      # require_signature: none or refuse
      # ssh_keys: [{key}]
  teams:
    web: [ann, ben]
  ---

Only id is required. With the capability archive you can archive handoffs of
others; with human you can take over what others hold. --to web stores a handoff
for each member of the team but you.

The file that you accepted last decides what others can do here. After you have
looked at a change, accept it with handoff operators trust.`
