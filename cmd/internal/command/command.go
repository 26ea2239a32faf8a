// Package command lists the commands of the program. Each package below it has a group of commands.
package command

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command/agents"
	"github.com/seed-78daf238/handoff/cmd/internal/command/read"
	"github.com/seed-78daf238/handoff/cmd/internal/command/records"
	"github.com/seed-78daf238/handoff/cmd/internal/command/store"
	"github.com/seed-78daf238/handoff/cmd/internal/command/work"
	"github.com/seed-78daf238/handoff/cmd/internal/command/write"
	"github.com/seed-78daf238/handoff/cmd/internal/inbox"
	"github.com/seed-78daf238/handoff/cmd/internal/mcp"
)

// Program returns the program with all commands.
func Program() cli.Program {
	return cli.Program{
		Commands: []cli.Commands{write.Commands, read.Commands, work.Commands, store.Commands, agents.Commands(),
			records.Commands, inbox.Commands, mcp.Commands},
		Quick: agents.QuickHook,
	}
}
