package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Commands maps each command, such as "operators add", to what builds it.
type Commands map[string]func(*App) *cobra.Command

// Group returns what builds a command that only has subcommands.
func Group(use, short, long string) func(*App) *cobra.Command {
	return func(*App) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.ArbitraryArgs, RunE: Subcommand}
	}
}

// groups are the commands that help lists, in the order of use. The others are hidden.
var groups = []struct{ title, commands string }{
	{"Every day", "init write list search read reply take done archive status inbox sync"},
	{"Records", "create show validate check resume onboard"},
	{"Agents", "install mcp watch"},
	{"Store", "log operators verify export import page"},
	{"", "new supersede thread next release mark-read withdraw hook whoami sign doctor help version surface " +
		"uninstall compute-id machine-fingerprint"},
}

// addCommands builds the command of the command line, or all commands if it names none.
func (a *App) addCommands(root *cobra.Command) {
	asked, isHidden := commandOf(a.Args), map[string]bool{}
	var all []string
	for _, g := range groups {
		for _, name := range strings.Fields(g.commands) {
			isHidden[name], all = g.title == "", append(all, name)
		}
	}
	if slices.Contains(all, asked) && asked != "help" {
		all = []string{asked}
		root.CompletionOptions.DisableDefaultCmd = true // builds nothing that is not needed
	} else {
		root.Long = rootHelp()
	}
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true}) // replaces cobra's help command
	for _, name := range all {
		built := a.build(name)
		built.Hidden = isHidden[name]
		// so that help completes hidden commands too; otherwise it would have no man page
		if root.AddCommand(built); name == "help" && isCompleting(a.Args) {
			root.SetHelpCommand(built)
		}
	}
	root.InitDefaultCompletionCmd() // does nothing if it is disabled
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = cobra.ArbitraryArgs, Subcommand
			for _, shell := range c.Commands() {
				shell.Example = "  " + shell.CommandPath()
			}
		}
	}
	for _, c := range root.Commands() {
		a.finish(c)
	}
}

// commandOf returns the command of a command line, "" if other flags than the common ones come before it.
func commandOf(args []string) string {
	if args = afterFlags(args); len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return ""
	}
	return args[0]
}

// afterFlags returns the command line without the common flags at its beginning.
func afterFlags(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch name, _, hasValue := strings.Cut(args[0], "="); name {
		case "--json", "--quiet", "-q":
		case "--root", "--handoffs-dir", "--state-dir", "--operators-file", "--lock-timeout":
			if !hasValue && len(args) > 1 {
				args = args[1:]
			}
		default:
			return args
		}
		args = args[1:]
	}
	return args
}

// build builds a command with its subcommands.
func (a *App) build(name string) *cobra.Command {
	var cmd *cobra.Command
	below := map[string]*cobra.Command{}
	for _, group := range a.program.Commands {
		for path, build := range group {
			if path == name {
				cmd = build(a)
			} else if rest, is := strings.CutPrefix(path, name+" "); is {
				if sub, _, _ := strings.Cut(rest, " "); below[sub] == nil {
					below[sub] = a.build(name + " " + sub)
				}
			}
		}
	}
	switch {
	case name == "help":
		cmd = helpCommand(a)
	case name == "version":
		cmd = versionCommand(a)
	}
	cmd.AddCommand(slices.Collect(maps.Values(below))...)
	return cmd
}
