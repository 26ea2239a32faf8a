package cli

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// topics holds a file for each topic, named for it. Its first line is a heading that says what it is about.
//
//go:embed topics/*.md
var topics embed.FS

// daily are the commands of a day, which the first screen of help shows: ten at most.
var daily = []string{"write", "new", "list", "read", "reply", "next", "done", "inbox", "sync", "help"}

func helpCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC|all|topics|man DIR]",
		Short: "Explain a command or a topic",
		Long: `Print how a command is used, or what is said about a topic. all shows every command in groups,
topics every topic. man writes the man pages, one for each command, into a directory: ` + "`man -l DIR/handoff.1`" + `
shows the first. Pages of another version are replaced; a file of yours with the name of a page is refused, and
so is a symbolic link of the project.`,
		Example: "  handoff help write\n  handoff help all\n  handoff help operators\n  handoff help man ~/.local/share/man/man1",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, map[bool]cobra.ShellCompDirective{true: cobra.ShellCompDirectiveFilterDirs, false: cobra.ShellCompDirectiveNoFileComp}[args[0] == "man"]
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
			return append(offers, Offer("all", "Every command, in groups"), Offer("topics", "Every topic"), Offer("man", "Write the man pages into a directory")), cobra.ShellCompDirectiveNoFileComp
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
	case args[0] == "man":
		return a.manPages(args[1:])
	}
	if text, err := topics.ReadFile("topics/" + args[0] + ".md"); err == nil && len(args) == 1 && !slices.Contains(names(root), args[0]) {
		_, err = a.Stdout.Write(text)
		return err
	}
	about, rest, err := root.Find(args)
	if err != nil || about == root || len(rest) > 0 {
		return unknownHelp(about, args, rest)
	}
	about.InitDefaultHelpFlag()
	if err := about.Help(); err != nil {
		return err
	}
	if text, err := topics.ReadFile("topics/" + args[0] + ".md"); err == nil && len(args) == 1 {
		_, err = fmt.Fprintf(a.Stdout, "\n%s", text)
		return err
	}
	return nil
}

// manPages writes the man pages into the directory that is named.
func (a *App) manPages(dirs []string) error {
	switch {
	case len(dirs) != 1:
		return Invalid("use `handoff help man DIR`", "help man: wrong number of arguments: %d", len(dirs))
	case a.Full == nil:
		return ErrBeyond
	}
	return a.Full.ManPages(a, dirs[0])
}

// unknownHelp is the error for words of which the first name a command, or for none the root, and the rest nothing.
func unknownHelp(about *cobra.Command, words, rest []string) error {
	known, path := names(about), "handoff help "
	if about.HasParent() {
		path += strings.Join(words[:len(words)-len(rest)], " ") + " "
	} else {
		known = append(append(known, topicNames()...), "all", "topics")
	}
	hint := "the topics are " + strings.Join(topicNames(), ", ") + "; `handoff help all` shows the commands"
	if near := meant(strings.Join(rest, " "), known); near != "" {
		hint = "did you mean `" + path + near + "`?"
	}
	return Invalid(hint, "there is no command and no topic %q", strings.Join(words, " "))
}

// firstScreen is what a newcomer sees.
func (a *App) firstScreen(root *cobra.Command) error {
	var b strings.Builder
	b.WriteString("handoff keeps the documents with which people and coding agents hand work over.\n\n")
	b.WriteString(lines(root, daily))
	b.WriteString(`
  handoff help all       every command, in groups
  handoff help topics    formats, operators, settings, exit codes and more
  handoff COMMAND --help

Start with ` + "`handoff init`, then `echo 'Tests are green.' | handoff write - --to ben`.\n")
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

func (a *App) allCommands(root *cobra.Command) error {
	var b strings.Builder
	group := ""
	for _, c := range commands() {
		if c.group == "" {
			continue
		}
		if c.group != group {
			b.WriteString(map[bool]string{true: "\n"}[group != ""] + c.group + "\n")
			group = c.group
		}
		b.WriteString(lines(root, []string{c.name}))
	}
	b.WriteString("\nEvery command has\n" + root.PersistentFlags().FlagUsages() + "\nTopics: " + strings.Join(topicNames(), ", ") + "\n")
	_, err := io.WriteString(a.Stdout, b.String())
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

// topicTitle says what a topic is about.
func topicTitle(name string) string {
	text, _ := topics.ReadFile("topics/" + name + ".md") // it is there
	title, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(title, "# ")
}

// lines has a line for each of the commands that there are.
func lines(root *cobra.Command, which []string) string {
	var b strings.Builder
	for _, name := range which {
		if at := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }); at >= 0 {
			fmt.Fprintf(&b, "  %-20s %s\n", name, root.Commands()[at].Short)
		}
	}
	return b.String()
}

func names(root *cobra.Command) []string {
	var all []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, c.Name())
		}
	}
	return all
}

// topicNames returns the names of the topics, sorted.
func topicNames() []string {
	files, _ := topics.ReadDir("topics") // it is there
	all := make([]string, len(files))
	for i, f := range files {
		all[i] = strings.TrimSuffix(f.Name(), ".md")
	}
	return all
}
