package cli

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/kind"
)

// topics holds a file NAME.md for each topic. Its first line is its heading.
//
//go:embed topics/*.md
var topics embed.FS

// firstScreen is the help for newcomers.
const firstScreen = `handoff passes work from one person or agent to the next.

  init      Set up a project, and say who you are
  write     Give a handoff to someone
  list      List handoffs and their state
  read      Read a handoff
  reply     Reply to a handoff
  take      Take a handoff, so that only you work on it
  done      Finish a handoff
  inbox     Read, take and finish handoffs, full screen
  sync      Exchange handoffs with other clones

  handoff demo          30 seconds in a scratch project
  handoff help all      all 27 commands
  handoff help TOPIC    formats, kinds, settings, agents, git, scripting,
                        guarantees
`

func helpCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND|TOPIC|all]",
		Short:   "Show help for a command or a topic",
		Example: "  handoff help write\n  handoff help all\n  handoff help scripting",
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			offers := append(topicNames(), "all")
			for _, c := range cmd.Root().Commands() {
				offers = append(offers, offer(c.Name(), c.Short))
			}
			return offers, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.explain(cmd.Root(), args) },
	}
}

// explain prints the help about words: a command, a topic or all.
func (a *App) explain(root *cobra.Command, words []string) error {
	switch topic, err := topics.ReadFile("topics/" + strings.Join(words, " ") + ".md"); {
	case len(words) == 0:
		return a.Print(firstScreen)
	case words[0] == "all":
		return a.allCommands(root)
	case err == nil:
		return a.printTopic(strings.Replace(string(topic), "{flags}\n", recordFlags(), 1))
	}
	cmd, rest, _ := root.Find(words)
	near := nearestName(words[0], append(topicNames(), namesOf(root.Commands())...))
	switch {
	case cmd == root && near != "":
		return Invalid("did you mean `handoff help "+near+"`?", "no command or topic %q", words[0])
	case cmd == root, len(rest) > 0 && !cmd.HasSubCommands():
		return unknownCommand(cmd, rest[0])
	}
	return a.Help(cmd, rest)
}

// printTopic prints the text of a topic, on a terminal with its tables drawn.
func (a *App) printTopic(text string) error {
	if width := TerminalWidth(a.Stdout); width > 0 {
		text = strings.Join(handoff.Lines(text, "", min(width, 100), a.Colors()), "\n") + "\n"
	}
	return a.Print(text)
}

// recordFlags returns tables of the flags of create, one for each kind.
func recordFlags() string {
	var b strings.Builder
	for _, name := range kind.Names() {
		k, _ := kind.Of(name)
		fmt.Fprintf(&b, "\n| create --kind %s | |\n|---|---|\n", name)
		for _, f := range k.Flags() {
			fmt.Fprintf(&b, "| --%s | %s |\n", f.Name, strings.ReplaceAll(f.Usage, "`", ""))
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

func (a *App) allCommands(root *cobra.Command) error {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintln(&b, g.title)
		for _, name := range strings.Fields(g.commands) {
			cmd, _, _ := root.Find([]string{name})
			fmt.Fprintf(&b, "  %-10s %s\n", name, cmd.Short)
		}
		fmt.Fprintln(&b)
	}
	return a.Print(b.String() + "All commands accept\n" + root.PersistentFlags().FlagUsagesWrapped(columns) +
		"\nTopics: " + strings.Join(topicNames(), ", ") + "\n")
}

const columns = 80 // of help

// Help prints the page of a command. Words after a command with subcommands are an error: they name none.
func (a *App) Help(cmd *cobra.Command, words []string) error {
	switch isRoot := !cmd.HasParent(); {
	case cmd.HasSubCommands() && len(words) > 0:
		return unknownCommand(cmd, words[0])
	case isRoot:
		return a.Print(firstScreen)
	}
	about, codes, hasCodes := strings.Cut(cmp.Or(cmd.Long, cmd.Short+"."), "\n\nExit codes: ")
	first, rest, _ := strings.Cut(about, "\n\n")
	parts := []string{first, "Usage:  " + cmd.UseLine(), cmd.Example, rest, a.subcommands(cmd)}
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Hidden = true
	if parts = append(parts, cmd.LocalFlags().FlagUsagesWrapped(columns)); hasCodes {
		parts = append(parts, "Exit codes: "+codes)
	}
	parts = append(parts, "Common flags (--json, --operator …): handoff help all")
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], "\n")
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(parts, "\n\n"))
	return err
}

// subcommands returns a line for each subcommand.
func (a *App) subcommands(cmd *cobra.Command) (lines string) {
	for _, sub := range cmd.Commands() {
		lines += fmt.Sprintf("  %-13s %s\n", sub.Name(), sub.Short)
	}
	return lines
}

// namesOf returns the names of commands.
func namesOf(commands []*cobra.Command) (names []string) {
	for _, c := range commands {
		names = append(names, c.Name())
	}
	return names
}

// topicNames returns the names of the topics, sorted.
func topicNames() (names []string) {
	files, _ := topics.ReadDir("topics") // embedded
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".md"))
	}
	return names
}
