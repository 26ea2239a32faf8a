package work

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func markReadCommand(a *app) *cobra.Command {
	var operator, to string
	var all, undo, yes bool
	cmd := &cobra.Command{
		Use:   "mark-read ID… [OPERATOR]",
		Short: "Mark handoffs as read",
		Long: `Mark handoffs as read, in INDEX.md and in the audit log: by you, or by the
OPERATOR that you name, who need not be the recipient. If a handoff is marked
already, nothing changes.

--undo makes the handoffs unread again. On a terminal, --all asks first if
there are more than 20.`,
		Example: "  handoff mark-read 134327a8\n  handoff mark-read 134327a8 @ --operator ben\n" +
			"  handoff mark-read --undo 134327a8\n  handoff mark-read --all",
		ValidArgsFunction: a.completeMark,
		RunE: func(cmd *cobra.Command, ids []string) error {
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			switch {
			case all && len(ids) > 0:
				return cli.Invalid("remove one", "--all conflicts with ids")
			case !all && to != "":
				return cli.Invalid("use `handoff mark-read --all --to OPERATOR`", "--to needs --all")
			case !all:
				ids, operator, err = markArgs(s, ids, operator)
			case to != "" && operator != "":
				return cli.Invalid("remove one", "--to conflicts with --operator")
			}
			if err != nil {
				return err
			}
			if operator = p.MeOr(cmp.Or(operator, to)); operator == "" { // otherwise the store reports a mistyped name
				_, err := a.Acting(p, s, "", ids...)
				return err
			}
			var receipts []handoff.MarkReceipt
			switch {
			case all:
				cli.CollectOften()
				if err = a.askMany(s, operator, yes); err == nil {
					receipts, err = s.MarkAllRead(context.Background(), operator)
				}
			case undo:
				receipts, err = s.MarkUnread(context.Background(), operator, ids...)
			default:
				receipts, err = s.MarkRead(context.Background(), operator, ids...)
			}
			if err != nil {
				return err
			}
			a.Committed()
			if a.ForPeople() {
				return a.tellMarks(receipts, undo)
			}
			return cli.JSONLines(a.App, receipts)
		},
	}
	a.OperatorFlag(cmd, &operator)
	cmd.Flags().BoolVar(&all, "all", false, "all unread handoffs to the operator")
	cmd.Flags().StringVar(&to, "to", "", "with --all: of this `operator`")
	cmd.Flags().BoolVar(&undo, "undo", false, "make the handoffs unread again")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with --all: do not ask")
	cli.Exclusive(cmd, "all", "undo")
	cli.Needs(cmd, "yes", "all")
	return cmd
}

// manyMarks is how many handoffs are marked without a question.
const manyMarks = 20

// askMany asks a person who is about to mark many handoffs as read.
func (a *app) askMany(s *handoff.Store, operator string, yes bool) error {
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
func (a *app) tellMarks(receipts []handoff.MarkReceipt, undo bool) error {
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
	switch before := len(receipts) - marked; {
	case before > 0 && marked == 0:
		line = handoff.Count(before, "handoff") + " already marked as " + read + " by " + operator
	case before > 0:
		line = fmt.Sprintf("%s marked as %s by %s, %d already", handoff.Count(marked, "handoff"), read, operator,
			before)
	case marked > 0:
		line = handoff.Count(marked, "handoff") + " marked as " + read + " by " + operator
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
	if operator != "" || last == 0 || looksLikeID(ids[last]) {
		return ids, operator, nil
	}
	if _, err := s.Find(ids[last]); err == nil {
		return nil, "", cli.Invalid("name the operator with --operator", "%q may be a handoff or an operator",
			ids[last])
	}
	return ids[:last], ids[last], nil
}

// looksLikeID reports whether a name can only be that of a handoff.
func looksLikeID(name string) bool {
	digits := strings.TrimPrefix(strings.ToLower(name), "sha256:")
	return name == "@" || strings.ContainsAny(name, ":./") || len(digits) >= 8 &&
		strings.Trim(digits, "0123456789abcdef") == ""
}

// completeMark completes handoffs, and after the first one operators too.
func (a *app) completeMark(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ids, _ := a.CompleteIDs(cmd, args, typed)
	if len(args) == 0 {
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	operators, _ := a.CompleteOperators(cmd, args, typed)
	return append(operators, ids...), cobra.ShellCompDirectiveNoFileComp
}
