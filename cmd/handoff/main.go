// Command handoff passes work from one person or agent to the next. It is the fast program; it starts handoff-full for
// the commands that it lacks.
package main

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
)

func main() { cli.Main(command.Program()) }
