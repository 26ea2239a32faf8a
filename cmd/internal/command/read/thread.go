package read

import (
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/thread"
)

// drawn is the largest number of handoffs in a picture.
const drawn = 300

// threadFormats maps a format to the function that draws a thread in it.
var threadFormats = map[string]func(thread.Thread) string{
	"dot":     thread.Thread.DOT,
	"mermaid": thread.Thread.Mermaid,
	"svg":     thread.Thread.SVG,
}

func threadCommand(a *app) *cobra.Command {
	format := "tree"
	cmd := &cobra.Command{
		Use:   "thread ID",
		Short: "Show a handoff with its replies and successors",
		Long: `Show the handoffs that are connected by replies (re:) and successors
(supersedes:), oldest first, each below the handoff that it names. Only the
sender or recipient of a handoff can supersede it; other attempts are shown as
claims. If two handoffs supersede the same one, both are current. For a handoff
that is not stored here you see its id alone.

--format mermaid, dot or svg draws who gave which handoff to whom, with states;
time goes down. A picture has at most 300 handoffs, around the one you name.`,
		Example:           "  handoff thread 134327a8\n  handoff thread 134327a8 --format svg >thread.svg",
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
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
			case format == "tree":
				_, err = io.WriteString(a.Stdout, t.Tree(cli.TerminalWidth(a.Stdout), a.When))
				return err
			}
			t = t.Around(drawn)
			if t.Left > 0 {
				a.Note("the picture is too small for the whole thread; left out: " + handoff.Count(t.Left, "handoff"))
			}
			_, err = io.WriteString(a.Stdout, threadFormats[format](t))
			return err
		},
	}
	a.Format(cmd, &format, append([]string{"tree"}, slices.Sorted(maps.Keys(threadFormats))...)...)
	return cmd
}
