package store

import (
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

type trustFlags struct{ Yes bool }

func operatorsTrustCommand(a *cli.App) *cobra.Command {
	f := &trustFlags{}
	cmd := &cobra.Command{
		Use:   "trust OPERATOR",
		Short: "Accept the keys that OPERATORS.md lists for an operator",
		Long: `Accept the keys that OPERATORS.md now lists for an operator. Keys are pinned
when they are first seen. If the file later lists other keys, handoffs that
these sign are withheld until you accept them. Make sure first that they are
right.`,
		Example:           `  handoff operators trust ben`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.CompleteOperators,
		RunE:              func(_ *cobra.Command, args []string) error { return trust(a, f, args) },
	}
	cmd.Flags().BoolVar(&f.Yes, "yes", false, "do not ask on a terminal")
	return cmd
}

// trust accepts the keys that OPERATORS.md lists for an operator.
func trust(a *cli.App, f *trustFlags, ops []string) error {
	operator := ops[0]
	s, err := operatorsStore(a)
	if err != nil {
		return err
	}
	if !f.Yes && (!a.CanAsk() || !a.Confirm("Are the keys of "+operator+" in OPERATORS.md right?")) {
		return cli.Invalid("make sure that the keys are right, then answer y, or add --yes", "nothing was changed")
	}
	done, err := s.Registry().Trust(context.Background(), operator)
	if err != nil {
		return err
	}
	return a.Did(trusted{done.OperatorID, done.Keys, done.FirstSight, done.By},
		"the keys of "+operator+" are trusted now")
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
		team, _ := list.Team(id)
		a.Note("team " + id + ": " + strings.Join(team.Members, ", "))
	}
	return a.Print(a.Table("ID NAME EMAIL STATE", rows))
}

func operatorsVerifyCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "verify OPERATOR",
		Short:             "Show whether an operator is verified; exits with 3 if not",
		Example:           `  handoff operators verify ben`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.CompleteOperators,
		RunE:              func(_ *cobra.Command, args []string) error { return verifyOperator(a, args) },
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
	path, read := p.Options.OperatorsFile, s.Registry().Text
	if len(files) == 1 {
		path, read = files[0], func() ([]byte, error) { return cli.ReadInput(files[0]) }
	}
	text, err := read()
	if errors.Is(err, fs.ErrNotExist) {
		err = cli.InputError(path, err)
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

// trusted holds the trusted keys of an operator in JSON.
type trusted struct {
	Operator   string   `json:"operator"`
	Keys       []string `json:"keys"`
	FirstSight bool     `json:"first_sight"`
	By         string   `json:"trusted_by,omitempty"`
}
