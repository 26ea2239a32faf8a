package read

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func logCommand(a *app) *cobra.Command {
	var head, sign bool
	var key, output string
	cmd := &cobra.Command{
		Use:   "log ID | --head | --sign",
		Short: "Show what happened to a handoff, from the audit log",
		Long: `Show what happened to a handoff, oldest first, from the audit log: written, told, read, taken, answered, done;
by whom, when and in which clone.

--head prints COUNT:HASH of the whole log, to keep elsewhere: ` + "`handoff verify --log --expect`" + ` finds by it that the end
of the log was cut, or that all of it was written again.

--sign signs the head of the log as COUNT:HASH:WRITER, once the chain holds: WRITER is this store, so that the log of
another one does not pass for its own. The checkpoint is kept with its signature in the state directory; -o puts a copy
elsewhere, in FILE and FILE.sig. Keep a copy where those who can write the log cannot. The signature is that of
` + "`ssh-keygen -Y sign -n " + handoff.CheckpointNamespace + "`" + `, which can make it and check it too. A log that no longer
holds the checkpoint before is not signed.`,
		Example:           "  handoff log 134327a8\n  handoff log --head >head.txt\n  handoff log --sign --key ~/.ssh/id_ed25519 -o /mnt/safe/checkpoint",
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
			return cli.Invalid("use `handoff log ID`, `handoff log --head` or `handoff log --sign`", "log needs one of ID, --head and --sign")
		},
	}
	cmd.Flags().BoolVar(&head, "head", false, "print COUNT:HASH of the log")
	cmd.Flags().BoolVar(&sign, "sign", false, "sign the head of the log with an SSH key")
	cmd.Flags().StringVar(&key, "key", "", "with --sign: the private key, or the public key of one that the agent holds (`file`; default git's user.signingkey)")
	cmd.Flags().StringVarP(&output, "output", "o", "", "with --sign: write the checkpoint to this new `file` too, and its signature to FILE.sig")
	cli.Exclusive(cmd, "head", "sign")
	cli.Needs(cmd, "key", "sign")
	cli.Needs(cmd, "output", "sign")
	return cmd
}

// A headed is a checkpoint with the form in which --expect takes it.
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

// history prints what happened to a handoff.
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
			rows[i] = []string{when(h.Time, width > 0), h.What, h.Operator, strings.Join(historyDetails(h), ", ")}
		}
		return handoff.Table(width, []string{"TIME", "EVENT", "OPERATOR", "DETAILS"}, rows), nil
	})
}

// A historyLine is an event with the handoff that it happened to.
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

// when is a time as people read it: how long ago it was.
func when(at string, forPeople bool) string {
	if t, err := time.Parse(time.RFC3339, at); err == nil && forPeople {
		return handoff.Ago(t, time.Now())
	}
	return at
}

// historyDetails are the words about an event behind its operator.
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
		all = append(all, "in "+h.Writer)
	}
	if h.Offline {
		all = append(all, "offline")
	}
	if h.Note != "" {
		all = append(all, h.Note)
	}
	return all
}
