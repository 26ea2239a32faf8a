package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands maps each command to what builds it.
type Commands map[string]func(*App) *cobra.Command

// groups are the commands that `handoff help all` lists, in the order of use. Help does not list the others.
var groups = []struct{ title, commands string }{
	{"Every day", "init write list search read reply take done archive status inbox sync"},
	{"Records", "create show validate check resume onboard"},
	{"Agents", "install mcp watch"},
	{"Store", "log operators verify export import page"},
}

// Group returns what builds a command that only has subcommands.
func Group(name, short, long string, below ...func(*App) *cobra.Command) func(*App) *cobra.Command {
	return func(a *App) *cobra.Command {
		cmd := &cobra.Command{Use: name, Short: short, Long: long, Args: cobra.ArbitraryArgs, RunE: needsSubcommand}
		for _, build := range below {
			cmd.AddCommand(build(a))
		}
		return cmd
	}
}

// needsSubcommand returns the error of a command that was run without one of its subcommands.
func needsSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return Invalid("run `"+cmd.CommandPath()+" --help`", "%s needs one of %s", cmd.Name(),
		strings.Join(namesOf(cmd.Commands()), ", "))
}

// commands returns all commands of the program but completion, which is cobra's.
func (a *App) commands() Commands {
	all := Commands{"help": helpCommand, "version": versionCommand}
	for _, some := range a.program.Commands {
		maps.Copy(all, some)
	}
	return all
}

// addCommands builds the command of the command line. If it names none, or asks about others, it builds all.
func (a *App) addCommands(root *cobra.Command) {
	all, listed := a.commands(), ""
	for _, g := range groups {
		listed += " " + g.commands
	}
	asked := a.asked()
	if build := all[asked]; build != nil && asked != "help" {
		all = Commands{asked: build}
	}
	for name, build := range all {
		cmd := build(a)
		cmd.Hidden = !slices.Contains(strings.Fields(listed), name)
		root.AddCommand(cmd)
		if name == "help" {
			root.SetHelpCommand(cmd)
		}
	}
	if len(all) == 1 {
		root.SetHelpCommand(&cobra.Command{Use: "help", Hidden: true}) // cobra would build its own
		root.CompletionOptions.DisableDefaultCmd = true
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, needsSubcommand
			for _, shell := range cmd.Commands() {
				shell.Example = "  " + shell.CommandPath()
			}
		}
		a.finish(cmd)
	}
	a.finishFlags(root, root.PersistentFlags())
}

// asked returns the command of the command line, also of one that is being completed; "" if there is none.
func (a *App) asked() string {
	args := a.Args
	if len(args) > 2 && isCompleting(args) {
		args = args[1:]
	}
	flags, scratch := pflag.NewFlagSet("", pflag.ContinueOnError), newApp(Env{}, Program{})
	flags.SetInterspersed(false)
	flags.Usage = func() {}
	scratch.commonFlags(flags)
	if flags.Parse(args) != nil {
		return ""
	}
	return flags.Arg(0)
}
