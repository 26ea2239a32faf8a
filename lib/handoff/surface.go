package handoff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// DefaultSurfaceMaxChars is how many characters of a body Surface shows.
const DefaultSurfaceMaxChars = 4000

// SurfaceOptions limits what Surface shows.
type SurfaceOptions struct {
	MaxChars   int       // of each body, counted after escaping, line prefixes included; 0 is MaxForAgents at most
	MaxAgeDays int       // older handoffs are left out, and stay unread; 0 means no limit
	Notes      io.Writer // gets a line about each body that looks like an attempt to take command; nil drops them
}

// mostTold is more handoffs than there is room for where agents are told of them.
const mostTold = 1000

// An Inbox is what an operator has not read: the newest of it, oldest first, and how much there is for
// each recipient.
type Inbox struct {
	Newest []Entry
	For    map[string]int
	Over   map[State]int // of those that are not listed because they are over, or await approval: how many there are

	Stranger string // of Waiting: why its operator is probably a slip; "" if nothing speaks for that
}

// Count returns how much there is.
func (in Inbox) Count() (all int) {
	for _, n := range in.For {
		all += n
	}
	return all
}

// Unread returns what operator has not read and nobody has to approve first, of which at least so many
// of the newest are listed, without the handoffs that are older than maxAgeDays; 0 means no limit of
// either.
func (s *Store) Unread(operator string, newest, maxAgeDays int) (in Inbox, err error) {
	f := Filter{To: operator, Unread: true, Approved: true, Newest: newest}
	if maxAgeDays > 0 {
		f.Since = s.opt.Now().AddDate(0, 0, -maxAgeDays)
	}
	if in, err = s.Chosen(f); err != nil {
		return Inbox{}, err
	}
	for _, e := range in.Newest {
		in.For[e.To]++
	}
	slices.SortStableFunc(in.Newest, func(a, b Entry) int { return index.CompareTimes(a.Time, b.Time) })
	return in, nil
}

// Waiting is Unread for a session that starts and for a prompt: it lists what there is room for, and, where
// nothing is unread, says whether the operator is probably a slip.
func (s *Store) Waiting(operator string, maxAgeDays int) (Inbox, error) {
	in, err := s.Unread(operator, mostTold, maxAgeDays)
	if err == nil && operator != "" && len(in.Newest) == 0 {
		if why, sure := s.Registry().Stranger(operator); sure {
			in.Stranger = why
		}
	}
	return in, err
}

// A Surfaced handoff is one that is shown: its frame, or why it is withheld.
type Surfaced struct {
	Entry     Entry
	Signature Signature
	Framed    string
	Withheld  string
	verified  bool
	note      string
}

// text is what stands for it in the text form.
func (h Surfaced) text() string {
	if h.Withheld != "" {
		return fmt.Sprintf("[withheld: %s: %s]\n", h.Entry.ID, h.Withheld)
	}
	return h.Framed
}

// A Surfacing is what an operator is shown, oldest first, and what is said of the rest.
type Surfacing struct {
	Operator string
	Shown    []Surfaced
	Left     []string
}

func (s Surfacing) banner() string { return fmt.Sprintf("[Unread handoffs to: %s]\n", s.Operator) }

// write writes the text form.
func (s Surfacing) write(w io.Writer) error {
	text := s.banner()
	for _, h := range s.Shown {
		text += "\n" + h.text()
	}
	for _, line := range s.Left {
		text += line + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// Surface shows operator what is unread, oldest first: each body in a frame of its own, proven to be
// what was written; one that is not is withheld, and a line says so. Of more than MaxForAgents
// characters the newest are shown, and the others counted. Nothing is marked. That it was shown is
// recorded in the audit log if that is possible at once; it can neither delay nor fail the call.
func (s *Store) Surface(ctx context.Context, operator string, opt SurfaceOptions, w io.Writer) error {
	return s.SurfaceBy(ctx, operator, opt, func(shown Surfacing) error { return shown.write(w) })
}

// SurfaceBy is Surface in another form, which show gives it: nothing where nothing is unread. What it fails to
// show is not recorded.
func (s *Store) SurfaceBy(ctx context.Context, operator string, opt SurfaceOptions, show func(Surfacing) error) error {
	if err := checkOperator(operator); err != nil {
		return err
	}
	in, err := s.Unread(operator, mostTold, opt.MaxAgeDays)
	if err != nil || len(in.Newest) == 0 {
		return err
	}
	out, err := s.surfacing(operator, in, opt)
	if err != nil {
		return err
	}
	for _, h := range slices.Backward(out.Shown) {
		if h.note != "" && opt.Notes != nil {
			fmt.Fprintln(opt.Notes, h.note)
		}
	}
	if err := show(out); err != nil {
		return err
	}
	s.recordSurface(ctx, out)
	return nil
}

// surfacing chooses the newest that there is room for.
func (s *Store) surfacing(operator string, in Inbox, opt SurfaceOptions) (out Surfacing, err error) {
	out.Operator = operator
	d, err := s.at.OpenPlace(s.opt.Dir)
	if err != nil || d == nil {
		return out, err
	}
	defer d.Close()
	decided := s.Lifecycle().Decided() // since it was listed
	room := form.NewBudget(MaxForAgents - len(out.banner()))
	for _, e := range slices.Backward(in.Newest) {
		h, err := s.surfaceOne(d, e, decided(e.ID), opt)
		if err != nil {
			return out, err
		}
		if !room.Add("\n" + h.text()) {
			break
		}
		out.Shown = append(out.Shown, h)
	}
	slices.Reverse(out.Shown)
	if left := in.Count() - len(out.Shown); left > 0 {
		out.Left = append(out.Left, fmt.Sprintf("%d more unread", left))
	}
	if over := in.Left(); over != "" {
		out.Left = append(out.Left, "[not shown: "+over+"]")
	}
	return out, nil
}

func (s *Store) surfaceOne(d *disk.Dir, e Entry, decided Decision, opt SurfaceOptions) (h Surfaced, err error) {
	got, err := s.load(d, e)
	h = Surfaced{Entry: e, Signature: got.Signature}
	missing, refuse := "", false
	switch {
	case errors.Is(err, ErrIntegrity):
		h.Withheld = "does not verify: " + EscapeLine(fault.Plain(err))
	case err != nil:
		h.Withheld = "cannot be read: " + EscapeLine(fault.Plain(err))
	case trust.CheckApproval(s.at, decided, e, got.References) != nil: // or it is not known whether it needs one
		h.Withheld = "it awaits approval"
	default:
		if missing, refuse = s.Distrust(e.From, got.Signature); refuse {
			h.Withheld = missing
		}
	}
	if h.Withheld != "" {
		return h, nil
	}
	text, flags, err := Framed(got, Frame{MaxChars: opt.MaxChars, Whole: MaxForAgents - roomBeside})
	if missing != "" {
		text = fmt.Sprintf("[note: %s: %s]\n", e.ID, missing) + text
	}
	h.Framed, h.note, h.verified = text, form.Blocker(e.ID, flags), true
	return h, err
}

const roomBeside = 200 // characters, for banner and count around a single body

// recordSurface adds the event if that is possible at once.
func (s *Store) recordSurface(ctx context.Context, out Surfacing) {
	var shown, withheld []string
	for _, h := range out.Shown {
		if h.verified {
			shown = append(shown, h.Entry.ID)
		} else {
			withheld = append(withheld, h.Entry.ID)
		}
	}
	told := eventlog.Surfaced{OperatorID: out.Operator,
		HandoffIDs: eventlog.FirstIDs(shown), Count: len(shown), Withheld: eventlog.FirstIDs(withheld)}
	txn.TryRecord(ctx, s.at, eventlog.Pending{Type: eventlog.TypeSurface, Payload: told})
}
