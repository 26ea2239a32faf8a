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
	"github.com/seed-78daf238/handoff/lib/record"
)

const maxCompletions = 200

// CompleteIDs completes handoffs, and paths of files for what is typed like one.
func (a *App) CompleteIDs(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.ContainsAny(typed, `/\`) { // a path, such as that of a receipt
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.offerIDs(args, typed), cobra.ShellCompDirectiveNoFileComp
}

// CompleteIDsAndFiles completes handoffs and files.
func (a *App) CompleteIDsAndFiles(cmd *cobra.Command, args []string, typed string) ([]string,
	cobra.ShellCompDirective) {
	offers, _ := a.CompleteIDs(cmd, args, typed)
	return offers, cobra.ShellCompDirectiveDefault // files if nothing else matches
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

// offerIDs returns handoffs, newest first, with sender, recipient, title and time.
func (a *App) offerIDs(args []string, typed string) (offers []string) {
	s := a.Quietly()
	if s == nil {
		return nil
	}
	entries, _ := s.List(handoff.Filter{})
	digits := EnoughDigits(entries)
	var fitting []handoff.Entry
	for _, e := range slices.Backward(entries) {
		id := nameLike(e, typed, digits)
		if len(fitting) < maxCompletions && strings.HasPrefix(id, typed) && !slices.Contains(args, id) {
			fitting = append(fitting, e)
		}
	}
	for i, l := range s.Listed(fitting) {
		about := l.From + " to " + l.To + ": " + l.Title + ", " + l.Time
		offers = append(offers, Offer(nameLike(fitting[i], typed, digits), about))
	}
	return offers
}

// nameLike returns the name of a handoff in the form that is being typed: digits of its id in the same case, or its
// file.
func nameLike(e handoff.Entry, typed string, digits int) string {
	plain := strings.TrimPrefix(typed, "sha256:")
	if len(plain) > digits {
		digits = 64
	}
	id := Short(e.ID, digits)
	switch {
	case plain != typed:
		return "sha256:" + id
	case strings.Contains(typed, "-"):
		return e.File
	case strings.ContainsAny(typed, "ABCDEF"):
		return strings.ToUpper(id)
	}
	return id
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
	}
	for _, e := range a.entriesQuietly() {
		names = append(names, e.From, e.To)
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

// entriesQuietly lists the handoffs, without any warnings: they would disturb the user's typing.
func (a *App) entriesQuietly() (entries []handoff.Entry) {
	if s := a.Quietly(); s != nil {
		entries, _ = s.List(handoff.Filter{})
	}
	return entries
}

// offerValues returns values of a flag. It goes by the name of the flag, or by the word that its usage has in
// backquotes.
func (a *App) offerValues(f *pflag.Flag, typed string) ([]string, cobra.ShellCompDirective) {
	kind, _ := pflag.UnquoteUsage(f)
	if f.Name == "sign" || slices.Contains([]string{"key", "file", "path"}, kind) {
		return nil, cobra.ShellCompDirectiveDefault
	} else if kind == "directory" {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	words := choices(f)
	for _, name := range []string{"--" + f.Name, kind} {
		if len(words) == 0 {
			words = a.wordsLike(name, typed)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// wordsLike returns the values of a kind, or of one --flag.
func (a *App) wordsLike(kind, typed string) []string {
	switch kind {
	case "operator":
		return a.KnownOperators()
	case "recipient":
		return a.offerRecipients(typed)
	case "handoff":
		return a.offerIDs(nil, typed)
	case "agent":
		return agent.Names()
	case "--kind":
		return record.Kinds()
	}
	return nil
}

func isCompleting(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], "__complete")
}

// finishFlags makes flags refuse a second value, and adds completions of their values.
func (a *App) finishFlags(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if giveOnce(f); len(a.Args) > 0 && !isCompleting(a.Args) {
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]string,
			cobra.ShellCompDirective) {
			return a.offerValues(f, typed)
		})
		for _, other := range f.Annotations["conflicts"] {
			if cmd.Flags().Lookup(other) != nil { // not a common flag
				cmd.MarkFlagsMutuallyExclusive(f.Name, other) // so that it is not offered
			}
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
	problem := fmt.Sprintf("too many arguments: %d", len(args))
	if check(cmd, append(slices.Clip(args), "")) == nil {
		problem = "missing " + strings.Fields(cmd.Use)[1]
	}
	return Invalid("usage: "+cmd.UseLine(), "%s", problem)
}
