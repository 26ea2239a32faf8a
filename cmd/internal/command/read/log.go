package read

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func logCommand(a *app) *cobra.Command {
	var head, sign bool
	var key, output string
	cmd := &cobra.Command{
		Use: "log ID | --head | --sign",
		Long: `Show what happened to a handoff, oldest first: who wrote, read, took, answered
or finished it, when, and in which clone. The source is the audit log.

--head prints COUNT:HASH of the whole log. Keep it elsewhere:
` + "`" + `handoff verify --log --expect COUNT:HASH` + "`" + ` finds out whether the end of the
log was cut, or the log was rewritten.

--sign checks the log and signs its head as COUNT:HASH:WRITER. WRITER is the id
of this store, so the log of another store does not match. The signed head is
kept in the state directory. -o writes a copy to FILE, and its signature to
FILE.sig: keep them where nobody who can write the log can change them. The
signature is made by ` + "`" + `ssh-keygen -Y sign -n ` + handoff.CheckpointNamespace + "`" + `.
If the log does not continue from the last signed head, it is not signed.`,
		Example: "  handoff log 134327a8\n  handoff log --head >head.txt\n" +
			"  handoff log --sign --key ~/.ssh/id_ed25519 -o /mnt/safe/checkpoint",
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			switch {
			case len(ids) == 0 && head:
				return a.auditHead()
			case len(ids) == 0 && sign:
				return a.auditSign(key, output)
			case len(ids) == 1 && !head && !sign:
				return a.history(ids[0])
			}
			return cli.Invalid("use `handoff log ID`, `handoff log --head` or `handoff log --sign`",
				"log needs ID, --head or --sign")
		},
	}
	cmd.Flags().BoolVar(&head, "head", false, "print COUNT:HASH of the whole log")
	cmd.Flags().BoolVar(&sign, "sign", false, "sign the head of the log with an SSH key")
	cmd.Flags().StringVar(&key, "key", "",
		"with --sign: the `file` of your private key, or of the public key if ssh-agent has the private one "+
			"(default: git's user.signingkey)")
	cmd.Flags().StringVarP(&output, "output", "o", "",
		"with --sign: also write the signed head to this new `file`, and its signature to FILE.sig")
	cli.Exclusive(cmd, "head", "sign")
	cli.Needs(cmd, "key", "sign")
	cli.Needs(cmd, "output", "sign")
	return cmd
}

// A headed is a signed head, and its form for --expect.
type headed struct {
	handoff.Checkpoint
	Head string `json:"head"`
}

func (a *app) auditHead() error {
	cli.CollectOften()
	s, err := a.Store()
	if err != nil {
		return err
	}
	head, err := s.AuditLog().Head()
	if err != nil {
		return err
	}
	return a.Show(headed{head, head.OfAny().String()}, head.OfAny().String()+"\n")
}

// history prints the events of a handoff.
func (a *app) history(id string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	e, all, err := s.History(id)
	if err != nil {
		return err
	}
	return cli.Lines(a.App, historyLines(e.ID, all), func() (string, error) {
		width := cli.TerminalWidth(a.Stdout)
		rows := make([][]string, len(all))
		for i, h := range all {
			rows[i] = []string{a.When(h.Time), h.What, h.Operator, strings.Join(historyDetails(h), ", ")}
		}
		return handoff.Table(width, []string{"TIME", "EVENT", "OPERATOR", "DETAILS"}, rows), nil
	})
}

// A historyLine is an event with the id of its handoff.
type historyLine struct {
	ID string `json:"handoff_id"`
	handoff.HistoryEvent
}

func historyLines(id string, all []handoff.HistoryEvent) []historyLine {
	lines := make([]historyLine, len(all))
	for i, h := range all {
		lines[i] = historyLine{id, h}
	}
	return lines
}

// historyDetails returns the details of an event.
func historyDetails(h handoff.HistoryEvent) (all []string) {
	if h.By != "" {
		all = append(all, "by "+cli.Short(h.By, 8))
	}
	if h.Agent != "" {
		all = append(all, h.Agent)
	}
	if h.Session != "" {
		all = append(all, "session "+h.Session)
	}
	if h.Writer != "" {
		all = append(all, "from the clone "+h.Writer)
	}
	if h.Offline {
		all = append(all, "offline")
	}
	if h.Note != "" {
		all = append(all, h.Note)
	}
	return all
}
