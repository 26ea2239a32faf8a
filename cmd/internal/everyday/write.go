package everyday

import (
	"context"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func writeCommand(a *App) *cobra.Command {
	var f Fields
	var recording Recording
	var rel Relating
	var kind string
	var allowEmpty []string
	var stdin0, keepGoing bool
	cmd := &cobra.Command{
		Use:   "write FILE…|-|DIR",
		Short: "Store a document, any Markdown with --to, or a record",
		Long: `Store documents. When it exits with 0, body, INDEX.md row and audit event are on disk.
The same document again changes nothing, so that a failed command can always be repeated.

FILE is a markdown document with YAML frontmatter, or a record as JSON: a resume packet, a universal
handoff or a run record, by its shape or --kind. With --to it is any Markdown: what a frontmatter lacks
comes from flags and defaults (from is you, ts_utc now, the topic the first heading); flags must not
contradict it. DIR stands for its *.md and *.json files, - for standard input. A record fills the
frontmatter itself: from is its agent or source.skill, to its target.skill, topic its task, task_id or
source.workflow_id, ts_utc its updated_at, created_at or timestamp. Flags override. Several documents are checked first and
stored all or none. A document with a credential in it is refused.

With --work and --file a handoff whose frontmatter is made here records the commit that is checked out and
files as they are; handoff check says later whether the work went on since. With --re, --supersedes and --expires
its references say what it answers, whose place it takes, and until when it is of use.`,
		Example: `  handoff write note.md --to ben
  handoff write packet.json --to ben
  echo 'Tests are green, deploy is open.' | handoff write - --to ben --topic deploy
  find notes -name '*.md' -print0 | handoff write --stdin0`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := rel.Apply(a, &f); err != nil {
				return err
			}
			in := input{App: a, fields: f, at: rel.At, recording: recording, kind: kind, allowEmpty: allowEmpty}
			sources, err := in.sources(paths, stdin0)
			if errors.Is(err, errBeyond) || err != nil && (!keepGoing || len(sources) == 0) {
				return in.keepTyped(err)
			}
			err = in.keepTyped(SameAgain(a.Write(sources, keepGoing, err), in.took))
			if doc := (*handoff.DocumentError)(nil); in.headless && errors.As(err, &doc) {
				return hinted{err, "any Markdown is a handoff with --to OPERATOR"}
			}
			return err
		},
	}
	f.Register(cmd)
	rel.Register(cmd)
	recording.Register(cmd, true)
	a.Gate.Register(cmd)
	a.Gate.RegisterRestore(cmd)
	a.Sign.Register(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "the `kind` of the records: packet, universal or run (default by their shape)")
	Texts(cmd.Flags(), &allowEmpty, "allow-empty", "let the body be empty, or, of packets, this `field`")
	cmd.Flags().BoolVar(&stdin0, "stdin0", false, "read NUL-separated paths from standard input")
	cmd.Flags().BoolVar(&keepGoing, "keep-going", false, "store the good documents; exit with the code of the first failure")
	return cmd
}

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
		if near := s.Meant(asked); near != "" && !a.Confirm(asked+" is new here; did you mean "+near+"? Store it for "+asked+" all the same?") {
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
		_ = a.handOver(errBeyond) // later would be too late
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
		err = a.PrintReceipts(receipts)
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
	err = a.PrintReceipts(receipts)
	if a.warnOf(s, sources, receipts); err != nil {
		return err
	}
	return FirstOf(errs)
}

// warnOf says what is questionable about the records among what was stored. The fast program stores none.
func (a *App) warnOf(s *handoff.Store, sources []handoff.Source, receipts []handoff.Receipt) {
	mayCarry := func(src handoff.Source) bool { return src.Make != nil || handoff.AnnouncesRecord(src) }
	if a.whole == nil || !slices.ContainsFunc(sources, mayCarry) {
		return
	}
	var ids []string
	for _, r := range receipts {
		if r.Status == handoff.StatusCreated {
			ids = append(ids, r.ID)
		}
	}
	warnings, err := a.whole.Warnings(s, ids)
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
		if a.whole == nil {
			_, _ = handoff.Parse(source, p.Options.Rules, p.Options.MaxDocumentBytes)
		}
	}
	return a.refused.Load()
}

// PrintReceipts prints what was stored.
func (a *App) PrintReceipts(receipts []handoff.Receipt) error {
	a.Committed()
	for _, r := range receipts {
		line, err := r.Line()
		if a.forPeople() {
			line, err = handoff.EscapeLine(stored(r))+"\n", nil
		}
		if err == nil {
			_, err = io.WriteString(a.Stdout, line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stored is a receipt in a line.
func stored(r handoff.Receipt) string {
	line := "stored " + Short(r.ID, shortest) + " as " + r.Path
	if r.Status == handoff.StatusExisting {
		line = Short(r.ID, shortest) + " was stored before, as " + r.Path
	}
	if r.Signature != nil && r.Signature.State != handoff.SignatureUnsigned {
		line += ", signature " + r.Signature.State
	}
	return line
}

// A firstError reports all errors and has the class of the first.
type firstError struct {
	error
	first error
}

func (e firstError) Unwrap() error { return e.first }

// Is says whether an input is beyond the program: that counts before all.
func (e firstError) Is(target error) bool {
	return target == errBeyond && errors.Is(e.error, errBeyond)
}

// addError is fault.Add, but that one of an input that is beyond the program is always among the errors. The
// first stays: its class counts.
func addError(errs []error, err error) []error {
	if len(errs) > 1 && errors.Is(err, errBeyond) && !errors.Is(errs[1], errBeyond) {
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
	return hinted{err, "run again with --ts " + took + ", so that it is the same handoff"}
}

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
