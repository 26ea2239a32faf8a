// Command handoff-full is the full program for scripts.
package main

import (
	"github.com/seed-78daf238/handoff/cmd/handoff/testdata/scripted"
	"github.com/seed-78daf238/handoff/cmd/internal/full"
)

func main() { scripted.Main(full.Program()) }
