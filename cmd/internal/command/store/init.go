package store

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func initCommand(a *app) *cobra.Command {
	var kind, operator string
	var yes, global bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set up a project, and say who you are",
		Long: `Set up a project in the current directory, or in --root: the settings
(.handoff.yaml), the handoffs directory, and what git ignores (.gitignore) and
how it merges (.gitattributes). Existing files are never overwritten. On a
terminal, init asks who you are and what git should do; --yes accepts the
proposals. Your name is kept for this clone, or with --global for all your
projects. --git is one of:

  synced   git ignores the handoffs; other clones get them with handoff sync.
           All work trees of a clone share one store. The default in git.
  tracked  The handoffs are committed with the code; git merges them. Each
           clone and each work tree has a store of its own.
  none     The handoffs stay in this directory. Git ignores only the state of
           this machine.

You can run init again with another kind: it changes the settings, and moves no
handoff.`,
		Example: "  handoff init\n  handoff init --yes --operator ann --git tracked",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return a.init(operator, kind, yes, global) },
	}
	cli.Choice(cmd, &kind, "git", "what git does with the handoffs (`kind`)", "synced", "tracked", "none")
	cmd.Flags().StringVar(&operator, "operator", "", "who you are in this clone (`operator`)")
	cmd.Flags().BoolVar(&global, "global", false, "with --operator: who you are in all projects")
	cli.Needs(cmd, "global", "operator")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// init sets up the project, and records the operator if there is one.
func (a *app) init(operator, kind string, yes, global bool) error {
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
	if _, err := s.List(handoff.Filter{}); err != nil { // fails if the directory cannot hold a store
		return err
	}
	byItself := false
	if a.CanAsk() && !yes && !a.Quiet {
		if operator, kind, byItself, err = a.askSetUp(p, operator, kind); err != nil {
			return err
		}
	} else if yes && operator == "" && p.Me() == "" {
		operator = a.userSlug()
	}
	done, err := s.Maintenance().Init(handoff.Git(kind))
	if err == nil && operator != "" && (global || operator != p.Me()) {
		var did string
		did, err = a.setOperator(p, s, operator, global)
		done = append(done, did)
	}
	if err == nil && byItself {
		err = handoff.SetUser(p.User, "sync", handoff.SyncAuto)
		done = append(done, "sync: auto in "+p.User.File()+": after the first handoff sync, all your projects sync "+
			"by themselves")
	}
	for _, did := range done {
		a.Note(did)
	}
	if err != nil || !a.JSON {
		return err
	}
	return a.PrintJSON(handoff.RepairReport{Done: append([]string{}, done...)})
}

// setOperator records who the user is, in this clone or in all projects, and returns what has changed.
func (a *app) setOperator(p handoff.Project, s *handoff.Store, operator string, global bool) (did string, err error) {
	did = "you are " + operator + " in this clone"
	if before := p.Identity(); before.Operator != "" {
		did += "; before you were " + before.Operator + " (" + before.Source + ")"
	}
	if !global {
		return did, s.Registry().SetOperator(operator)
	}
	if err := s.Registry().Check(operator); err != nil {
		return "", err
	}
	return strings.Replace(did, "in this clone", "in all projects, as "+p.User.File()+" says", 1),
		handoff.SetUser(p.User, "operator", operator)
}

// askSetUp asks for the values that no flag gives. An answer is a line; an empty line accepts the proposal.
func (a *app) askSetUp(p handoff.Project, operator, kind string) (_, _ string, byItself bool, err error) {
	in := bufio.NewReader(a.Stdin)
	for operator == "" && err == nil {
		if operator, err = a.answer(in, "Who are you? A short name, as others write it in --to",
			cmp.Or(p.Me(), a.userSlug())); handoff.CheckOperator(operator) != nil {
			a.Note("use 1 to 64 ASCII letters, digits, _ and -")
			operator = ""
		}
	}
	if kind == "" && err == nil && !p.HasFile && handoff.InGit(p.Root) {
		fmt.Fprint(a.Stderr, "What should git do with the handoffs?\n"+
			"  synced   ignore them; other clones get them by `handoff sync`\n"+
			"  tracked  commit them with the code\n  none     nothing\n")
		for kind == "" && err == nil {
			kind, err = a.answer(in, "synced, tracked or none", string(handoff.GitSynced))
			if !slices.Contains([]handoff.Git{handoff.GitSynced, handoff.GitTracked, handoff.GitNone},
				handoff.Git(kind)) {
				kind = ""
			}
		}
	}
	if err == nil && cmp.Or(kind, string(p.Settings.Git.Value)) == string(handoff.GitSynced) &&
		p.User.Sync.Source == "default" {
		var answer string
		answer, err = a.answer(in, "Sync by itself after each change, in the background? yes or no", "no")
		byItself = strings.HasPrefix(strings.ToLower(answer), "y")
	}
	return operator, kind, byItself, err
}

// answer asks a question and reads one line.
func (a *app) answer(in *bufio.Reader, question, proposed string) (string, error) {
	fmt.Fprintf(a.Stderr, "%s [%s]: ", question, proposed)
	line, err := in.ReadString('\n')
	if err == io.EOF {
		fmt.Fprintln(a.Stderr)
		return "", cli.Invalid("add --yes to accept the proposals", "no answer; nothing was changed")
	}
	return cmp.Or(strings.TrimSpace(line), proposed), err
}

// userSlug returns an operator name made from the system's user or host name, or "".
func (a *app) userSlug() string {
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
