package cli

import (
	"context"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// manyDocuments are so many that most of the time goes to the disk.
const manyDocuments = 500

// askNames asks a person about a recipient who is new here, and whose name is near to one that is not.
func (a *App) askNames(s *handoff.Store, sources []handoff.Source) error {
	if !a.CanAsk() || a.Quiet {
		return nil
	}
	asked := ""
	for _, source := range sources {
		if source.Fields == nil || source.Fields.To == asked {
			continue
		}
		asked = source.Fields.To
		if near := s.Registry().Meant(asked); near != "" && !a.Confirm(asked+" is new here; did you mean "+near+"? Store it for "+asked+" all the same?") {
			return Invalid("use --to "+near, "nothing was stored: %s is new here", asked)
		}
	}
	return nil
}

// Write stores the sources and prints their receipts. before is an error about inputs that are not among
// the sources.
func (a *App) Write(sources []handoff.Source, keepGoing bool, before error) error {
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	if err := a.askNames(s, sources); err != nil {
		return err
	}
	if keepGoing && a.refuses(p, sources) {
		_ = a.handOver(ErrBeyond) // later would be too late
	}
	if len(sources) >= manyDocuments {
		debug.SetMemoryLimit(softLimit)
		runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0)) // threads that wait for the disk keep others from running for a while
	}
	if !keepGoing {
		receipts, err := s.WriteAll(context.Background(), sources)
		if err != nil {
			return err
		}
		a.Wrote(s)
		err = a.PrintReceipts(s, receipts)
		a.warnOf(s, sources, receipts)
		return err
	}
	results, err := s.WriteGood(context.Background(), sources)
	if err != nil {
		return err
	}
	var receipts []handoff.Receipt
	errs := addError(nil, before)
	for _, r := range results {
		if r.Err == nil {
			receipts = append(receipts, r.Receipt)
		}
		errs = addError(errs, r.Err)
	}
	if len(receipts) > 0 {
		a.Wrote(s)
	}
	err = a.PrintReceipts(s, receipts)
	if a.warnOf(s, sources, receipts); err != nil {
		return err
	}
	return FirstOf(errs)
}

// warnOf says what is questionable about the records among what was stored. The fast program stores none.
func (a *App) warnOf(s *handoff.Store, sources []handoff.Source, receipts []handoff.Receipt) {
	mayCarry := func(src handoff.Source) bool { return src.Make != nil || handoff.AnnouncesRecord(src) }
	if a.Full == nil || !slices.ContainsFunc(sources, mayCarry) {
		return
	}
	var ids []string
	for _, r := range receipts {
		if r.Status == handoff.StatusCreated {
			ids = append(ids, r.ID)
		}
	}
	warnings, err := a.Full.Warnings(s, ids)
	for _, warning := range warnings {
		a.Note(warning)
	}
	if err != nil {
		a.Note("stored, but not compared with what was there: " + err.Error())
	}
}

// refuses says whether the plain check refuses one of the documents. Of those that are stored all or none, the store
// finds it out.
func (a *App) refuses(p handoff.Project, sources []handoff.Source) bool {
	for _, source := range sources {
		if a.Full == nil {
			_, _ = handoff.Parse(source, p.Options.Rules, p.Options.MaxDocumentBytes)
		}
	}
	return a.refused.Load()
}

// PrintReceipts prints what was stored.
func (a *App) PrintReceipts(s *handoff.Store, receipts []handoff.Receipt) error {
	a.Committed()
	for _, r := range receipts {
		line, err := r.Line()
		if people := a.ForPeople(); people && (s == nil || len(receipts) > manyStored) {
			_, err = io.WriteString(a.Stdout, handoff.EscapeLine(Short(r.ID, Shortest)+"  "+r.Path)+"\n")
		} else if people {
			err = a.tellStored(s, r)
		} else if err == nil {
			_, err = io.WriteString(a.Stdout, line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// manyStored is from where on a receipt is only a line with the id and the file.
const manyStored = 20

// tellStored prints a receipt for a person: the recipient, the title, and how to take it back.
func (a *App) tellStored(s *handoff.Store, r handoff.Receipt) error {
	id, sent := Short(r.ID, Shortest), ""
	if e, err := s.Find(r.ID); err == nil {
		sent = " to " + e.To + ": " + a.titleOf(s, r.ID)
	}
	line, next := a.StateSign(handoff.StateUnread)+" handed"+sent+" ("+id+")", "take it back while nobody has read it: handoff withdraw "+id
	if r.Status == handoff.StatusExisting {
		line, next = id+" was stored before, as "+r.Path, ""
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

// Is says whether an input is beyond the program: that counts before all.
func (e firstError) Is(target error) bool {
	return target == ErrBeyond && errors.Is(e.error, ErrBeyond)
}

// addError is fault.Add, but that one of an input that is beyond the program is always among the errors. The
// first stays: its class counts.
func addError(errs []error, err error) []error {
	if len(errs) > 1 && errors.Is(err, ErrBeyond) && !errors.Is(errs[1], ErrBeyond) {
		err, errs[1] = errs[1], err
	}
	return fault.Add(errs, err)
}

// FirstOf joins errors; the exit code is that of the first.
func FirstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return firstError{errors.Join(errs...), err}
		}
	}
	return nil
}

func ReadAll(r io.Reader, max int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, max+1))
	if err != nil {
		return text, InputError("standard input", err)
	}
	if int64(len(text)) > max {
		err = Invalid("shorten it", "standard input has more than %d bytes", max)
	}
	return text, err
}

// SameAgain adds the time that was taken, "" for none, to an error, so that the repeat is the same handoff.
func SameAgain(err error, took string) error {
	if err == nil || took == "" || errors.Is(err, handoff.ErrInvalid) { // what is invalid has to be another one
		return err
	}
	return WithHint(err, "run again with --ts "+took+", so that it is the same handoff")
}

// WithHint returns err with advice.
func WithHint(err error, hint string) error { return hinted{err, hint} }

type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }
func (h hinted) Hint() string  { return h.hint }

// Wrote takes note of a handoff of an agent's session, which then leaves no draft. That is for those who come later: it
// fails nobody.
func (a *App) Wrote(s *handoff.Store) {
	if err := agent.Wrote(s, a.Getenv); err != nil {
		a.Note("the handoff is stored; " + err.Error())
	}
}
