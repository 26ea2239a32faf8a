// Package agents has install, uninstall and hook.
package agents

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands returns the commands of the package.
func Commands() cli.Commands {
	all := cli.Commands{
		"install":   cli.Of(installAgent),
		"uninstall": cli.Of(uninstallAgent),
	}
	for _, e := range events {
		all["hook "+e.name] = func(a *cli.App) *cobra.Command { return eventCommand(a, e) }
	}
	return all
}
