package read

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// drawn is the largest number of handoffs in a picture.
const drawn = 300

type threadFlags struct {
	Format string `one:"tree,dot,mermaid,svg" default:"tree"`
	*cli.Paging
}

func thread(a *cli.App, f *threadFlags, ids []string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	t, err := s.Thread(ids[0])
	switch {
	case err != nil:
		return err
	case a.JSON:
		return a.PrintJSON(t)
	case f.Format == "tree":
		return a.Print(t.Tree(cli.TerminalWidth(a.Stdout), a.When))
	}
	t = t.Around(drawn)
	if t.Left > 0 {
		a.Note("the picture is too small for the whole thread; left out: " + handoff.Count(t.Left, "handoff"))
	}
	return a.Print(t.As(f.Format))
}
