// Package whole holds the commands that only the whole program has: those of records, those that look after
// a store, those that set up agents, and the server of the Model Context Protocol.
package whole

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
)

// An app is one run of the program.
type app struct{ *everyday.App }

// Commands returns what the whole program has beside the commands of a day.
func Commands() []everyday.Command {
	var all []everyday.Command
	for _, c := range []struct {
		name  string
		build func(*app) *cobra.Command
	}{
		{"show", showCommand},
		{"check", checkCommand},
		{"resume", resumeCommand},
		{"create", createCommand},
		{"validate", validateCommand},
		{"repair", repairCommand},
		{"onboard", onboardCommand},
		{"mcp", mcpCommand},
		{"install", installCommand},
		{"uninstall", uninstallCommand},
		{"doctor", doctorCommand},
		{"audit", auditCommand},
	} {
		all = append(all, everyday.Command{Name: c.name, Build: func(a *everyday.App) *cobra.Command { return c.build(&app{a}) }})
	}
	return all
}
