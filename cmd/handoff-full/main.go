// Command handoff-full is the full program: handoff with all commands.
package main

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/full"
)

func main() { cli.Main(full.Program()) }
