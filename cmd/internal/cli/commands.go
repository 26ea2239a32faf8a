package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A command is built only when it is asked for.
type command struct {
	name  string
	group string // of `handoff help all`; "" is for a command that help does not list
	full  bool   // only the full program does it
	short string // of a command that the fast program does not even link
}

// commands lists every command, in the order of help.
func commands() []command {
	return []command{
		{"write", "Write", false, ""},
		{"new", "Write", true, "Write a handoff in $VISUAL or $EDITOR, then store it"},
		{"reply", "Write", false, ""},
		{"supersede", "Write", false, ""},
		{"draft", "Write", false, ""},

		{"list", "Read", false, ""},
		{"read", "Read", false, ""},
		{"search", "Read", false, ""},
		{"thread", "Read", false, ""},
		{"log", "Read", true, ""},
		{"inbox", "Read", true, "Work through handoffs on the whole terminal"},
		{"page", "Read", true, "Write the handoffs as a static site, or serve it on this machine"},
		{"status", "Read", false, ""},
		{"watch", "Read", true, ""},

		{"next", "Work", false, ""},
		{"take", "Work", false, ""},
		{"release", "Work", false, ""},
		{"done", "Work", false, ""},
		{"mark-read", "Work", false, ""},
		{"check", "Work", true, "Check whether work can continue from handoffs"},
		{"resume", "Work", true, "Resume work from a packet; its token works once"},
		{"approve", "Work", true, ""},
		{"probes", "Work", true, "Allow the tests with which check confirms what a sender claims"},
		{"withdraw", "Work", false, ""},
		{"archive", "Work", false, ""},
		{"prune", "Work", true, ""},

		{"record", "Records", true, "Make, show, validate and repair records: packets, universal, runs"},

		{"install", "Agents", true, ""},
		{"hook", "Agents", false, ""},
		{"mcp", "Agents", true, "Serve the handoffs to a coding agent over the Model Context Protocol"},

		{"init", "Store", false, ""},
		{"whoami", "Store", false, ""},
		{"operators", "Store", false, ""},
		{"sync", "Store", true, ""},
		{"export", "Store", true, ""},
		{"import", "Store", true, ""},
		{"sign", "Store", true, ""},
		{"verify", "Store", true, ""},
		{"doctor", "Store", true, ""},
		{"help", "Store", false, ""},

		{"version", "", false, ""},
		{"surface", "", false, ""},
		{"uninstall", "", true, ""},
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

// build builds a command. Without the full program, a command that needs it only gives way.
func (a *App) build(c command) *cobra.Command {
	switch c.name {
	case "help":
		return helpCommand(a)
	case "version":
		return versionCommand(a)
	}
	built := &cobra.Command{Use: c.name, Short: c.short}
	for _, group := range a.program.Commands {
		if build := group[c.name]; build != nil {
			built = build(a)
			built.Short = cmp.Or(built.Short, c.short)
		}
	}
	if c.full && a.Full == nil {
		built = &cobra.Command{Use: c.name, Short: built.Short, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return ErrBeyond }}
	}
	return built
}
