// Package heard knows what a running session has heard of, and whether it must look for more.
//
// Agents run a hook at each prompt and after each tool, and mostly there is no news. So this package imports only the
// standard library: a program can ask it before most of its other packages initialize.
package heard

import (
	"flag"
	"io"
	"path/filepath"
	"runtime"
	"time"
)

// A Hook is the command line of an installed hook.
type Hook struct {
	Event, Agent, To string
	Bodies           bool // a flag of session-start
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
	flags.StringVar(&h.To, "to", "", "")
	flags.BoolVar(&h.Bodies, "bodies", false, "")
	return h, flags.Parse(args[2:]) == nil && flags.NArg() == 0
}

// Listen returns the memory of the session that an agent names on stdin, its id, and its directory, or cwd if it has
// none. It reports false if the session is not to be told anything now. wait is as in ReadInput.
func Listen(stdin io.Reader, wait time.Duration, getenv func(string) string, agent, cwd string) (m Memory,
	session, dir string, must bool) {
	in := ReadInput(stdin, wait, false)
	session, dir = in.Session(), in.Directory(cwd)
	m = Remember(UserState(getenv), agent, session)
	return m, session, dir, m.HasPlace() && m.MustLook(dir)
}

// UserState returns the directory of the user's state, "" if the environment does not determine it.
func UserState(getenv func(string) string) string {
	return UserDir(getenv, "XDG_STATE_HOME", ".local/state", "LocalAppData")
}

// UserDir returns the program's directory in the directory of a variable, otherwise in one below the home directory.
// It follows the XDG Base Directory Specification, and the conventions of macOS and Windows.
func UserDir(getenv func(string) string, variable, below, windows string) string {
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
