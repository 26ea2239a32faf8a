package everyday

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func markReadCommand(a *App) *cobra.Command {
	var operator, to string
	var all bool
	cmd := &cobra.Command{
		Use:   "mark-read ID… [OPERATOR]",
		Short: "Record that an operator has read handoffs",
		Long: `Record that an operator has read handoffs, in INDEX.md and in the audit log. The operator is you,
unless somebody else is named, who need not be the recipient. What was marked before stays as it is.`,
		Example:           "  handoff mark-read 134327a8\n  handoff mark-read 134327a8 @ --operator ben\n  handoff mark-read --all",
		ValidArgsFunction: a.completeMark,
		RunE: func(cmd *cobra.Command, ids []string) error {
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			switch {
			case all && len(ids) > 0:
				return Invalid("leave one of them out", "--all goes without ids")
			case !all && to != "":
				return Invalid("use `handoff mark-read --all --to OPERATOR`", "--to goes with --all")
			case !all:
				ids, operator, err = markArgs(s, ids, operator)
			case to != "" && operator != "":
				return Invalid("leave one of them out", "--to and --operator say the same")
			}
			if err != nil {
				return err
			}
			if operator = cmp.Or(operator, to, p.Me()); operator == "" { // else the store says what is a slip
				_, err := a.Acting(p, s, "", ids...)
				return err
			}
			if all {
				CollectOften()
				return a.printMarks(s.MarkAllRead(context.Background(), operator))
			}
			return a.printMarks(s.MarkRead(context.Background(), operator, ids...))
		},
	}
	a.OperatorFlag(cmd, &operator)
	cmd.Flags().BoolVar(&all, "all", false, "everything to the operator that the operator has not read")
	cmd.Flags().StringVar(&to, "to", "", "with --all: the `operator`")
	return cmd
}

func (a *App) printMarks(receipts []handoff.MarkReceipt, err error) error {
	if err != nil {
		return err
	}
	a.Committed()
	if a.forPeople() {
		return a.tellMarks(receipts)
	}
	for _, r := range receipts {
		if err := a.PrintJSON(r); err != nil {
			return err
		}
	}
	return nil
}

// tellMarks says in a line what was marked.
func (a *App) tellMarks(receipts []handoff.MarkReceipt) error {
	marked, operator := 0, ""
	for _, r := range receipts {
		if operator = r.Operator; r.Status == handoff.StatusChanged {
			marked++
		}
	}
	line := "nothing is unread"
	switch before := len(receipts) - marked; {
	case before > 0 && marked == 0:
		line = handoff.Count(before, "handoff") + " had been marked as read by " + operator + " before"
	case before > 0:
		line = fmt.Sprintf("%s marked as read by %s, %d had been before", handoff.Count(marked, "handoff"), operator, before)
	case marked > 0:
		line = handoff.Count(marked, "handoff") + " marked as read by " + operator
	}
	_, err := fmt.Fprintln(a.Stdout, handoff.EscapeLine(line))
	return err
}

// markArgs tells ids from an operator, who may come last. What names a handoff is an id.
func markArgs(s *handoff.Store, ids []string, operator string) ([]string, string, error) {
	if len(ids) == 0 {
		return nil, "", Invalid("use `handoff mark-read ID`, or --all", "no handoff is named")
	}
	last := len(ids) - 1
	if operator != "" || last == 0 || looksLikeID(ids[last]) {
		return ids, operator, nil
	}
	if _, err := s.Find(ids[last]); err == nil {
		return nil, "", Invalid("name the operator with --operator", "%q may be a handoff or an operator", ids[last])
	}
	return ids[:last], ids[last], nil
}

// looksLikeID says whether a name is that of a handoff, which no operator has.
func looksLikeID(name string) bool {
	digits := strings.TrimPrefix(strings.ToLower(name), "sha256:")
	return name == "@" || strings.ContainsAny(name, ":./") || len(digits) >= 8 && strings.Trim(digits, "0123456789abcdef") == ""
}
