package whole

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func logCommand(a *app) *cobra.Command {
	var head, sign bool
	var key, output string
	cmd := &cobra.Command{
		Use: "log ID | --head | --sign",
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
		Args:              everyday.Args(cobra.MaximumNArgs(1)),
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
			return everyday.Invalid("use `handoff log ID`, `handoff log --head` or `handoff log --sign`", "log needs one of ID, --head and --sign")
		},
	}
	cmd.Flags().BoolVar(&head, "head", false, "print COUNT:HASH of the log")
	cmd.Flags().BoolVar(&sign, "sign", false, "sign the head of the log with an SSH key")
	cmd.Flags().StringVar(&key, "key", "", "with --sign: the private key, or the public key of one that the agent holds (`file`; default git's user.signingkey)")
	cmd.Flags().StringVarP(&output, "output", "o", "", "with --sign: write the checkpoint to this new `file` too, and its signature to FILE.sig")
	everyday.Exclusive(cmd, "head", "sign")
	everyday.Needs(cmd, "key", "sign")
	everyday.Needs(cmd, "output", "sign")
	return cmd
}

// A headed is a checkpoint with the form in which --expect takes it.
type headed struct {
	handoff.Checkpoint
	Head string `json:"head"`
}

func (a *app) auditHead() error {
	everyday.CollectOften()
	s, err := a.Store()
	if err != nil {
		return err
	}
	head, err := s.AuditHead()
	if err != nil {
		return err
	}
	return a.Show(headed{head, head.OfAny().String()}, head.OfAny().String()+"\n")
}

// A proof is what the audit log is held against besides index and files.
type proof struct{ expect, allowed, checkpoint string }

func (a *app) verifyLog(p proof, ids []string) error {
	if len(ids) > 0 {
		return everyday.Invalid("leave one of them out", "--log and ids do not go together")
	}
	if p.checkpoint != "" && p.allowed == "" {
		return everyday.Invalid("say who may sign with --allowed-signers; for one without a signature there is --expect", "--checkpoint needs --allowed-signers")
	}
	s, err := a.Store()
	if err != nil {
		return err
	}
	if p.expect != "" {
		expected, err := handoff.ParseCheckpoint(p.expect)
		if err == nil {
			err = s.CheckCheckpoint(expected)
		}
		if err != nil {
			return notContained(p.expect, err)
		}
	}
	var signed *signedCheckpoint
	if p.allowed != "" {
		if signed, err = a.verifySigned(s, p); err != nil {
			return err
		}
	}
	report, err := s.Verify(context.Background())
	if err != nil {
		return err
	}
	if a.JSON {
		if err := a.PrintJSON(auditReport{report, signed}); err != nil {
			return err
		}
	}
	return a.endReport(report)
}

// An auditReport is a report of the log, with the signed checkpoint that it was held against.
type auditReport struct {
	handoff.Report
	Checkpoint *signedCheckpoint `json:"checkpoint,omitempty"`
}

type signedCheckpoint struct {
	handoff.Checkpoint
	AllowedAs string `json:"allowed_as"` // the principal of the allowed signers that it was signed as
}

// verifySigned checks who signed a checkpoint first, and then the log.
func (a *app) verifySigned(s *handoff.Store, p proof) (*signedCheckpoint, error) {
	path := p.checkpoint
	if path == "" {
		last, err := s.LastCheckpoint()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &handoff.Error{Class: handoff.ErrIntegrity, Problem: err.Error(), Advice: "if `handoff log --sign` was run before, it was removed: use a copy with --checkpoint", Cause: err}
		}
		if err != nil {
			return nil, err
		}
		path = last.File
	}
	text, err := everyday.ReadInput(path)
	if err != nil {
		return nil, err
	}
	c, err := handoff.ParseCheckpoint(string(text))
	if err != nil {
		return nil, err
	}
	principal, err := sshVerify(p.allowed, signatures(path), text)
	if err != nil {
		return nil, err
	}
	if err := s.CheckCheckpoint(c); err != nil {
		return nil, notContained(c.String()+", "+signedBy(principal), err)
	}
	a.Note(fmt.Sprintf("the log holds %s, %s", c, signedBy(principal)))
	return &signedCheckpoint{c, principal}, nil
}

// signatures returns the files of the signatures of a checkpoint: the first, and those that are beside it.
func signatures(checkpoint string) []string {
	files := []string{handoff.SignatureFile(checkpoint, 1)}
	for n := 2; ; n++ {
		file := handoff.SignatureFile(checkpoint, n)
		if _, err := os.Lstat(file); err != nil {
			return files
		}
		files = append(files, file)
	}
}

// notContained says of a log that is not the one of a checkpoint what that means.
func notContained(what string, err error) error {
	if !errors.Is(err, handoff.ErrIntegrity) {
		return err
	}
	return &handoff.Error{Class: handoff.ErrIntegrity, Problem: "the audit log does not contain " + what + ": " + err.Error(), Cause: err}
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
	return everyday.Lines(a.App, historyLines(e.ID, all), func() (string, error) {
		width := everyday.TerminalWidth(a.Stdout)
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
		all = append(all, "by "+everyday.Short(h.By, 8))
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
