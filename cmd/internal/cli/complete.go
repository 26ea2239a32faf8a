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
	"withdraw":       isWaiting,
}

func canTake(e handoff.Entry, me string) bool {
	return !e.State.IsClosed() && !e.Life().Take.IsDone() && e.IsTo(me)
}

func isHeld(e handoff.Entry, me string) bool {
	return !e.State.IsClosed() && e.Life().Take.Operator == me
}

func isWaiting(e handoff.Entry, me string) bool {
	return e.From == me && e.State == handoff.StateUnread
}

// completeArguments completes the arguments that the usage line of a command names: ID, OPERATOR, AGENT, FILE and DIR.
func (a *App) completeArguments(cmd *cobra.Command, args []string, typed string) ([]string,
	cobra.ShellCompDirective) {
	var offers []string
	verb, names := cmd.Name(), func(word string) bool {
		arguments, _, _ := strings.Cut(cmd.Use, " -")
		return strings.Contains(arguments, word)
	}
	if cmd.Flags().Changed("undo") {
		verb += " --undo"
	}
	if names("OPERATOR") && (len(args) > 0 || !names("ID")) {
		offers = a.knownOperators()
	}
	switch {
	case names("ID"):
		offers = append(offers, a.offerIDs(args, typed, canAct[verb])...)
	case names("AGENT"):
		offers = agent.Names()
	}
	if names("FILE") || names("DIR") {
		return offers, cobra.ShellCompDirectiveDefault // files if nothing else matches
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
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
	digits := max(Shortest, len(typed))
	var fitting []handoff.Entry
	for _, e := range slices.Backward(entries) {
		id := Short(e.ID, digits)
		if len(fitting) < maxCompletions && strings.HasPrefix(id, typed) && !slices.Contains(args, id) &&
			(fits == nil || fits(e, me)) {
			fitting = append(fitting, e)
		}
	}
	for i, l := range s.Listed(fitting) {
		offers = append(offers, offer(Short(fitting[i].ID, digits), l.Title))
	}
	return offers
}

// offer returns a completion with its description.
func offer(value, about string) string {
	return cobra.CompletionWithDesc(value, handoff.EscapeLine(about))
}

// knownOperators returns the operators of the operators file and of the listed handoffs.
func (a *App) knownOperators() (names []string) {
	s := a.Quietly()
	if s == nil {
		return nil
	}
	for _, o := range a.listedOperators().All() {
		names = append(names, o.ID)
	}
	entries, _ := s.List(handoff.Filter{})
	for _, e := range entries {
		names = append(names, e.From, e.To)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == handoff.Next })
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// Quietly returns the store of the project for a look that prints no notes, and creates nothing; nil if it cannot be
// opened. A project can have operators before it has handoffs.
func (a *App) Quietly() *handoff.Store {
	quiet := *a
	quiet.Quiet = true
	_, s, err := quiet.NewStore()
	if err != nil {
		return nil
	}
	return s
}

// offerValues returns values of a flag. It goes by the word that its usage has in backquotes.
func (a *App) offerValues(f *pflag.Flag, typed string) ([]string, cobra.ShellCompDirective) {
	var words []string
	if single, is := f.Value.(singleValue); is {
		if choice, _ := single.Value.(value); choice.words != nil {
			return choice.words, cobra.ShellCompDirectiveNoFileComp
		}
	}
	switch kind, _ := pflag.UnquoteUsage(f); kind {
	case "operator":
		words = a.knownOperators()
	case "name": // the last of several
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		for _, name := range slices.Concat(a.knownOperators(), []string{handoff.Next}, a.listedOperators().Teams()) {
			words = append(words, before+name)
		}
	case "handoff":
		fits := map[string]func(handoff.Entry, string) bool{"undo": isWaiting}[f.Name]
		words = a.offerIDs(nil, typed, fits)
	case "agent":
		words = agent.Names()
	case "kind":
		words = kinds.Names()
	case "directory":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case "key", "file", "path":
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
	check := cmd.Args
	if check == nil {
		check = cobra.NoArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error { return checkArguments(cmd, args, check) }
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = a.completeArguments
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
