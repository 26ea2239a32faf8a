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
	to        string
	all, undo bool
}

func markReadCommand(a *cli.App) *cobra.Command {
	var f markReadFlags
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
	flags.BoolVar(&f.all, "all", false, "all unread handoffs to the operator")
	flags.StringVar(&f.to, "to", "", "with --all: of this `operator`")
	flags.BoolVar(&f.undo, "undo", false, "make the handoffs unread again")
	cli.Conflicts(cmd, "all", "undo")
	cli.Conflicts(cmd, "to", "operator")
	cli.Needs(cmd, "to", "all")
	return cmd
}

func markRead(a *cli.App, f markReadFlags, ids []string) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	operator := cmp.Or(a.Who.Operator, f.to)
	if !f.all && operator == "" {
		ids, operator, err = markArgs(s, ids)
	}
	if err == nil && f.all == (len(ids) > 0) {
		err = cli.Invalid("use `handoff mark-read ID`, or --all", "name either handoffs or --all")
	}
	if err == nil && f.all {
		err = a.CheckName(s, operator, "Act as "+operator+"?")
	}
	if err == nil {
		operator, err = a.Acting(p, s, operator, ids...)
	}
	if err != nil {
		return err
	}
	var receipts []handoff.MarkReceipt
	switch ctx := context.Background(); {
	case f.undo:
		receipts, err = s.MarkUnread(ctx, operator, ids...)
	case !f.all:
		receipts, err = s.MarkRead(ctx, operator, ids...)
	default:
		cli.CollectOften()
		if err = askMany(a, s, operator); err == nil {
			receipts, err = s.MarkAllRead(ctx, operator)
		}
	}
	if err != nil {
		return err
	}
	if a.Committed(); a.ForPeople() {
		return a.Print(markedText(receipts, f.undo))
	}
	return cli.JSONLines(a, receipts)
}

// askMany asks a person who is about to mark more than 20 handoffs as read.
func askMany(a *cli.App, s *handoff.Store, operator string) error {
	unread, err := s.List(handoff.Filter{To: operator, Unread: true})
	question := fmt.Sprintf("Mark %s as read by %s?", handoff.Count(len(unread), "handoff"), operator)
	if err != nil || len(unread) <= 20 || a.Confirm(question) {
		return err
	}
	return cli.Invalid("answer y", "nothing was changed")
}

// markedText returns the line about what was marked, with the command that undoes it.
func markedText(receipts []handoff.MarkReceipt, undo bool) string {
	as, back := "read", "handoff mark-read --undo"
	if undo {
		as, back = "unread", "handoff mark-read"
	}
	marked := ""
	n := 0
	for _, r := range receipts {
		if r.Status == handoff.StatusChanged {
			marked += " " + cli.Short(r.ID, cli.Shortest)
			n++
		}
	}
	if n == 0 {
		return "nothing to mark as " + as + "\n"
	}
	return "marked " + handoff.Count(n, "handoff") + " as " + as + "; undo: `" + back + marked + "`\n"
}

// markArgs splits the arguments into ids and an operator. Only the last argument can be an operator. If it has 8 or
// more hex digits and no handoff, it is probably a mistyped id.
func markArgs(s *handoff.Store, args []string) (ids []string, operator string, err error) {
	last := len(args) - 1
	if last < 1 {
		return args, "", nil
	}
	name := args[last]
	_, err = s.Find(name)
	switch digits := strings.TrimPrefix(strings.ToLower(name), "sha256:"); {
	case err == nil, name == "@":
		return args, "", nil
	case strings.ContainsAny(name, ":./") || len(digits) >= 8 && strings.Trim(digits, "0123456789abcdef") == "":
		return nil, "", cli.WithHint(err, "if it is an operator, add --operator "+name)
	case name == "":
		return nil, "", cli.Invalid("name the operator, or remove it", "OPERATOR is empty")
	}
	return args[:last], cli.Name(name), nil
}
