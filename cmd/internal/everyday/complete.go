package everyday

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const maxCompletions = 200

// CompleteIDs offers handoffs, the newest first, each with what it is about.
func (a *App) CompleteIDs(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	entries := a.entriesQuietly()
	var offers []string
	digits := enoughDigits(entries)
	if len(strings.TrimPrefix(typed, "sha256:")) > digits {
		digits = 64
	}
	for _, e := range slices.Backward(entries) {
		id := Short(e.ID, digits)
		if strings.HasPrefix(typed, "sha256:") {
			id = "sha256:" + id
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
	asIs := *a
	asIs.AsIs = true
	if _, s, err := asIs.NewStore(); err == nil { // operators there may be before handoffs
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

// completeFrom offers what the listed handoffs have, each once.
func (a *App) completeFrom(of func(handoff.Entry) string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var all []string
		for _, e := range a.entriesQuietly() {
			all = append(all, of(e))
		}
		slices.Sort(all)
		return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeTags offers the tags of the newest handoffs.
func (a *App) completeTags(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	entries := a.entriesQuietly()
	s, err := a.Store()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []string
	_ = s.LoadEach(entries[max(0, len(entries)-maxCompletions):], func(got handoff.Stored, err error) bool {
		if err == nil {
			all = append(all, got.Tags...)
		}
		return true
	})
	slices.Sort(all)
	return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
}

// completeFlags has the values of flags completed.
func (a *App) completeFlags(cmd *cobra.Command) {
	for _, name := range []string{"to", "from", "operator", "confirmed-by"} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, a.completeOperators) // fails only for a flag that is not there
		}
	}
	for name, of := range map[string]func(handoff.Entry) string{"topic": func(e handoff.Entry) string { return e.Topic }} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, a.completeFrom(of))
		}
	}
	if cmd.Flags().Lookup("tag") != nil {
		_ = cmd.RegisterFlagCompletionFunc("tag", a.completeTags)
	}
	times := []string{"today", "yesterday", "24h", "7d", "2w"}
	words := map[string][]string{"since": times, "until": times, "expires": {"24h", "7d", "2w"}, "git": {"synced", "tracked", "none"}, "agent": agent.Names()}
	if cmd.Name() == "list" {
		words["format"] = []string{"table", "rows", "json", "jsonl", "ids"}
	} else if cmd.Name() == "search" {
		words["format"] = []string{"text", "jsonl", "ids"}
	}
	for _, s := range handoff.States() {
		words["state"] = append(words["state"], string(s))
	}
	if a.whole != nil {
		maps.Copy(words, a.whole.Words)
	}
	for name, words := range words {
		if f := cmd.Flags().Lookup(name); f != nil && f.Value.Type() != "bool" {
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for _, sub := range cmd.Commands() {
		a.completeFlags(sub)
	}
}
