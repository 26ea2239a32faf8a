// Command handoff-full is the whole of handoff: what handoff becomes for what it does not do itself.
package main

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/full"
)

func main() { cli.Main(full.Program()) }
