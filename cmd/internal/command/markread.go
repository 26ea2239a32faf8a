package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type markReadFlags struct {
	To             string
	All, Undo, Yes bool
}

func markReadCommand(a *cli.App) *cobra.Command {
	f := &markReadFlags{}
	cmd := &cobra.Command{
		Use:   "mark-read ID… [OPERATOR] | --all",
		Short: "Mark handoffs as read",
		Long: `Mark handoffs as read: by you, or by the OPERATOR that you name, who need not be
the recipient. If a handoff is marked already, nothing changes. An ID whose file
was changed after it was stored is not marked: exit 6.

--undo makes the handoffs unread again. On a terminal, --all asks first if
there are more than 20.`,
		Example: `  handoff mark-read 134327a8
  handoff mark-read 134327a8 @ --operator ben
  handoff mark-read --undo 134327a8
  handoff mark-read --all`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return markRead(a, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.All, "all", false, "all unread handoffs to the operator")
	flags.StringVar(&f.To, "to", "", "with --all: of this `operator`")
	flags.BoolVar(&f.Undo, "undo", false, "make the handoffs unread again")
	flags.BoolVarP(&f.Yes, "yes", "y", false, "with --all: do not ask")
	cli.Conflicts(cmd, "all", "undo")
	cli.Conflicts(cmd, "to", "operator")
	cli.Needs(cmd, "to", "all")
	cli.Needs(cmd, "yes", "all")
	return cmd
}

func markRead(a *cli.App, f *markReadFlags, ids []string) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	operator := cmp.Or(a.Who.Operator, f.To)
	if f.All && len(ids) > 0 {
		return cli.Invalid("remove one", "--all conflicts with ids")
	}
	if !f.All {
		ids, operator, err = markArgs(s, ids, operator)
	}
	if err == nil {
		err = a.CheckName(s, operator, "Act as "+operator+"?")
	}
	if err != nil {
		return err
	}
	a.NoteSlips(s, operator)
	if operator = p.MeOr(operator); operator == "" {
		_, err := a.Acting(p, s, "", ids...)
		return err
	}
	var receipts []handoff.MarkReceipt
	switch ctx := context.Background(); {
	case f.Undo:
		receipts, err = s.MarkUnread(ctx, operator, ids...)
	case !f.All:
		receipts, err = s.MarkRead(ctx, operator, ids...)
	default:
		cli.CollectOften()
		if err = askMany(a, s, operator, f.Yes); err == nil {
			receipts, err = s.MarkAllRead(ctx, operator)
		}
	}
	if err != nil {
		return err
	}
	if a.Committed(); a.ForPeople() {
		return a.Print(markedText(receipts, f.Undo))
	}
	return cli.JSONLines(a, receipts)
}

// manyMarks is how many handoffs are marked without a question.
const manyMarks = 20

// askMany asks a person who is about to mark many handoffs as read.
func askMany(a *cli.App, s *handoff.Store, operator string, yes bool) error {
	if yes || !a.CanAsk() {
		return nil
	}
	unread, err := s.List(handoff.Filter{To: operator, Unread: true})
	question := fmt.Sprintf("Mark %s as read by %s?", handoff.Count(len(unread), "handoff"), operator)
	if err != nil || len(unread) <= manyMarks || a.Confirm(question) {
		return err
	}
	return cli.Invalid("answer y, or add --yes", "nothing was changed")
}

// markedText returns the line about what was marked, with the command that undoes it.
func markedText(receipts []handoff.MarkReceipt, undo bool) string {
	as, back := "read", "handoff mark-read --undo"
	if undo {
		as, back = "unread", "handoff mark-read"
	}
	var marked []string
	for _, r := range receipts {
		if r.Status == handoff.StatusChanged {
			marked = append(marked, cli.Short(r.ID, cli.Shortest))
		}
	}
	switch {
	case len(receipts) == 0:
		return "nothing is unread\n"
	case len(marked) == 0:
		return handoff.Count(len(receipts), "handoff") + " already marked as " + as + "\n"
	}
	return "marked " + handoff.Count(len(marked), "handoff") + " as " + as + "; undo: `" + back + " " +
		strings.Join(marked, " ") + "`\n"
}

// markArgs separates the ids from an operator, who may come last. An argument that is the name of a handoff is an id.
func markArgs(s *handoff.Store, ids []string, operator string) ([]string, string, error) {
	if len(ids) == 0 {
		return nil, "", cli.Invalid("use `handoff mark-read ID`, or --all", "missing ID")
	}
	last := len(ids) - 1
	name := ids[last]
	if operator != "" || last == 0 || name == "@" {
		return ids, operator, nil
	}
	if name == "" {
		return nil, "", cli.Invalid("name the operator, or remove it", "OPERATOR is empty")
	}
	switch _, err := s.Find(name); {
	case isOnlyID(name) && err != nil:
		return nil, "", cli.WithHint(err, "if it is an operator, add --operator "+name)
	case isOnlyID(name):
		return ids, "", nil
	case err == nil:
		return nil, "", cli.Invalid("name the operator with --operator", "%q may be a handoff or an operator", name)
	}
	return ids[:last], cli.Name(name), nil
}

// isOnlyID reports whether a name can only be that of a handoff.
func isOnlyID(name string) bool {
	digits := strings.TrimPrefix(strings.ToLower(name), "sha256:")
	return strings.ContainsAny(name, ":./") || len(digits) >= 8 && strings.Trim(digits, "0123456789abcdef") == ""
}
