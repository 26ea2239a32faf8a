package everyday

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A command is built only when it is asked for.
type command struct {
	name  string
	build func(*App) *cobra.Command
	short string // of those beyond the fast program, which is to know what there is
}

// commands lists every command. Those without a builder only the whole program has.
var commands = []command{
	{"write", writeCommand, ""},
	{"compute-id", computeIDCommand, ""},
	{"reply", replyCommand, ""},
	{"supersede", supersedeCommand, ""},
	{"list", listCommand, ""},
	{"search", searchCommand, ""},
	{"read", readCommand, ""},
	{"thread", threadCommand, ""},
	{"mark-read", markReadCommand, ""},
	{"next", nextCommand, ""},
	{"take", takeCommand, ""},
	{"release", releaseCommand, ""},
	{"done", doneCommand, ""},
	{"archive", archiveCommand, ""},
	{"unarchive", unarchiveCommand, ""},
	{"surface", surfaceCommand, ""},
	{"receipts", receiptsCommand, ""},
	{"draft", draftCommand, ""},
	{"hook", hookCommand, ""},
	{"operators", operatorsCommand, ""},
	{"machine-fingerprint", fingerprintCommand, ""},
	{"init", initCommand, ""},
	{"whoami", whoamiCommand, ""},
	{"status", statusCommand, ""},
	{"version", versionCommand, ""},
	{"help", helpCommand, ""},

	{"inbox", nil, "Look at handoffs on the whole terminal, and work through them"},
	{"new", nil, "Write a handoff in $VISUAL or $EDITOR, then store it"},
	{"verify", nil, "Derive everything again and name every fault; exits with 6 if there is one"},
	{"doctor", nil, "Say what is wrong with the store and how to mend it; mend it if asked"},
	{"audit", nil, "Check the audit log, print its head, sign it"},
	{"show", nil, "Print the record that a handoff carries"},
	{"check", nil, "Check whether work can be resumed from handoffs"},
	{"resume", nil, "Resume work from a stored handoff, once and for all"},
	{"approve", nil, "Let others act on a handoff that needs an approval"},
	{"reject", nil, "Reject a handoff, for good"},
	{"probes", nil, "Say which programs may find out whether what a handoff claims holds"},
	{"create", nil, "Store what a run did, validated and left open"},
	{"hop", nil, "Make and store the next universal handoff of a chain"},
	{"validate", nil, "Validate universal handoffs: schema, tokens, semantics"},
	{"repair", nil, "Repair a universal handoff"},
	{"onboard", nil, "Print what the next run of a project should know"},
	{"prune", nil, "Take out what was archived long ago, once a bundle has it"},
	{"export", nil, "Write handoffs as one file, to be imported elsewhere"},
	{"page", nil, "Draw the handoffs as a site of files, or show it on this machine"},
	{"import", nil, "Store the handoffs of a file that export has made"},
	{"sign", nil, "Sign stored handoffs with an SSH key"},
	{"sync", nil, "Exchange handoffs with other clones, over a git remote"},
	{"install", nil, "Register the session-start hook with a coding agent"},
	{"uninstall", nil, "Take the session-start hook out of the settings of a coding agent"},
	{"watch", nil, "Wait for new handoffs, and print or run something for each"},
	{"man", nil, "Write the man pages into a directory"},
	{"mcp", nil, "Serve the handoffs to a coding agent over the Model Context Protocol"},
}

// addCommands builds the command that is asked for, or all where none of them is.
func (a *App) addCommands(root *cobra.Command) {
	asked, word := commands, commandOf(a.Args)
	if at := slices.IndexFunc(commands, func(c command) bool { return c.name == word }); at >= 0 && word != "help" {
		asked = commands[at : at+1]
		root.CompletionOptions.DisableDefaultCmd = true // what is not asked for is not built
	} else {
		root.Long = rootHelp()
	}
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true}) // help is one of ours
	for _, c := range asked {
		built := a.build(c)
		a.finish(built, c.name)
		if root.AddCommand(built); c.name == "help" && isCompleting(a.Args) { // where hidden ones are offered; it has no page else
			root.SetHelpCommand(built)
		}
	}
	root.InitDefaultCompletionCmd() // does nothing where it is disabled
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			a.completes(c)
		}
	}
}

// commandOf returns the word of a command line that names the command, "" where that cannot be told without the flags
// of commands: only flags of all commands may stand before it.
func commandOf(args []string) string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch name, _, hasValue := strings.Cut(args[0], "="); name {
		case "--json", "--quiet", "-q":
		case "--root", "--handoffs-dir", "--state-dir", "--operators-file", "--lock-timeout":
			if !hasValue && len(args) > 1 {
				args = args[1:]
			}
		default:
			return ""
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (a *App) build(c command) *cobra.Command {
	switch {
	case c.build != nil:
		return c.build(a)
	case a.whole != nil:
		built := a.whole.Commands[c.name](a)
		built.Short = c.short
		return built
	}
	return &cobra.Command{Use: c.name, Short: c.short, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return errBeyond }}
}
