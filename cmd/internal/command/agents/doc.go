// Package agents has install, uninstall and hook.
package agents

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands returns the commands of the package.
func Commands() cli.Commands {
	all := cli.Commands{
		"install":   installCommand,
		"uninstall": uninstallCommand,
		"hook":      cli.Group("hook", "Run by coding agents, not by you", ""),
	}
	for _, e := range events {
		all["hook "+e.name] = func(a *cli.App) *cobra.Command { return e.command(a) }
	}
	return all
}
