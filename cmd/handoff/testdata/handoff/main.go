// Command handoff is the fast program for scripts.
package main

import (
	"github.com/seed-78daf238/handoff/cmd/handoff/testdata/scripted"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
)

func main() { scripted.Main(command.Program()) }
