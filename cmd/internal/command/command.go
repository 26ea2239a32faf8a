// Package command lists the commands of the fast program. Each package below it has a group of commands.
package command

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command/agents"
	"github.com/seed-78daf238/handoff/cmd/internal/command/read"
	"github.com/seed-78daf238/handoff/cmd/internal/command/store"
	"github.com/seed-78daf238/handoff/cmd/internal/command/work"
	"github.com/seed-78daf238/handoff/cmd/internal/command/write"
)

// Program returns the fast program. The full program has more parts.
func Program() cli.Program {
	return cli.Program{
		Commands: []cli.Commands{write.Commands, read.Commands, work.Commands, store.Commands, agents.Commands()},
		Quick:    []func(*cli.App) bool{agents.QuickHook, read.QuickStatus},
	}
}
