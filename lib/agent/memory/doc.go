// Package memory knows what a running session was told, which process runs it, and whether it must be told more.
//
// Agents run a hook at each prompt and after each tool, and mostly there is no news. So the first lines of a [Note] are
// such that a program can compare them before its packages initialize.
package memory

import (
	"flag"
	"io"
	"path/filepath"
	"runtime"
	"time"
)

// A Hook is the command line of an installed hook.
type Hook struct {
	Event, Agent, Operator string
	Bodies                 bool
}

// ParseHook parses the arguments of an installed hook: hook EVENT, and flags. It reports false for other arguments.
func ParseHook(args []string) (h Hook, ok bool) {
	if len(args) < 2 || args[0] != "hook" {
		return h, false
	}
	h.Event = args[1]
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&h.Agent, "agent", "plain", "")
	flags.StringVar(&h.Operator, "operator", "", "")
	flags.BoolVar(&h.Bodies, "bodies", false, "")
	return h, flags.Parse(args[2:]) == nil && flags.NArg() == 0
}

// Patience is how long a hook runs at most.
const Patience = time.Second

// State returns the directory of the user's state, "" if the environment does not determine it.
func State(getenv func(string) string) string {
	return Dir(getenv, "XDG_STATE_HOME", ".local/state", "LocalAppData")
}

// Dir returns the program's directory in the directory of a variable, otherwise in one below the home directory. It
// follows the XDG Base Directory Specification, and the conventions of macOS and Windows.
func Dir(getenv func(string) string, variable, below, windows string) string {
	base, home := getenv(variable), getenv("HOME")
	switch {
	case runtime.GOOS == "windows":
		base = getenv(windows)
	case base != "" || home == "":
	case runtime.GOOS == "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	default:
		base = filepath.Join(home, below)
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "handoff")
}
