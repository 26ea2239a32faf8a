package cli

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Again runs another command in the same project and returns its error without printing it. The operator is me; ""
// keeps the present one.
func (a *App) Again(stdin io.Reader, stdout, stderr io.Writer, me string, args ...string) error {
	e := a.Env
	e.Stdin, e.Stdout, e.Stderr, e.Args = stdin, stdout, stderr, args
	if e.Getenv = a.Getenv; me != "" {
		e.Getenv = As(me, a.Getenv)
	}
	again := newApp(e, a.program)
	root := again.root()
	again.Flags = a.Flags // they are not among the arguments
	root.SetArgs(e.Args)
	return root.Execute()
}

// InScratch runs another command in dir/project as an operator of a demo. Each has a home.
func (a *App) InScratch(dir, operator string, args []string) error {
	scratch := *a
	scratch.Flags = handoff.ProjectFlags{Root: filepath.Join(dir, "project")}
	scratch.Getwd = func() (string, error) { return scratch.Flags.Root, nil }
	scratch.Getenv = func(name string) string {
		switch name {
		case "HOME":
			return dir
		case "PATH", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR":
			return a.Getenv(name)
		}
		return ""
	}
	return scratch.Again(strings.NewReader(""), a.Stdout, a.Stderr, operator, args...)
}

// As returns an environment that names the operator. It takes precedence over all other sources of the operator.
func As(operator string, getenv func(string) string) func(string) string {
	return func(name string) string {
		if name == "HANDOFF_OPERATOR" {
			return operator
		}
		return getenv(name)
	}
}
