package cli

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// topics holds a file NAME.md for each topic. Its first line is its heading.
//
//go:embed topics/*.md
var topics embed.FS

// daily lists the commands of the first screen, of which the first three are for the start.
var daily = []string{"init", "write", "list", "read", "reply", "take", "done", "inbox", "sync"}

func helpCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC|all|topics]",
		Short: "Show help for a command or a topic",
		Long:  "Show the help of a command or a topic. all lists all commands, topics all\ntopics.",
		Example: `  handoff help write
  handoff help all
  handoff help operators`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var offers []string
			for _, name := range topicNames() {
				offers = append(offers, Offer(name, topicTitle(name)))
			}
			for _, c := range cmd.Root().Commands() {
				if c.IsAvailableCommand() {
					offers = append(offers, Offer(c.Name(), c.Short))
				}
			}
			return append(offers, Offer("all", "All commands, in groups"),
				Offer("topics", "All topics")), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.help(cmd.Root(), args) },
	}
}

func (a *App) help(root *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return a.firstScreen(root)
	case args[0] == "all":
		return a.allCommands(root)
	case args[0] == "topics":
		return a.allTopics()
	}
	text, err := topics.ReadFile("topics/" + args[0] + ".md")
	isTopic := err == nil && len(args) == 1
	if isTopic && !slices.Contains(names(root), args[0]) {
		return a.printTopic(string(text))
	}
	about, rest, err := root.Find(args)
	if err != nil || about == root || len(rest) > 0 {
		return unknownHelp(about, args, rest)
	}
	about.InitDefaultHelpFlag()
	if err := about.Help(); err != nil || !isTopic {
		return err
	}
	return a.printTopic("\n" + string(text))
}

// printTopic prints the text of a topic, on a terminal with its tables drawn.
func (a *App) printTopic(text string) error {
	if width := TerminalWidth(a.Stdout); width > 0 {
		text = strings.Join(handoff.Lines(text, "", min(width, 100), a.Colors()), "\n") + "\n"
	}
	return a.Print(text)
}

// unknownHelp returns the error for words that name no command and no topic. about is the command of the first words,
// rest the unknown ones.
func unknownHelp(about *cobra.Command, words, rest []string) error {
	known, path := names(about), "handoff help "
	if about.HasParent() {
		path += strings.Join(words[:len(words)-len(rest)], " ") + " "
	} else {
		known = append(append(known, topicNames()...), "all", "topics")
	}
	hint := "the topics are " + strings.Join(topicNames(), ", ") + "; `handoff help all` shows the commands"
	return unknown(hint, path, strings.Join(rest, " "), known, "no command or topic %q")
}

// firstScreen prints the help for newcomers.
func (a *App) firstScreen(root *cobra.Command) error {
	var b strings.Builder
	b.WriteString("handoff passes work from one person or agent to the next.\n\nStart\n")
	b.WriteString(lines(root, daily[:3]) + "\nEvery day\n" + lines(root, daily[3:]))
	b.WriteString(`
  handoff help all       all commands
  handoff help topics    formats, settings, git, scripting and more
  handoff COMMAND --help

Try:  echo 'Tests are green.' | handoff write - --to ben
`)
	return a.Print(b.String())
}

func (a *App) allCommands(root *cobra.Command) error {
	var b strings.Builder
	for _, g := range groups[:len(groups)-1] { // the last ones are hidden
		b.WriteString(g.title + "\n" + lines(root, strings.Fields(g.commands)) + "\n")
	}
	b.WriteString("All commands accept\n" + root.PersistentFlags().FlagUsagesWrapped(columns) + "\n")
	b.WriteString(strings.Join(handoff.Wrap("Topics: "+strings.Join(topicNames(), ", "), columns), "\n") + "\n")
	return a.Print(b.String())
}

const columns = 80 // of help

// usage prints the part of the help of a command that follows its description.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() {
		b.WriteString("  " + cmd.UseLine() + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("  " + cmd.CommandPath() + " COMMAND\n\nCommands:\n")
		b.WriteString(linesOf(cmd, names(cmd), len("session-start")))
	}
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString("\nFlags:\n" + cmd.LocalFlags().FlagUsagesWrapped(columns))
	}
	b.WriteString("\nFlags of all commands: handoff help all\n")
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

func (a *App) allTopics() error {
	for _, name := range topicNames() {
		if _, err := fmt.Fprintf(a.Stdout, "  %-12s %s\n", name, topicTitle(name)); err != nil {
			return err
		}
	}
	return nil
}

// topicTitle returns the heading of a topic.
func topicTitle(name string) string {
	text, _ := topics.ReadFile("topics/" + name + ".md") // embedded
	title, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(title, "# ")
}

// lines returns a line with name and description for each command of the program.
func lines(root *cobra.Command, which []string) string { return linesOf(root, which, 14) }

func linesOf(root *cobra.Command, which []string, width int) string {
	var b strings.Builder
	for _, name := range which {
		if at := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }); at >= 0 {
			fmt.Fprintf(&b, "  %-*s %s\n", width, name, root.Commands()[at].Short)
		}
	}
	return b.String()
}

func names(root *cobra.Command) []string {
	var all []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Hidden && c.Name() != "no-help" {
			all = append(all, c.Name())
		}
	}
	return all
}

// topicNames returns the names of the topics, sorted.
func topicNames() []string {
	files, _ := topics.ReadDir("topics") // embedded
	all := make([]string, len(files))
	for i, f := range files {
		all[i] = strings.TrimSuffix(f.Name(), ".md")
	}
	return all
}
