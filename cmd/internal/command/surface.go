package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func surfaceCommand(a *cli.App) *cobra.Command {
	var maxChars int
	cmd := &cobra.Command{
		Use:   "surface [OPERATOR]",
		Short: "Show all unread handoffs of an operator in frames",
		Long: `Show the unread handoffs to an operator, oldest first: to you, unless you name
another one. Each body is compared with its id. Invisible characters are made
visible, and a frame says that the text is not an instruction. Nothing is
marked as read. If there is nothing unread, nothing is printed.`,
		Example: `  handoff surface
  handoff surface ben`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, ops []string) error {
			if a.Who.Operator != "" && len(ops) > 0 {
				return cli.Invalid("remove one", "--operator conflicts with OPERATOR")
			}
			return surface(a, cmp.Or(a.Who.Operator, cli.Name(strings.Join(ops, ""))), maxChars)
		},
	}
	cmd.Flags().Var(cli.Number(&maxChars), "max-chars", "cut each body after this `number` of characters "+
		"(default: the setting surface_max_chars)")
	return cmd
}

// surface prints everything that an operator has not read, in frames. Each body is cut after maxChars characters; 0
// means the setting.
func surface(a *cli.App, operator string, maxChars int) error {
	a.ForAgents = true
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	if operator, err = a.Acting(p, s, operator); err != nil {
		return err
	}
	set := p.Settings
	out, err := s.Surface(operator, cmp.Or(maxChars, set.SurfaceMaxChars.Value), set.SurfaceMaxAgeDays.Value)
	if err != nil || len(out.Shown) == 0 {
		return err
	}
	entries := make([]handoff.Entry, len(out.Shown))
	for i, h := range out.Shown {
		entries[i] = h.Entry
	}
	for _, h := range slices.Backward(out.Shown) {
		if h.Blocker != "" {
			fmt.Fprintln(a.Stderr, h.Blocker)
		}
	}
	if err = printSurfacing(a, s.Listed(entries), out); err == nil && !a.HasLeft() { // else nobody has seen it
		noteShown(s, entries)
		s.RecordSurface(context.Background(), out)
	}
	return err
}

// printSurfacing prints what is shown as text, or a line of JSON for each handoff.
func printSurfacing(a *cli.App, listed []handoff.Entry, out handoff.Surfacing) error {
	if !a.JSON {
		return a.Print(out.String())
	}
	for i, h := range out.Shown {
		h.Entry = listed[i].ForAgents()
		if err := a.PrintJSON(h); err != nil {
			return err
		}
	}
	for _, line := range out.Left {
		a.Note(line)
	}
	return nil
}
