package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
)

// manyDocuments is the number of documents from which the disk takes most of the time.
const manyDocuments = 500

// AskName asks at a terminal about a new operator whose name is similar to a known one.
func (a *App) AskName(s *handoff.Store, name string) error {
	if !a.CanAsk() || a.Quiet {
		return nil
	}
	if near := s.Registry().Nearest(name); near != "" &&
		!a.Confirm(name+" is new here; did you mean "+near+"? Use "+name+" anyway?") {
		return Invalid("use "+near, "%s is new here; nothing was done", name)
	}
	return nil
}

// AskNames is AskName for the recipients of sources.
func (a *App) AskNames(s *handoff.Store, sources []handoff.Source) error {
	asked := map[string]bool{}
	for _, source := range sources {
		if named := cmp.Or(source.Fields, source.Expected); named != nil && !asked[named.To] {
			asked[named.To] = true
			if err := a.AskName(s, named.To); err != nil {
				return err
			}
		}
	}
	return nil
}

// Write stores the sources and prints their receipts.
func (a *App) Write(sources []handoff.Source) error {
	_, s, err := a.NewStore()
	if err != nil {
		return err
	}
	if err := a.AskNames(s, sources); err != nil {
		return err
	}
	if len(sources) >= manyDocuments {
		CollectOften()
		runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0)) // threads that wait for the disk block others
	}
	receipts, err := s.WriteAll(context.Background(), sources)
	if err != nil {
		return err
	}
	err = a.PrintReceipts(s, receipts)
	a.warnOf(s, sources, receipts)
	return err
}

// warnOf prints warnings about the records that were stored.
func (a *App) warnOf(s *handoff.Store, sources []handoff.Source, receipts []handoff.Receipt) {
	mayCarry := func(src handoff.Source) bool { return src.Make != nil || handoff.AnnouncesRecord(src) }
	if !slices.ContainsFunc(sources, mayCarry) {
		return
	}
	var ids []string
	for _, r := range receipts {
		if r.Status == handoff.StatusCreated {
			ids = append(ids, r.ID)
		}
	}
	warnings, err := record.WarnShared(s, ids)
	for _, warning := range warnings {
		a.Note(warning)
	}
	if err != nil {
		a.Note("stored, but not compared with earlier records: " + err.Error())
	}
}

// PrintReceipts prints the receipts.
func (a *App) PrintReceipts(s *handoff.Store, receipts []handoff.Receipt) error {
	a.Committed()
	for _, r := range receipts {
		line, err := handoff.JSON(r, "")
		if people := a.ForPeople(); people && (s == nil || len(receipts) > manyStored) {
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

// tellStored prints a receipt for people: recipient, title, and how to withdraw it.
func (a *App) tellStored(s *handoff.Store, r handoff.Receipt) error {
	id, sent, isMine := Short(r.ID, Shortest), "", false
	if e, err := s.Find(r.ID); err == nil {
		isMine = e.IsTo(e.From)
		sent = " to " + e.To + ": " + a.TitleOf(s, r.ID)
	}
	line, next := a.StateSign(handoff.StateUnread)+" handed"+sent+" ("+id+")",
		"take it back while nobody has read it: handoff withdraw "+id
	if isMine {
		next = "finish it: handoff done " + id
	}
	switch r.Status {
	case handoff.StatusExisting:
		line, next = id+" was stored before, as "+r.Path, ""
	case handoff.StatusWaiting:
		line, next = id+" waits in "+r.Path, ""
	}
	if r.Signature != nil && r.Signature.State != handoff.SignatureUnsigned {
		line += ", signature " + r.Signature.State
	}
	return a.Tell(r, line, next)
}

// A firstError reports all errors and has the class of the first.
type firstError struct {
	error
	first error
}

func (e firstError) Unwrap() error { return e.first }

// FirstOf joins errors. The exit code is that of the first.
func FirstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return firstError{errors.Join(errs...), err}
		}
	}
	return nil
}

// SameAgain adds to an error the hint to repeat the command with the time that it took, so that the handoff is the
// same, unless the input or the project must change. took is "" if the command took none.
func SameAgain(err error, took string) error {
	if err == nil || took == "" || errors.Is(err, handoff.ErrInvalid) || errors.Is(err, handoff.ErrDenied) {
		return err
	}
	return WithHint(err, "retry with --ts "+took+", so that the handoff is the same")
}

// WithHint returns err with advice.
func WithHint(err error, hint string) error { return hinted{err, hint} }

type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }
func (h hinted) Hint() string  { return h.hint }
