package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
		Long: `Set up a project in the current directory, or in --root: the settings
(.handoff.yaml), the handoffs directory, and for tracked handoffs a line in
.gitattributes, so that git changes no byte of them. Existing files are never
overwritten. On a terminal, init asks who you are and what git should do; --yes
accepts the proposals. Your name is kept for this clone, or with --global for
all your projects. --git is one of:

  synced   Git ignores the handoffs. All work trees of a clone share one store.
           The default in git.
  tracked  You commit the handoffs with the code. Each clone and each work tree
           has a store of its own.
  none     The handoffs stay in this directory. Git ignores only the state of
           this machine.

You can run init again with another kind: it changes the settings, and moves no
handoff.`,
		Example: `  handoff init
  handoff init --yes --operator ann --git tracked`,
		RunE: func(_ *cobra.Command, _ []string) error { return setUp(a, f) },
	}
	flags := cmd.Flags()
	flags.Var(cli.Choice(&f.Git, "synced", "tracked", "none"), "git", "what git does with the handoffs "+
		"(`kind`): synced, tracked, none")
	flags.BoolVar(&f.Global, "global", false, "with --operator: who you are in all projects")
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
	} else if f.Yes && operator == "" && p.Me() == "" {
		operator = userSlug(a)
	}
	if operator != "" {
		if err = cmp.Or(handoff.CheckOperator(operator), s.Registry().Check(operator)); err != nil {
			return err
		}
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
		if operator, err = askLine(a, "Who are you? A short name, as others write it in --to",
			cmp.Or(p.Me(), userSlug(a))); handoff.CheckOperator(operator) != nil {
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

// userSlug returns an operator name made from the system's user or host name, or "".
func userSlug(a *cli.App) string {
	for _, name := range []string{a.Getenv("USER"), a.Getenv("LOGNAME"), a.Getenv("USERNAME"),
		filepath.Base(a.Getenv("HOME"))} {
		if slug := handoff.OperatorFrom(name); slug != "" && slug != "root" && handoff.CheckOperator(slug) == nil {
			return slug
		}
	}
	if host, err := os.Hostname(); err == nil {
		return handoff.OperatorFrom(host)
	}
	return ""
}
