package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type initFlags struct {
	Git    string
	Global bool
	Yes    bool
}

func initCommand(a *cli.App) *cobra.Command {
	f := &initFlags{}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set up a project, and say who you are",
		Long: `Set up a project in the current directory, and say who you are.

init makes .handoff.yaml and the handoffs directory, and overwrites nothing. On
a terminal it asks who you are and what git does with the handoffs; --yes
accepts the proposals. You need no init in a clone that has handoffs.

With --operator init keeps your name for this clone, with --global for all your
projects. --git is one of:

  synced   git ignores the handoffs, and all work trees of a clone share them;
           handoff sync exchanges them with other clones (the default in git)
  tracked  you commit the handoffs with the code; each clone has its own copy
  none     the handoffs stay in this directory

You can run init again, with another name or kind. It moves no handoff.`,
		Example: `  handoff init
  handoff init --yes --operator ann --git tracked`,
		RunE: func(_ *cobra.Command, _ []string) error { return setUp(a, f) },
	}
	flags := cmd.Flags()
	flags.Var(cli.Choice(&f.Git, "synced", "tracked", "none"), "git", "what git does with the handoffs "+
		"(`kind`): synced, tracked, none")
	flags.BoolVar(&f.Global, "global", false, "with --operator: you have that name in all projects")
	flags.BoolVarP(&f.Yes, "yes", "y", false, "do not ask")
	cli.Needs(cmd, "global", "operator")
	return cmd
}

// setUp sets up the project, and records the operator if there is one.
func setUp(a *cli.App, f *initFlags) error {
	operator, kind := a.Who.Operator, f.Git
	a.Who.Operator = "" // its name before counts too
	cwd, err := a.Getwd()
	if err != nil {
		return err
	}
	if a.Flags.Root == "" {
		a.Flags.Root = cwd
	}
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	if kind == "" {
		_, err = s.List(handoff.Filter{}) // fails if the directory cannot hold a store
	}
	if err != nil {
		return err
	}
	if a.CanAsk() && !f.Yes && !a.Quiet {
		if operator, kind, err = askSetUp(a, p, operator, kind); err != nil {
			return err
		}
	}
	if operator != "" {
		_, err = s.Registry().Meant(operator)
		if err = cmp.Or(handoff.CheckOperator(operator), err, s.Registry().Check(operator)); err != nil {
			return err
		}
	}
	if kind == "" && !p.HasFile && handoff.InGit(p.Root) {
		kind = string(handoff.GitSynced) // recorded, so that a copy without git is recognized
	}
	done, err := s.Maintenance().Init(handoff.Git(kind))
	if err == nil && operator != "" {
		did, wrong := setOperator(a, p, s, operator, f.Global)
		if err = wrong; err == nil {
			done = append(done, did)
		}
	}
	for _, did := range done {
		a.Note(did)
	}
	if err == nil && cmp.Or(operator, p.Me()) == "" {
		a.Note("I don't know who you are: run `handoff init --operator NAME`")
	}
	if err != nil {
		return err
	}
	return a.Show(handoff.RepairReport{Done: append([]string{}, done...)}, "")
}

// setOperator records who the user is, in this clone or in all projects, and returns what has changed.
func setOperator(a *cli.App, p handoff.Project, s *handoff.Store, operator string, global bool) (did string,
	err error) {
	did = "you are " + operator + " in this clone"
	if global {
		did = "you are " + operator + " in all projects, as " + p.User.File() + " says"
		err = handoff.SetUser(p.User, "operator", operator)
	} else {
		err = s.Registry().SetOperator(operator)
	}
	if err != nil {
		return "", err
	}
	if p, _, err = a.NewStore(); err == nil && p.Me() != operator {
		did += "; but here you are still " + p.Me() + " (" + p.Identity().Source + ")"
	}
	return did, err
}

// askSetUp asks for the values that no flag gives.
func askSetUp(a *cli.App, p handoff.Project, operator, kind string) (_, _ string, err error) {
	for operator == "" && err == nil {
		proposed := cmp.Or(p.Me(), handoff.OperatorFrom(cmp.Or(a.Getenv("USER"), a.Getenv("USERNAME"))))
		if operator, err = askLine(a, "Who are you? A short name, as others write it in --to",
			proposed); handoff.CheckOperator(operator) != nil {
			a.Note("use 1 to 64 ASCII letters, digits, _ and -")
			operator = ""
		}
	}
	words := []handoff.Git{handoff.GitSynced, handoff.GitTracked, handoff.GitNone}
	if kind != "" || err != nil || p.HasFile || !handoff.InGit(p.Root) {
		words = nil
	} else {
		fmt.Fprint(a.Stderr, "What should git do with the handoffs?\n"+
			"  synced   ignore them; handoff sync exchanges them\n"+
			"  tracked  commit them with the code\n  none     nothing\n")
	}
	for !slices.Contains(words, handoff.Git(kind)) && words != nil && err == nil {
		kind, err = askLine(a, "synced, tracked or none", string(words[0]))
	}
	return operator, kind, err
}

// askLine asks a question and reads one line. An empty line accepts the proposal.
func askLine(a *cli.App, question, proposed string) (string, error) {
	line, err := a.Ask(question + strings.TrimSuffix(" ["+proposed+"]", " []") + ": ")
	if err == io.EOF {
		fmt.Fprintln(a.Stderr)
		return "", cli.Invalid("add --yes to accept the proposals", "no answer; nothing was changed")
	}
	return cmp.Or(line, proposed), err
}
