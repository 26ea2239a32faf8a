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

var gitKinds = []string{string(handoff.GitSynced), string(handoff.GitTracked), string(handoff.GitNone)}

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
	flags.Var(cli.Choice(&f.Git, gitKinds...), "git", "what git does with the handoffs "+
		"(`kind`): synced, tracked, none")
	flags.BoolVar(&f.Global, "global", false, "with --operator: you have that name in all projects")
	flags.BoolVarP(&f.Yes, "yes", "y", false, "do not ask")
	cli.Needs(cmd, "global", "operator")
	return cmd
}

// setUp sets up the project, and records the operator if there is one.
func setUp(a *cli.App, f *initFlags) error {
	operator, asks := a.Who.Operator, a.CanAsk() && !f.Yes && !a.Quiet
	a.Who.Operator = "" // its name before counts too
	cwd, err := a.Getwd()
	if err != nil {
		return err
	}
	a.Flags.Root = cmp.Or(a.Flags.Root, cwd)
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	if asks {
		if err := f.ask(a, p, s, &operator); err != nil {
			return err
		}
	}
	if operator != "" {
		if err := cmp.Or(s.Registry().CheckNew(operator), s.Registry().Check(operator)); err != nil {
			return err
		}
	}
	if f.Git == "" && !p.HasFile && handoff.InGit(p.Root) {
		f.Git = string(handoff.GitSynced) // recorded, so that a copy without git is recognized
	}
	done, err := s.Maintenance().Init(handoff.Git(f.Git))
	if err == nil && operator != "" {
		var did string
		did, err = setOperator(a, p, s, operator, f.Global)
		done = append(done, did)
	}
	if err != nil {
		return err
	}
	if asks && p.HasRemote() {
		done = append(done, offerSync(a, s)...)
	}
	for _, did := range done {
		a.Note(did)
	}
	if cmp.Or(operator, p.Me()) == "" {
		a.Note("I don't know who you are: run `handoff init --operator NAME`")
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

// offerSync asks whether changes here start a sync in the background, and returns what it will do.
func offerSync(a *cli.App, s *handoff.Store) []string {
	if !a.Confirm("Sync in the background after each change in this project?") {
		return nil
	}
	if a.SetAuto(s) != nil {
		return []string{"this cannot be kept in your home: run `handoff sync` after a change"}
	}
	return []string{"changes here are synced in the background, after the first `handoff sync`"}
}

// ask asks for the values that no flag gives.
func (f *initFlags) ask(a *cli.App, p handoff.Project, s *handoff.Store, operator *string) (err error) {
	for *operator == "" && err == nil {
		proposed := cmp.Or(p.Me(), handoff.OperatorFrom(cmp.Or(a.Getenv("USER"), a.Getenv("USERNAME"))))
		*operator, err = askLine(a, "Who are you? A short name, as others write it in --to", proposed)
		if wrong := s.Registry().CheckNew(*operator); err == nil && wrong != nil {
			a.Note(strings.Join(append([]string{wrong.Error()}, cli.Hints(wrong)...), "; "))
			*operator = ""
		}
	}
	if f.Git != "" || err != nil || p.HasFile || !handoff.InGit(p.Root) {
		return err
	}
	fmt.Fprint(a.Stderr, "What should git do with the handoffs?\n"+
		"  synced   ignore them; handoff sync exchanges them\n"+
		"  tracked  commit them with the code\n  none     nothing\n")
	for !slices.Contains(gitKinds, f.Git) && err == nil {
		f.Git, err = askLine(a, "synced, tracked or none", gitKinds[0])
	}
	return err
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
