package everyday

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A command is built only when it is asked for.
type command struct {
	name  string
	group string                    // of `handoff help all`; "" is for a command that help does not list
	build func(*App) *cobra.Command // nil for a command that only the whole program has
	short string                    // of those, so that the fast program knows what there is
}

// commands lists every command, in the order of help.
func commands() []command {
	return []command{
		{"write", "Write", writeCommand, ""},
		{"new", "Write", nil, "Write a handoff in $VISUAL or $EDITOR, then store it"},
		{"reply", "Write", replyCommand, ""},
		{"supersede", "Write", supersedeCommand, ""},
		{"draft", "Write", draftCommand, ""},

		{"list", "Read", listCommand, ""},
		{"read", "Read", readCommand, ""},
		{"search", "Read", searchCommand, ""},
		{"thread", "Read", threadCommand, ""},
		{"log", "Read", nil, "Show what happened to a handoff, from the audit log"},
		{"inbox", "Read", nil, "Work through handoffs on the whole terminal"},
		{"page", "Read", nil, "Write the handoffs as a static site, or serve it on this machine"},
		{"status", "Read", statusCommand, ""},
		{"watch", "Read", nil, "Wait for new handoffs; print each, or run a command"},

		{"next", "Work", nextCommand, ""},
		{"take", "Work", takeCommand, ""},
		{"release", "Work", releaseCommand, ""},
		{"done", "Work", doneCommand, ""},
		{"mark-read", "Work", markReadCommand, ""},
		{"check", "Work", nil, "Check whether work can continue from handoffs"},
		{"resume", "Work", nil, "Resume work from a packet; its token works once"},
		{"approve", "Work", nil, "Approve or reject a handoff that needs an approval"},
		{"probes", "Work", nil, "Allow the tests with which check confirms what a sender claims"},
		{"withdraw", "Work", withdrawCommand, ""},
		{"archive", "Work", archiveCommand, ""},
		{"prune", "Work", nil, "Remove handoffs that were archived long ago, after exporting them"},

		{"record", "Records", nil, "Make, show, validate and repair records: packets, universal, runs"},

		{"install", "Agents", nil, "Register the session hook with a coding agent"},
		{"hook", "Agents", hookCommand, ""},
		{"mcp", "Agents", nil, "Serve the handoffs to a coding agent over the Model Context Protocol"},

		{"init", "Store", initCommand, ""},
		{"whoami", "Store", whoamiCommand, ""},
		{"operators", "Store", operatorsCommand, ""},
		{"sync", "Store", nil, "Exchange handoffs with other clones over a git remote"},
		{"export", "Store", nil, "Write handoffs as one file, to be imported elsewhere"},
		{"import", "Store", nil, "Store the handoffs of a file from export"},
		{"sign", "Store", nil, "Sign stored handoffs with an SSH key"},
		{"verify", "Store", nil, "Check that everything is as it was stored; exits with 6 if not"},
		{"doctor", "Store", nil, "Explain what is wrong with the store and how to fix it; repair it"},
		{"help", "Store", helpCommand, ""},

		{"version", "", versionCommand, ""},
		{"surface", "", surfaceCommand, ""},
		{"uninstall", "", nil, "Remove the session hook from the settings of a coding agent"},
	}
}

// renamed has the words of commands as the first documents of the product have them, and the words that stand for
// them now. Of several that fit the longest counts.
var renamed = map[string]string{
	"show": "record show", "validate": "record validate", "repair": "record repair", "create": "record create",
	"hop": "record hop", "onboard": "record onboard", "compute-id": "record id",
	"receipts": "read --receipts", "unarchive": "archive --undo", "reject": "approve --reject", "man": "help man",
	"audit": "log", "audit verify": "verify --log", "audit head": "log --head", "audit sign": "log --sign",
	"machine-fingerprint": "doctor machine",
}

// inPresentWords returns a command line with the present words of a command.
func inPresentWords(args []string) []string {
	at := len(args) - len(afterFlags(args))
	for at < len(args) && (args[at] == "help" || isCompleting(args[at:])) {
		at++
	}
	for n := min(2, len(args)-at); n > 0; n-- {
		words, is := renamed[strings.Join(args[at:at+n], " ")]
		if is && !(at > 0 && strings.HasPrefix(words, args[at-1]+" ")) { // "help man" has the present words
			return slices.Concat(args[:at], strings.Fields(words), args[at+n:])
		}
	}
	return args
}

// addCommands builds the command that is asked for, or all where none of them is.
func (a *App) addCommands(root *cobra.Command) {
	asked, word := commands(), commandOf(a.Args)
	if at := slices.IndexFunc(asked, func(c command) bool { return c.name == word }); at >= 0 && word != "help" && word != "completion" {
		asked = asked[at : at+1]
		root.CompletionOptions.DisableDefaultCmd = true // what is not asked for is not built
	} else {
		root.Long = rootHelp()
	}
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true}) // help is one of ours
	for _, c := range asked {
		built := a.build(c)
		built.Hidden = c.group == ""
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
	if args = afterFlags(args); len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return ""
	}
	return args[0]
}

// afterFlags returns what follows the flags of all commands at the beginning of a command line.
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
