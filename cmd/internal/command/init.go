package command

import (
	"cmp"
	"fmt"
	"io"
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
		Long: `Set up a project in the current directory, and say who you are. Existing files
are never overwritten.

On a terminal, init asks who you are and what git should do; --yes accepts the
proposals. --operator NAME says who you are in this clone, with --global in all
your projects. In a fresh clone of a project that has handoffs you need no init.
--git is one of:

  synced   Git ignores the handoffs, and handoff sync exchanges them. All work
           trees of a clone share them. The default in git.
  tracked  You commit the handoffs with the code.
  none     The handoffs stay in this directory.

You can run init again with another kind: it changes the settings, and moves no
handoff.

Exit codes: 3 OPERATORS.md does not list you, 6 another machine, 7 bad directory
or settings`,
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
		if err = cmp.Or(handoff.CheckOperator(operator), s.Registry().Check(operator)); err != nil {
			return err
		}
	}
	if kind == "" && !p.HasFile && handoff.InGit(p.Root) {
		kind = string(handoff.GitSynced) // recorded, so that a copy without git is recognized
	}
	done, err := s.Maintenance().Init(handoff.Git(kind))
	if err == nil && operator != "" && (f.Global || operator != p.Me()) {
		did, wrong := setOperator(a, p, s, operator, f.Global)
		if err = wrong; err == nil {
			done = append(done, did)
		}
	}
	for _, did := range done {
		a.Note(did)
	}
	if err != nil {
		return err
	}
	return a.Show(handoff.RepairReport{Done: append([]string{}, done...)}, "")
}

// setOperator records who the user is, in this clone or in all projects, and returns what has changed.
func setOperator(a *cli.App, p handoff.Project, s *handoff.Store, operator string, global bool) (did string,
	err error) {
	before := p.Identity()
	where := " in this clone"
	if global {
		where = " in all projects, as " + p.User.File() + " says"
		err = handoff.SetUser(p.User, "operator", operator)
	} else {
		err = s.Registry().SetOperator(operator)
	}
	if err != nil {
		return "", err
	}
	was := "; before you were "
	if p, _, err = a.NewStore(); err == nil && p.Me() != operator {
		was = "; but here you are still "
	}
	if before.Operator != "" {
		where += was + before.Operator + " (" + before.Source + ")"
	}
	return "you are " + operator + where, err
}

// askSetUp asks for the values that no flag gives. An answer is a line; an empty line accepts the proposal.
func askSetUp(a *cli.App, p handoff.Project, operator, kind string) (_, _ string, err error) {
	for operator == "" && err == nil {
		proposed := cmp.Or(p.Me(), handoff.OperatorFrom(cmp.Or(a.Getenv("USER"), a.Getenv("USERNAME"))))
		if operator, err = askLine(a, "Who are you? A short name, as others write it in --to",
			proposed); handoff.CheckOperator(operator) != nil {
			a.Note("use 1 to 64 ASCII letters, digits, _ and -")
			operator = ""
		}
	}
	if kind == "" && err == nil && !p.HasFile && handoff.InGit(p.Root) {
		fmt.Fprint(a.Stderr, "What should git do with the handoffs?\n"+
			"  synced   ignore them\n"+
			"  tracked  commit them with the code\n  none     nothing\n")
		kind, err = choice(a, "synced, tracked or none", handoff.GitSynced, handoff.GitTracked, handoff.GitNone)
	}
	return operator, kind, err
}

// choice asks until the answer is one of some words or begins one. It proposes the first.
func choice[T ~string](a *cli.App, question string, words ...T) (string, error) {
	for {
		line, err := askLine(a, question, string(words[0]))
		for _, w := range words {
			if err != nil || strings.HasPrefix(string(w), strings.ToLower(line)) {
				return string(w), err
			}
		}
	}
}

// askLine asks a question and reads one line.
func askLine(a *cli.App, question, proposed string) (string, error) {
	line, err := a.Ask(question + " [" + proposed + "]: ")
	if err == io.EOF {
		fmt.Fprintln(a.Stderr)
		return "", cli.Invalid("add --yes to accept the proposals", "no answer; nothing was changed")
	}
	return cmp.Or(line, proposed), err
}
