package cli

import "io"

// Again runs another command in the same project and returns its error without printing it. The operator is me; ""
// keeps the present one.
func (a *App) Again(stdin io.Reader, stdout, stderr io.Writer, me string, args ...string) error {
	e := a.Env
	e.Stdin, e.Stdout, e.Stderr, e.Args = stdin, stdout, stderr, args
	if e.Getenv = a.Getenv; me != "" {
		e.Getenv = As(me, a.Getenv)
	}
	again := newApp(e, a.program)
	again.Flags = a.Flags
	root := again.root()
	root.SetArgs(e.Args)
	return root.Execute()
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
