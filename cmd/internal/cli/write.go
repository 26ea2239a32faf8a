package cli

import (
	"context"
	"errors"
	"io"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Write stores the sources and prints their receipts.
func (a *App) Write(sources []handoff.Source) error {
	_, s, err := a.NewStore()
	if err != nil {
		return err
	}
	receipts, err := s.WriteAll(context.Background(), sources)
	if err != nil {
		return err
	}
	a.Committed()
	return a.printReceipts(s, receipts)
}

func (a *App) printReceipts(s *handoff.Store, receipts []handoff.Receipt) error {
	for _, r := range receipts {
		line, err := handoff.JSON(r, "")
		if people := a.ForPeople(); people && len(receipts) > manyStored {
			_, err = io.WriteString(a.Stdout, handoff.EscapeLine(Short(r.ID, Shortest)+"  "+r.Path)+"\n")
		} else if people {
			err = a.tellStored(s, r)
		} else if a.Ending != nil {
			a.Ending.Reply = r.ID
		} else if err == nil {
			_, err = io.WriteString(a.Stdout, line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// manyStored is the number of receipts above which each is only a line with id and file.
const manyStored = 20

// tellStored prints a receipt for people: recipient, title, and the command that takes it back.
func (a *App) tellStored(s *handoff.Store, r handoff.Receipt) error {
	id, sent := Short(r.ID, Shortest), ""
	if e, err := s.Find(r.ID); err == nil {
		sent = " for " + e.To + ": " + a.TitleOf(s, r.ID)
	}
	line := "stored " + id + sent + "; undo: `handoff write --undo " + id + "`"
	switch r.Status {
	case handoff.StatusExisting:
		line = id + " was stored before, as " + r.Path
	case handoff.StatusWaiting:
		line = id + " waits in " + r.Path
	}
	if r.Signature != nil && r.Signature.State != handoff.SignatureUnsigned {
		line += ", signature " + r.Signature.State
	}
	return a.Tell(r, line)
}

// SameAgain adds to an error the hint to repeat the command with the time that it took, so that the handoff is the
// same, unless the input or the project must change. took is "" if the command took none.
func SameAgain(err error, took string) error {
	if err == nil || took == "" || !isRepeatable(err) {
		return err
	}
	return WithHint(err, "run again with --ts "+took)
}

// isRepeatable reports whether the same command can succeed later.
func isRepeatable(err error) bool {
	return !errors.Is(err, handoff.ErrInvalid) && !errors.Is(err, handoff.ErrDenied)
}

// WithHint returns err with advice.
func WithHint(err error, hint string) error { return hinted{err, hint} }

type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }
func (h hinted) Hint() string  { return h.hint }
