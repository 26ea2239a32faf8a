package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func operatorsCommand(a *app) *cobra.Command {
	return cli.Below(&cobra.Command{
		Use:   "operators",
		Short: "List, add, check and trust operators",
		Long: `List, add and check the operators that handoffs can name. They are listed in
OPERATORS.md in the project root. Its frontmatter:

  ---
  schema_version: '1.0'
  operators:
    - id: ann
      display_name: Ann Example
      github_handle: ann-example
      git_email: ann@example.org
      capabilities: [human, approve]
      active_since: 2026-01-01
      # active_until, gpg_key_fingerprint, ssh_keys: [{key, valid_after, valid_before}],
      # require_signature: none, flag or refuse
  policies:
    - {from: deploy-bot, to: '*', approve: required}
  teams:
    - {id: web, members: [ann, ben]}
  ---

Three capabilities have a meaning. With approve you can approve and reject
handoffs from others. With archive you can archive handoffs of others. human
means that the operator is a person; the count of max_hops starts over with
each handoff from a person.

The first policy that matches sender and recipient decides whether a handoff
needs an approval. * matches every operator; approve is required or none. A
sender can also ask for it with --ref approve:required.

--to web stores a handoff for each member of the team web, but not for you. A
member that has left gets none.`,
	},
		&cobra.Command{
			Use: "list", Short: "List the operators", Args: cli.Args(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error { return a.listOperators() },
		},
		&cobra.Command{
			Use: "verify OPERATOR", Short: "Show whether an operator is verified; exits with 3 if not",
			Args: cli.Args(cobra.ExactArgs(1)), ValidArgsFunction: a.CompleteOperators,
			RunE: func(_ *cobra.Command, ops []string) error { return a.verifyOperator(ops[0]) },
		},
		&cobra.Command{
			Use: "validate [FILE]", Short: "Show the faults of an operators file; exits with 2 if any",
			Args: cli.Args(cobra.MaximumNArgs(1)),
			RunE: func(_ *cobra.Command, files []string) error { return a.validateOperators(files) },
		},
		a.addOperatorCommand(),
		a.trustCommand(),
	)
}

func (a *app) trustCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "trust OPERATOR", Short: "Accept the keys that OPERATORS.md lists for an operator",
		Long: `Accept the keys that OPERATORS.md now lists for an operator. Keys are pinned
when they are first seen. If the file later lists other keys, handoffs that
these sign are withheld until you accept them. Make sure first that they are
right. Keys that are no longer listed are then revoked.

An old key can also vouch for the new ones by signing the file: ` + "`" + `ssh-keygen -Y
sign -n ` + handoff.OperatorsNamespace + ` -f OLD_KEY OPERATORS.md` + "`" + `.`,
		Args: cli.Args(cobra.ExactArgs(1)), ValidArgsFunction: a.CompleteOperators,
		RunE: func(_ *cobra.Command, ops []string) error { return a.trust(ops[0], yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask on a terminal")
	return cmd
}

func (a *app) trust(operator string, yes bool) error {
	s, err := a.operatorsStore()
	if err != nil {
		return err
	}
	if !yes && (!a.CanAsk() || !a.Confirm("Are the keys of "+operator+" in OPERATORS.md right?")) {
		return cli.Invalid("make sure that the keys are right, then answer y, or add --yes", "nothing was changed")
	}
	done, err := s.Registry().Trust(context.Background(), operator)
	if err != nil {
		return err
	}
	return a.Did(trusted{done.OperatorID, done.Keys, done.Former, done.FirstSight, done.By},
		"the keys of "+operator+" are trusted now")
}

// operatorsStore returns the store for commands that need only the operators file of the project.
func (a *app) operatorsStore() (*handoff.Store, error) {
	p, s, err := a.NewStore()
	if _, statErr := os.Stat(listedIn(p)); err == nil && errors.Is(statErr, fs.ErrNotExist) {
		err = p.Exists()
	}
	return s, err
}

// listedIn returns the path of the operators file that the commands use.
func listedIn(p handoff.Project) string { return cmp.Or(p.Options.ListedIn, p.Options.OperatorsFile) }

func (a *app) listOperators() error {
	s, err := a.operatorsStore()
	if err != nil {
		return err
	}
	list, err := s.Registry().Listed()
	if err == nil && list == nil {
		a.Note("there is no OPERATORS.md, so every name is accepted: `handoff operators add` creates it")
	}
	if err != nil || list == nil {
		return err
	}
	var rows [][]string
	for _, o := range list.All() {
		if a.JSON {
			if err := a.PrintJSON(o); err != nil {
				return err
			}
			continue
		}
		state := "active"
		if o.Offboarded(time.Now()) {
			state = "offboarded"
		}
		rows = append(rows, []string{o.ID, o.DisplayName, o.GitEmail, state})
	}
	if a.JSON {
		return nil
	}
	for _, id := range list.Teams() {
		team, _ := list.Team(id)
		a.Note("team " + id + ": " + strings.Join(team.Members, ", "))
	}
	_, err = fmt.Fprint(a.Stdout, handoff.Table(cli.TerminalWidth(a.Stdout), []string{"ID", "NAME", "EMAIL", "STATE"},
		rows))
	return err
}

func (a *app) verifyOperator(operator string) error {
	s, err := a.operatorsStore()
	if err != nil {
		return err
	}
	status, err := s.Registry().VerifyListed(operator)
	if err != nil {
		return err
	}
	err = a.Show(map[string]string{"operator": operator, "state": string(status.State), "reason": status.Reason},
		string(status.State)+"\n")
	if err == nil && status.Reason != "" {
		err = cli.Denied("", "%s", status.Reason)
	}
	return err
}

func (a *app) validateOperators(files []string) error {
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	path, read := listedIn(p), s.Registry().ListedText
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
	if a.JSON {
		return a.PrintJSON(map[string]string{"file_path": path})
	}
	return nil
}

// trusted holds the trusted keys of an operator in JSON.
type trusted struct {
	Operator   string   `json:"operator"`
	Keys       []string `json:"keys"`
	Former     []string `json:"former_keys"`
	FirstSight bool     `json:"first_sight"`
	By         string   `json:"trusted_by,omitempty"`
}
