package main

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func mcpCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the handoffs to a coding agent over the Model Context Protocol",
		Long: `Serve the handoffs of the project over the Model Context Protocol, on standard input and output: tools
handoff_list, handoff_read, handoff_write, handoff_mark_read, handoff_check and handoff_resume, whose
arguments are named as the flags, and the resource handoff://{id}. It is the program handoff-mcp that
lies beside this one; PATH is not searched.`,
		Example: "  claude mcp add handoff -- handoff mcp",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			self, err := executable()
			if err != nil {
				return &handoff.Error{Class: handoff.ErrConfig, Problem: "the program's own path is not known: " + err.Error(), Cause: err}
			}
			if real, err := filepath.EvalSymlinks(self); err == nil { // a link to this program has no others beside it
				self = real
			}
			program := filepath.Join(filepath.Dir(self), "handoff-mcp"+filepath.Ext(self))
			err = become(program, a.globalFlags())
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				return &handoff.Error{Class: handoff.ErrConfig, Problem: program + " cannot be run: " + err.Error(),
					Advice: "install all programs together: `go install ./cmd/...`", Cause: err}
			}
			return err
		},
	}
}

// globalFlags returns the flags that say where the store is, as they were given.
func (a *app) globalFlags() (args []string) {
	f := a.flags
	for _, flag := range []struct{ name, value string }{
		{"handoffs-dir", f.HandoffsDir}, {"state-dir", f.StateDir}, {"root", f.Root}, {"operators-file", f.OperatorsFile},
	} {
		if flag.value != "" {
			args = append(args, "--"+flag.name+"="+flag.value)
		}
	}
	if f.LockTimeout > 0 {
		args = append(args, "--lock-timeout="+f.LockTimeout.String())
	}
	return args
}
