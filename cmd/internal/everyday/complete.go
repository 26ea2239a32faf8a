package everyday

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

const maxCompletions = 200

// CompleteIDs offers handoffs, the newest first, each with what it is about.
func (a *App) CompleteIDs(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	entries := a.entriesQuietly()
	var offers []string
	for _, e := range slices.Backward(entries) {
		id := strings.TrimPrefix(e.ID, "sha256:")
		if strings.HasPrefix(typed, "sha256:") {
			id = e.ID
		}
		if len(offers) < maxCompletions && strings.HasPrefix(id, typed) {
			offers = append(offers, offer(id, e.From+" to "+e.To+": "+e.Topic+", "+e.Time))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// offer is what a shell completes, and what it shows beside it.
func offer(value, about string) string { return value + "\t" + handoff.EscapeLine(about) }

// completeOperators offers who is known.
func (a *App) completeOperators(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.KnownOperators(), cobra.ShellCompDirectiveNoFileComp
}

// KnownOperators returns the operators of the operators file and of the listed handoffs.
func (a *App) KnownOperators() []string {
	var names []string
	a.AsIs = true
	if _, s, err := a.NewStore(); err == nil { // operators there may be before handoffs
		if list, err := s.Operators(); err == nil && list != nil {
			for _, o := range list.All() {
				names = append(names, o.ID)
			}
		}
	}
	for _, e := range a.entriesQuietly() {
		names = append(names, e.From, e.To)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// completeMark offers handoffs, and operators once one is named.
func (a *App) completeMark(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ids, _ := a.CompleteIDs(cmd, args, typed)
	if len(args) == 0 {
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	operators, _ := a.completeOperators(cmd, args, typed)
	return append(operators, ids...), cobra.ShellCompDirectiveNoFileComp
}

// entriesQuietly lists the handoffs; a person who is typing a command is not told what is wrong with them.
func (a *App) entriesQuietly() []handoff.Entry {
	quiet := *a
	quiet.Quiet, quiet.AsIs = true, true
	s, err := quiet.Store()
	if err != nil {
		return nil
	}
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		return nil
	}
	return entries
}

// completeFlags has the flags that name an operator completed.
func (a *App) completeFlags(cmd *cobra.Command) {
	for _, name := range []string{"to", "from", "operator", "confirmed-by"} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, a.completeOperators) // fails only for a flag that is not there
		}
	}
	if a.whole == nil {
		return
	}
	for name, words := range a.whole.Words {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for _, sub := range cmd.Commands() {
		a.completeFlags(sub)
	}
}
