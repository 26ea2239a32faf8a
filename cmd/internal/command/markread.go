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
	*cli.Who
	All  bool
	To   string // whose unread handoffs
	Undo bool
	Yes  bool
}

func markReadCommand(a *cli.App) *cobra.Command {
	f := &markReadFlags{Who: &a.Who}
	cmd := &cobra.Command{
		Use:   "mark-read ID… [OPERATOR] | --all",
		Short: "Mark handoffs as read",
		Long: `Mark handoffs as read, in INDEX.md and in the audit log: by you, or by the
OPERATOR that you name, who need not be the recipient. If a handoff is marked
already, nothing changes. An ID whose file was changed after it was stored is
not marked: exit 6.

--undo makes the handoffs unread again. On a terminal, --all asks first if
there are more than 20.`,
		Example: `  handoff mark-read 134327a8
  handoff mark-read 134327a8 @ --operator ben
  handoff mark-read --undo 134327a8
  handoff mark-read --all`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.CompleteIDsAndOperators,
		RunE:              func(_ *cobra.Command, args []string) error { return markRead(a, f, args) },
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
	switch {
	case f.All && len(ids) > 0:
		return cli.Invalid("remove one", "--all conflicts with ids")
	case !f.All:
		ids, f.Operator, err = markArgs(s, ids, f.Operator)
	}
	if err == nil {
		err = a.AskName(s, cmp.Or(f.Operator, f.To))
	}
	if err != nil {
		return err
	}
	if f.Operator = p.MeOr(cmp.Or(f.Operator, f.To)); f.Operator == "" { // otherwise the store reports a mistyped name
		_, err := a.Acting(p, s, "", ids...)
		return err
	}
	var receipts []handoff.MarkReceipt
	switch ctx := context.Background(); {
	case f.Undo:
		receipts, err = s.MarkUnread(ctx, f.Operator, ids...)
	case !f.All:
		receipts, err = s.MarkRead(ctx, f.Operator, ids...)
	default:
		cli.CollectOften()
		if err = askMany(a, s, f.Operator, f.Yes); err == nil {
			receipts, err = s.MarkAllRead(ctx, f.Operator)
		}
	}
	if err != nil {
		return err
	}
	a.Committed()
	if a.ForPeople() {
		return tellMarks(a, receipts, f.Undo)
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
	if err != nil || len(unread) <= manyMarks {
		return err
	}
	if !a.Confirm(fmt.Sprintf("Mark %s as read by %s?", handoff.Count(len(unread), "handoff"), operator)) {
		return cli.Invalid("answer y, or add --yes", "nothing was changed")
	}
	return nil
}

// tellMarks prints in one line what was marked.
func tellMarks(a *cli.App, receipts []handoff.MarkReceipt, undo bool) error {
	marked, operator, read := 0, "", "read"
	if undo {
		read = "unread"
	}
	for _, r := range receipts {
		if operator = r.Operator; r.Status == handoff.StatusChanged {
			marked++
		}
	}
	line := "nothing is unread"
	by := " marked as " + read + " by " + operator
	switch before := len(receipts) - marked; {
	case before > 0 && marked == 0:
		line = handoff.Count(before, "handoff") + " already" + by
	case before > 0:
		line = fmt.Sprint(handoff.Count(marked, "handoff"), by, ", ", before, " already")
	case marked > 0:
		line = handoff.Count(marked, "handoff") + by
		if !undo {
			line += "; to undo: handoff mark-read --undo " + shortIDs(receipts)
		}
	}
	_, err := fmt.Fprintln(a.Stdout, handoff.EscapeLine(line))
	return err
}

// shortIDs returns the ids for a command line, or the word ID if there are more than 3.
func shortIDs(receipts []handoff.MarkReceipt) string {
	if len(receipts) > 3 {
		return "ID"
	}
	ids := make([]string, len(receipts))
	for i, r := range receipts {
		ids[i] = cli.Short(r.ID, cli.Shortest)
	}
	return strings.Join(ids, " ")
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
	switch _, err := s.Find(name); {
	case isOnlyID(name) && err != nil:
		return nil, "", cli.WithHint(err, "if it is an operator, add --operator "+name)
	case isOnlyID(name):
		return ids, "", nil
	case err == nil:
		return nil, "", cli.Invalid("name the operator with --operator", "%q may be a handoff or an operator", name)
	}
	return ids[:last], name, nil
}

// isOnlyID reports whether a name can only be that of a handoff.
func isOnlyID(name string) bool {
	digits := strings.TrimPrefix(strings.ToLower(name), "sha256:")
	return strings.ContainsAny(name, ":./") || len(digits) >= 8 &&
		strings.Trim(digits, "0123456789abcdef") == ""
}
