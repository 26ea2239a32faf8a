// Command handoff stores documents that hand work over, lists them, and shows them to whoever they are for.
package main

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
)

func main() { cli.Main(command.Program()) }
