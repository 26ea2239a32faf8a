package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
)

const maxCompletions = 200

// canAct maps a command, or its --undo, to the handoffs on which it can act for me. Other commands can act on all.
var canAct = map[string]func(e handoff.Entry, me string) bool{
	"take":        canTake,
	"take --undo": isHeld,
	"release":     isHeld,
	"done":        func(e handoff.Entry, me string) bool { return isHeld(e, me) || canTake(e, me) },
	"done --undo": func(e handoff.Entry, me string) bool { return e.Life().Done.Operator == me },
	"resume":      canTake,
	"reply":       func(e handoff.Entry, me string) bool { return e.IsTo(me) },
	"mark-read":   func(e handoff.Entry, me string) bool { return e.UnreadBy(me) && e.IsTo(me) },
	"archive": func(e handoff.Entry, _ string) bool {
		return !e.Life().Archive.IsDone() && !e.Life().Take.IsDone()
	},
	"archive --undo": func(e handoff.Entry, _ string) bool { return e.Life().Archive.IsDone() },
	"write --undo":   isWaiting,
	"withdraw":       isWaiting,
}

func isOpen(e handoff.Entry) bool { return !e.State.IsClosed() }

func canTake(e handoff.Entry, me string) bool {
	return isOpen(e) && !e.Life().Take.IsDone() && e.IsTo(me)
}

func isHeld(e handoff.Entry, me string) bool { return isOpen(e) && e.Life().Take.Operator == me }

func isWaiting(e handoff.Entry, me string) bool {
	return e.From == me && e.State == handoff.StateUnread
}

// CompleteIDs completes the handoffs on which a command can act.
func (a *App) CompleteIDs(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	verb := cmd.Name()
	if cmd.Flags().Changed("undo") {
		verb += " --undo"
	}
	return a.offerIDs(args, typed, canAct[verb]), cobra.ShellCompDirectiveNoFileComp
}

// CompleteIDsAndFiles completes handoffs and files.
func (a *App) CompleteIDsAndFiles(_ *cobra.Command, args []string, typed string) ([]string,
	cobra.ShellCompDirective) {
	return a.offerIDs(args, typed, nil), cobra.ShellCompDirectiveDefault // files if nothing else matches
}

// CompleteIDsAndOperators completes handoffs, and after the first one also operators.
func (a *App) CompleteIDsAndOperators(cmd *cobra.Command, args []string, typed string) ([]string,
	cobra.ShellCompDirective) {
	offers, files := a.CompleteIDs(cmd, args, typed)
	if len(args) > 0 {
		offers = append(a.KnownOperators(), offers...)
	}
	return offers, files
}

// CompleteOperators completes operators.
func (a *App) CompleteOperators(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.KnownOperators(), cobra.ShellCompDirectiveNoFileComp
}

// offerIDs returns the handoffs that fit and are not among args, newest first: 8 digits with the title.
func (a *App) offerIDs(args []string, typed string, fits func(e handoff.Entry, me string) bool) (offers []string) {
	s := a.Quietly()
	if s == nil {
		return nil
	}
	p, _ := a.Project()
	me := p.MeOr(a.Who.Operator)
	entries, _ := s.List(handoff.Filter{All: true})
	digits := max(EnoughDigits(entries), len(typed))
	var fitting []handoff.Entry
	for _, e := range slices.Backward(entries) {
		id := Short(e.ID, digits)
		if len(fitting) < maxCompletions && strings.HasPrefix(id, typed) && !slices.Contains(args, id) &&
			(fits == nil || fits(e, me)) {
			fitting = append(fitting, e)
		}
	}
	for i, l := range s.Listed(fitting) {
		offers = append(offers, Offer(Short(fitting[i].ID, digits), l.Title))
	}
	return offers
}

// Offer returns a completion with its description.
func Offer(value, about string) string { return value + "\t" + handoff.EscapeLine(about) }

// KnownOperators returns the operators of the operators file and of the listed handoffs.
func (a *App) KnownOperators() []string {
	var names []string
	if s := a.Quietly(); s != nil {
		if list, err := s.Registry().Policy(); err == nil && list != nil {
			for _, o := range list.All() {
				names = append(names, o.ID)
			}
		}
		entries, _ := s.List(handoff.Filter{})
		for _, e := range entries {
			names = append(names, e.From, e.To)
		}
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	return slices.DeleteFunc(names, func(name string) bool { return name == handoff.Next })
}

// Quietly returns the store of the project for a look that prints no notes, and creates nothing; nil if
// it cannot be opened.
func (a *App) Quietly() *handoff.Store {
	quiet := *a
	quiet.Quiet = true
	_, s, err := quiet.NewStore() // a project can have operators before it has handoffs
	if err != nil {
		return nil
	}
	return s
}

// offerValues returns values of a flag. It goes by the word that its usage has in backquotes.
func (a *App) offerValues(f *pflag.Flag, typed string) ([]string, cobra.ShellCompDirective) {
	var words []string
	if single, is := f.Value.(singleValue); is {
		choice, _ := single.Value.(value)
		words = choice.words
	}
	switch kind, _ := pflag.UnquoteUsage(f); {
	case words != nil:
	case kind == "operator":
		words = a.KnownOperators()
	case kind == "recipient":
		words = a.offerRecipients(typed)
	case kind == "handoff":
		words = a.offerIDs(nil, typed, nil)
	case kind == "agent":
		words = agent.Names()
	case f.Name == "kind":
		words = kinds.Names()
	case kind == "directory":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case slices.Contains([]string{"key", "file", "path"}, kind):
		return nil, cobra.ShellCompDirectiveDefault
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func isCompleting(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// finishFlags makes flags refuse a second value, unless they can be repeated, and completes their values.
func (a *App) finishFlags(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if kind := f.Value.Type(); kind != "stringArray" && kind != "func" {
			f.Value = singleValue{f.Value, f}
		}
		if isCompleting(a.Args) {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]string,
				cobra.ShellCompDirective) {
				return a.offerValues(f, typed)
			})
		}
	})
}

// finish completes a command and its subcommands: flags as in finishFlags, and arguments by their number. A command
// without Args takes none, and one without examples has the first of each subcommand.
func (a *App) finish(cmd *cobra.Command) {
	a.finishFlags(cmd, cmd.Flags())
	check, complete := cmd.Args, cmd.ValidArgsFunction
	if check == nil {
		check = cobra.NoArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error { return checkArguments(cmd, args, check) }
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string,
		cobra.ShellCompDirective) {
		switch {
		case check(cmd, append(slices.Clip(args), typed)) != nil:
			return nil, cobra.ShellCompDirectiveNoFileComp
		case complete == nil:
			return nil, cobra.ShellCompDirectiveDefault
		}
		return complete(cmd, args, typed)
	}
	var first []string
	for _, sub := range cmd.Commands() {
		a.finish(sub)
		line, _, _ := strings.Cut(sub.Example, "\n")
		first = append(first, line)
	}
	cmd.Example = cmp.Or(cmd.Example, strings.Join(first, "\n"))
}

// checkArguments returns an error if a command has fewer or more arguments than check allows. What is missing has the
// name that the usage line gives it.
func checkArguments(cmd *cobra.Command, args []string, check cobra.PositionalArgs) error {
	if check(cmd, args) == nil {
		return nil
	}
	problem := fmt.Sprintf("too many arguments: %q", strings.Join(args, " "))
	if check(cmd, append(slices.Clip(args), "")) == nil {
		problem = "missing " + strings.Fields(cmd.Use)[1]
	}
	return Invalid("usage: "+cmd.UseLine(), "%s", problem)
}
