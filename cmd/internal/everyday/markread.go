package everyday

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func markReadCommand(a *App) *cobra.Command {
	var operator, to string
	var all bool
	cmd := &cobra.Command{
		Use:   "mark-read ID… OPERATOR",
		Short: "Record that an operator has read handoffs",
		Long: `Record that an operator has read handoffs, in INDEX.md and in the audit log. The operator may be
anyone. What was marked before stays as it is.`,
		Example:           "  handoff mark-read 134327a8 ben\n  handoff mark-read --all --to ben",
		ValidArgsFunction: a.completeMark,
		RunE: func(cmd *cobra.Command, ids []string) error {
			s, err := a.Store()
			if err != nil {
				return err
			}
			var receipts []handoff.MarkReceipt
			if all {
				if to == "" || len(ids) > 0 || operator != "" {
					return Invalid("use `handoff mark-read --all --to OPERATOR`", "--all goes with --to and without ids")
				}
				CollectOften()
				receipts, err = s.MarkAllRead(context.Background(), to)
			} else {
				if ids, operator, err = markArgs(ids, operator, to); err != nil {
					return err
				}
				receipts, err = s.MarkRead(context.Background(), operator, ids...)
			}
			if err != nil {
				return err
			}
			a.Committed()
			for _, r := range receipts {
				if err := a.PrintJSON(r); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&operator, "operator", "", "the `operator`, in the place of the last argument")
	cmd.Flags().BoolVar(&all, "all", false, "everything that --to has not read")
	cmd.Flags().StringVar(&to, "to", "", "with --all: the `operator`")
	return cmd
}

// markArgs takes the operator from the flag or from the end of the arguments.
func markArgs(ids []string, operator, to string) ([]string, string, error) {
	if to != "" {
		return nil, "", Invalid("use `handoff mark-read --all --to OPERATOR`", "--to goes with --all")
	}
	if operator == "" && len(ids) > 0 {
		operator, ids = ids[len(ids)-1], ids[:len(ids)-1]
		if digits := strings.TrimPrefix(operator, "sha256:"); len(digits) >= 8 && strings.Trim(digits, "0123456789abcdef") == "" {
			return nil, "", Invalid("put the operator last, or use --operator", "%q looks like a handoff id, not like an operator", operator)
		}
	}
	if len(ids) == 0 {
		return nil, "", Invalid("use `handoff mark-read ID OPERATOR`", "no handoff or no operator is named")
	}
	return ids, operator, nil
}
