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

// drawn is how many handoffs of a thread a picture has.
const drawn = 300

// threadFormats are the pictures of a thread.
var threadFormats = map[string]func(thread.Thread) string{
	"dot":     thread.Thread.DOT,
	"mermaid": thread.Thread.Mermaid,
	"svg":     thread.Thread.SVG,
}

func threadCommand(a *app) *cobra.Command {
	format := "tree"
	cmd := &cobra.Command{
		Use:   "thread ID",
		Short: "Show what answers and supersedes a handoff, and what it answers: all that is connected",
		Long: `Show the handoffs that are connected by answers (re:) and by what supersedes what, in the order in which they were
written, each below the one that it names. What claims to supersede a handoff, and is from neither its sender nor its
recipient, counts for nothing and is shown as such; two that supersede the same are both current. A handoff that
is named and not here has its id alone.

--format mermaid, dot or svg draws who handed what to whom, with states; time goes down. A picture has 300 handoffs
at most, around the one that is asked for.`,
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
				_, err = io.WriteString(a.Stdout, t.Tree(cli.TerminalWidth(a.Stdout)))
				return err
			}
			t = t.Around(drawn)
			if t.Left > 0 {
				a.Note("the picture has those around the one that was asked for; not drawn are " + handoff.Count(t.Left, "handoff"))
			}
			_, err = io.WriteString(a.Stdout, threadFormats[format](t))
			return err
		},
	}
	a.Format(cmd, &format, append([]string{"tree"}, slices.Sorted(maps.Keys(threadFormats))...)...)
	return cmd
}
