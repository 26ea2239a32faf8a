package cli

import (
	_ "embed"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const maxCompletions = 200

//go:embed completion.bash
var bareBash string

// completes finishes the command that prints the completion scripts.
func (a *App) completes(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Name() != "bash" {
			continue
		}
		c.Long = strings.Replace(c.Long, needsPackage, "The script works without the package bash-completion.\n", 1)
		script := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if err := script(cmd, args); err != nil {
				return err
			}
			_, err := io.WriteString(a.Stdout, bareBash)
			return err
		}
	}
	Below(cmd)
	a.finish(cmd, "completion")
}

// needsPackage is cobra's note about its script for bash.
const needsPackage = `This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.
`

// CompleteIDs completes handoffs, newest first, with sender, recipient, topic and time.
func (a *App) CompleteIDs(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && !strings.Contains(cmd.Use, "…") { // there is only one id
		if strings.Contains(cmd.Use, " [FILE") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if strings.ContainsAny(typed, `/\`) { // a path, such as that of a receipt
		return nil, cobra.ShellCompDirectiveDefault
	}
	entries := a.entriesQuietly()
	var offers []string
	digits := enoughDigits(entries)
	for _, e := range slices.Backward(entries) {
		id := nameLike(e, typed, digits)
		if len(offers) < maxCompletions && strings.HasPrefix(id, typed) && !slices.Contains(args, id) {
			offers = append(offers, Offer(id, e.From+" to "+e.To+": "+e.Topic+", "+e.Time))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
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

// CompleteOperators completes known operators.
func (a *App) CompleteOperators(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.KnownOperators(), cobra.ShellCompDirectiveNoFileComp
}

// KnownOperators returns the operators of the operators file and of the listed handoffs.
func (a *App) KnownOperators() []string {
	var names []string
	if _, s, err := a.quietCopy().NewStore(); err == nil { // a project can have operators before it has handoffs
		if list, err := s.Registry().Policy(); err == nil && list != nil {
			for _, o := range list.All() {
				names = append(names, o.ID)
			}
		}
	}
	for _, e := range a.entriesQuietly() {
		names = append(names, e.From, e.To)
	}
	return slices.DeleteFunc(sorted(names), func(name string) bool { return name == handoff.Next })
}

// quietCopy returns a copy of the run that prints no notes and imports nothing.
func (a *App) quietCopy() *App {
	quiet := *a
	quiet.Quiet, quiet.AsIs = true, true
	return &quiet
}

// entriesQuietly lists the handoffs, without any warnings: they would disturb the user's typing.
func (a *App) entriesQuietly() []handoff.Entry {
	s, err := a.quietCopy().Store()
	if err != nil {
		return nil
	}
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		return nil
	}
	return entries
}

// completeTopics completes the topics of the listed handoffs.
func (a *App) completeTopics(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, e := range a.entriesQuietly() {
		all = append(all, e.Topic)
	}
	return sorted(all), cobra.ShellCompDirectiveNoFileComp
}

// completeTags completes the tags of the newest handoffs.
func (a *App) completeTags(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	entries := a.entriesQuietly()
	if s, err := a.quietCopy().Store(); err == nil {
		for _, l := range s.Listed(entries[max(0, len(entries)-maxCompletions):]) {
			all = append(all, l.Tags...)
		}
	}
	return sorted(all), cobra.ShellCompDirectiveNoFileComp
}

// sorted returns the words in their order, each once.
func sorted(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// CompleteIDsOrFiles completes handoffs and files.
func (a *App) CompleteIDsOrFiles(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ids, _ := a.CompleteIDs(cmd, args, typed)
	return ids, cobra.ShellCompDirectiveDefault // files if no id matches
}

// completions returns the completions of a flag's value by the name of the flag, or by the word that its usage has in
// backquotes; nil words stand for files.
func completions(name string) (words []string, known bool) {
	switch name {
	case "time":
		return []string{"today", "yesterday", "24h", "7d", "2w"}, true
	case "duration":
		return []string{"90m", "24h", "7d", "2w"}, true
	case "--expires":
		return []string{"24h", "7d", "2w"}, true
	case "--max-age":
		return []string{"24h", "48h", "7d"}, true
	case "--lock-timeout":
		return []string{"0s", "5s", "30s", "2m"}, true
	case "word":
		return []string{"approve", "archive", "human", "write"}, true
	case "agent":
		return agent.Names(), true
	case "field":
		return []string{body}, true
	case "--status":
		return []string{"completed", "paused", "failed", "requires_review"}, true
	case "--sign", "key", "file", "path":
		return nil, true
	}
	return nil, false
}

// completion returns the completion of a flag's value, nil for files.
func (a *App) completion(f *pflag.Flag) cobra.CompletionFunc {
	kind, _ := pflag.UnquoteUsage(f)
	switch kind {
	case "operator":
		return a.CompleteOperators
	case "recipient":
		return a.completeRecipients
	case "handoff":
		return a.CompleteIDs
	case "tag":
		return a.completeTags
	case "topic":
		return a.completeTopics
	case "rule":
		return cobra.FixedCompletions(handoff.SecretRules(), cobra.ShellCompDirectiveNoFileComp)
	case "directory":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
	words, known := completions("--" + f.Name)
	if !known {
		words, known = completions(kind)
	}
	if !known && a.Full != nil {
		words = a.Full.Words[f.Name]
	}
	if known && words == nil {
		return nil
	}
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

func isCompleting(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], "__complete")
}

// finishFlags makes flags refuse a second value, and adds completions of their values.
func (a *App) finishFlags(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if giveOnce(f); !isCompleting(a.Args) {
			return
		}
		if _, is := cmd.GetFlagCompletionFunc(f.Name); is {
			return
		}
		if complete := a.completion(f); complete != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // fails only for an unknown flag
		}
	})
}

// finish completes a command and its subcommands: flags as in finishFlags, and examples.
func (a *App) finish(cmd *cobra.Command, path string) {
	a.finishFlags(cmd, cmd.Flags())
	if cmd.ValidArgsFunction == nil && !strings.Contains(cmd.Use, "FILE") && !strings.Contains(cmd.Use, "DIR") {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	if cmd.Example == "" {
		cmd.Example = exampleOf(path)
	}
	var first []string
	for _, sub := range cmd.Commands() {
		a.finish(sub, path+" "+sub.Name())
		line, _, _ := strings.Cut(sub.Example, "\n")
		first = append(first, line)
	}
	if cmd.Example == "" {
		cmd.Example = strings.Join(first, "\n")
	}
}
