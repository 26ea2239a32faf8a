package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A command is an entry of the table of commands. It is built only if the command line needs it.
type command struct {
	name  string
	group string // of `handoff help all`; "" if help does not list it
	full  bool   // only the full program has it, and the fast one does not link it
	short string // Short of such a command
}

// commands lists every command, in the order of help.
func commands() []command {
	return []command{
		{"write", "Write", false, ""},
		{"new", "Write", true, "Write a handoff in your editor; --kind makes a record"},
		{"reply", "Write", false, ""},
		{"supersede", "Write", false, ""},
		{"draft", "Write", false, ""},

		{"list", "Read", false, ""},
		{"read", "Read", false, ""},
		{"search", "Read", false, ""},
		{"thread", "Read", false, ""},
		{"log", "Read", true, "Show what happened to a handoff"},
		{"inbox", "Read", true, "Browse and handle handoffs, full screen"},
		{"page", "Read", true, "Make a web site of the handoffs"},
		{"status", "Read", false, ""},
		{"watch", "Read", true, "Wait for new handoffs; print each, or run a command"},

		{"next", "Work", false, ""},
		{"take", "Work", false, ""},
		{"release", "Work", false, ""},
		{"done", "Work", false, ""},
		{"mark-read", "Work", false, ""},
		{"check", "Work", true, "Check whether work can continue from a handoff"},
		{"resume", "Work", true, "Resume work from a packet; its token works once"},
		{"approve", "Work", true, "Approve a handoff; --reject rejects it"},
		{"probes", "Work", true, "Choose the tests that check may run"},
		{"withdraw", "Work", false, ""},
		{"archive", "Work", false, ""},
		{"prune", "Work", true, "Export and remove handoffs archived long ago"},

		{"record", "Records", true, "Make, show, validate and repair structured records"},

		{"install", "Agents", true, "Add the hooks to a coding agent"},
		{"hook", "Agents", false, ""},
		{"mcp", "Agents", true, "Serve handoffs to an agent over MCP"},

		{"init", "Store", false, ""},
		{"whoami", "Store", false, ""},
		{"operators", "Store", false, ""},
		{"sync", "Store", true, "Exchange handoffs with other clones"},
		{"export", "Store", true, "Write handoffs to a file"},
		{"import", "Store", true, "Store the handoffs of an exported file"},
		{"sign", "Store", true, "Sign handoffs with an SSH key"},
		{"verify", "Store", true, "Check that everything is as it was stored"},
		{"doctor", "Store", true, "Find faults; --repair repairs them"},
		{"help", "Store", false, ""},

		{"version", "", false, ""},
		{"surface", "", false, ""},
		{"uninstall", "", true, "Remove the hooks"},
	}
}

// renamed maps former command words to the present ones. If several match, the longest counts.
var renamed = map[string]string{
	"show": "record show", "validate": "record validate", "repair": "record repair", "create": "record create",
	"hop": "record hop", "onboard": "record onboard", "compute-id": "record id",
	"receipts": "read --receipts", "unarchive": "archive --undo", "reject": "approve --reject", "man": "help man",
	"audit": "log", "audit verify": "verify --log", "audit head": "log --head", "audit sign": "log --sign",
	"machine-fingerprint": "doctor machine",
}

// inPresentWords replaces former command words in a command line by the present ones.
func inPresentWords(args []string) []string {
	at := len(args) - len(afterFlags(args))
	for at < len(args) && (args[at] == "help" || isCompleting(args[at:])) {
		at++
	}
	for n := min(2, len(args)-at); n > 0; n-- {
		words, is := renamed[strings.Join(args[at:at+n], " ")]
		if is && !(at > 0 && strings.HasPrefix(words, args[at-1]+" ")) { // such as "help man", which is present already
			return slices.Concat(args[:at], strings.Fields(words), args[at+n:])
		}
	}
	return args
}

// addCommands builds the command of the command line, or all commands if it names none.
func (a *App) addCommands(root *cobra.Command) {
	asked, word := commands(), commandOf(a.Args)
	if at := slices.IndexFunc(asked, func(c command) bool { return c.name == word }); at >= 0 && word != "help" &&
		word != "completion" {
		asked = asked[at : at+1]
		root.CompletionOptions.DisableDefaultCmd = true // builds nothing that is not needed
	} else {
		root.Long = rootHelp()
	}
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true}) // replaces cobra's help command
	for _, c := range asked {
		built := a.build(c)
		built.Hidden = c.group == ""
		a.finish(built, c.name)
		// so that help completes hidden commands too; otherwise it would have no man page
		if root.AddCommand(built); c.name == "help" && isCompleting(a.Args) {
			root.SetHelpCommand(built)
		}
	}
	root.InitDefaultCompletionCmd() // does nothing if it is disabled
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			a.completes(c)
		}
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

// build builds a command. In the fast program, a command that needs the full one only returns ErrBeyond.
func (a *App) build(c command) *cobra.Command {
	switch c.name {
	case "help":
		return helpCommand(a)
	case "version":
		return versionCommand(a)
	}
	for _, group := range a.program.Commands {
		if build := group[c.name]; build != nil {
			built := build(a)
			built.Short = cmp.Or(built.Short, c.short)
			return built
		}
	}
	return &cobra.Command{Use: c.name, Short: c.short, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return ErrBeyond }}
}
