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

// completes finishes the command that prints the scripts of shells.
func (a *App) completes(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Name() != "bash" {
			continue
		}
		c.Long = strings.Replace(c.Long, needsPackage, "It does without the package bash-completion where that is missing.\n", 1)
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

// needsPackage is what cobra says of its script for bash.
const needsPackage = `This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.
`

// CompleteIDs offers handoffs, the newest first, each with what it is about.
func (a *App) CompleteIDs(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && !strings.Contains(cmd.Use, "…") { // the usage says what comes after the only one
		if strings.Contains(cmd.Use, " [FILE") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if strings.ContainsAny(typed, `/\`) { // the path of the receipt
		return nil, cobra.ShellCompDirectiveDefault
	}
	entries := a.entriesQuietly()
	var offers []string
	digits := enoughDigits(entries)
	for _, e := range slices.Backward(entries) {
		id := named(e, typed, digits)
		if len(offers) < maxCompletions && strings.HasPrefix(id, typed) && !slices.Contains(args, id) {
			offers = append(offers, Offer(id, e.From+" to "+e.To+": "+e.Topic+", "+e.Time))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// named is a handoff by the kind of name that is being typed: so many digits of its id, in the same case, or its file.
func named(e handoff.Entry, typed string, digits int) string {
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

// offer is what a shell completes, and what it shows beside it.
func Offer(value, about string) string { return value + "\t" + handoff.EscapeLine(about) }

// completeOperators offers who is known.
func (a *App) CompleteOperators(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.KnownOperators(), cobra.ShellCompDirectiveNoFileComp
}

// KnownOperators returns the operators of the operators file and of the listed handoffs.
func (a *App) KnownOperators() []string {
	var names []string
	if _, s, err := a.quietly().NewStore(); err == nil { // operators there may be before handoffs
		if list, err := s.Registry().Policy(); err == nil && list != nil {
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
func (a *App) CompleteMark(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ids, _ := a.CompleteIDs(cmd, args, typed)
	if len(args) == 0 {
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	operators, _ := a.CompleteOperators(cmd, args, typed)
	return append(operators, ids...), cobra.ShellCompDirectiveNoFileComp
}

// quietly is the same run, which tells nobody of anything and takes over nothing.
func (a *App) quietly() *App {
	quiet := *a
	quiet.Quiet, quiet.AsIs = true, true
	return &quiet
}

// entriesQuietly lists the handoffs; a person who is typing a command is not told what is wrong with them.
func (a *App) entriesQuietly() []handoff.Entry {
	s, err := a.quietly().Store()
	if err != nil {
		return nil
	}
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		return nil
	}
	return entries
}

// completeTopics offers those of the listed handoffs, each once.
func (a *App) completeTopics(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, e := range a.entriesQuietly() {
		all = append(all, e.Topic)
	}
	slices.Sort(all)
	return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
}

// completeTags offers the tags of the newest handoffs.
func (a *App) completeTags(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	entries := a.entriesQuietly()
	s, err := a.quietly().Store()
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

// CompleteIDsOrFiles is CompleteIDs for commands that take files too.
func (a *App) CompleteIDsOrFiles(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ids, _ := a.CompleteIDs(cmd, args, typed)
	return ids, cobra.ShellCompDirectiveDefault // files where no id fits
}

// completions are the words that a value is completed to, by the word that the usage of its flag has in backquotes, or by the
// name of the flag.
var completions = map[string][]string{
	"time":           {"today", "yesterday", "24h", "7d", "2w"},
	"duration":       {"90m", "24h", "7d", "2w"},
	"--expires":      {"24h", "7d", "2w"},
	"--max-age":      {"24h", "48h", "7d"},
	"--lock-timeout": {"0s", "5s", "30s", "2m"},
	"word":           {"approve", "archive", "human", "write"},
	"agent":          agent.Names(),
	"field":          {body},
	"--status":       {"completed", "paused", "failed", "requires_review"},
	"--sign":         nil, "key": nil, "file": nil, "path": nil, // files, as shells do
}

// completion returns what completes the value of a flag, nil for files.
func (a *App) completion(f *pflag.Flag) cobra.CompletionFunc {
	kind, _ := pflag.UnquoteUsage(f)
	switch kind {
	case "operator":
		return a.CompleteOperators
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
	words, known := completions["--"+f.Name]
	if !known {
		words, known = completions[kind]
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

// finishFlags makes flags of a command such that are given once and whose values are completed.
func (a *App) finishFlags(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if giveOnce(f); !isCompleting(a.Args) {
			return
		}
		if _, is := cmd.GetFlagCompletionFunc(f.Name); is {
			return
		}
		if complete := a.completion(f); complete != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // fails only for a flag that is not there
		}
	})
}

// finish gives a command and those below it what all have: flags that are given once and whose values are completed, and
// examples.
func (a *App) finish(cmd *cobra.Command, path string) {
	a.finishFlags(cmd, cmd.Flags())
	if cmd.ValidArgsFunction == nil && !strings.Contains(cmd.Use, "FILE") && !strings.Contains(cmd.Use, "DIR") {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	if cmd.Example == "" {
		cmd.Example = examples[path]
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
