// Command handoff passes work from one person or agent to the next.
package main

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
)

func main() { cli.Main(command.Program()) }
