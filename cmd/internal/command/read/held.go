package read

import (
	"bufio"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// heldFlag adds --held to list.
func heldFlag(cmd *cobra.Command, held *bool) {
	cmd.Flags().BoolVar(held, "held", false,
		"what was received and is refused for now, with the reason and the way out")
	for _, flag := range []string{"unread", "all", "state", "offered", "orphaned", "here", "tag", "agent"} {
		cli.Exclusive(cmd, "held", flag)
	}
}

// listHeld prints the handoffs that are held.
func (a *app) listHeld(chosen handoff.Filter, l listing) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	all, err := exchange.ReadHeld(s)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(h exchange.Held) bool { return !matchesHeld(chosen, h) })
	slices.SortStableFunc(all, func(x, y exchange.Held) int { return timeOf(y.Time).Compare(timeOf(x.Time)) })
	if l.limit > 0 && l.limit < len(all) {
		all = all[:l.limit]
	}
	if l.reverse {
		slices.Reverse(all)
	}
	if len(all) == 0 && cli.IsTerminal(a.Stdout) {
		a.Note("nothing is held")
	}
	out := bufio.NewWriter(a.Stdout)
	if err := a.printHeld(out, all, l.format); err != nil {
		return err
	}
	return out.Flush()
}

func matchesHeld(f handoff.Filter, h exchange.Held) bool {
	at := timeOf(h.Time)
	return (f.To == "" || f.To == h.To) && (f.From == "" || f.From == h.From) &&
		(f.Topic == "" || f.Topic == h.Topic) &&
		(f.Since.IsZero() || !at.Before(f.Since)) && (f.Until.IsZero() || at.Before(f.Until))
}

func (a *app) printHeld(w *bufio.Writer, all []exchange.Held, format string) error {
	switch format {
	case "json":
		return cli.EncodeJSON(w, append([]exchange.Held{}, all...))
	case "jsonl":
		for _, h := range all {
			if err := cli.EncodeJSON(w, h); err != nil {
				return err
			}
		}
		return nil
	}
	people := cli.IsTerminal(a.Stdout)
	for _, h := range all {
		id := cli.Short(h.ID, cli.Shortest)
		switch when := h.Time; {
		case format == "ids":
			fmt.Fprintln(w, handoff.EscapeLine(h.ID))
		case people || format == "table":
			row := []string{id, h.From + " to " + h.To, a.When(when), h.Topic}
			if h.From == "" {
				row = []string{id, "malformed"}
			}
			lines := handoff.Table(cli.TerminalWidth(a.Stdout), row, nil)
			fmt.Fprint(w, a.Styled(cli.Bold, lines[:len(lines)-1])+"\n"+wrapped(a, "held: "+h.Why)+wrapped(a, h.Advice))
		default:
			line := fmt.Sprintf("%s  %s  %s to %s: %s | held: %s; %s", id, when, h.From, h.To, h.Topic, h.Why, h.Advice)
			fmt.Fprintln(w, handoff.EscapeLine(line))
		}
	}
	return nil
}

// wrapped returns an indented text in as many lines as it needs on the terminal.
func wrapped(a *app, text string) string {
	const indent = "    "
	width := cli.TerminalWidth(a.Stdout)
	if width == 0 {
		width = 1 << 20
	}
	all := ""
	for _, line := range handoff.Wrap(text, width-len(indent)) {
		all += indent + line + "\n"
	}
	return all
}
