package handoff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/approval"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/render"
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
		if why, sure := s.Stranger(operator); sure {
			in.Stranger = why
		}
	}
	return in, err
}

// Surface shows operator what is unread, oldest first: each body in a frame of its own, proven to be
// what was written; one that is not is withheld, and a line says so. Of more than MaxForAgents
// characters the newest are shown, and the others counted. Nothing is marked. That it was shown is
// recorded in the audit log if that is possible at once; it can neither delay nor fail the call.
func (s *Store) Surface(ctx context.Context, operator string, opt SurfaceOptions, w io.Writer) error {
	if err := checkOperator(operator); err != nil {
		return err
	}
	in, err := s.Unread(operator, mostTold, opt.MaxAgeDays)
	if err != nil || len(in.Newest) == 0 {
		return err
	}
	d, err := s.at.OpenPlace(s.opt.Dir)
	if err != nil || d == nil {
		return err
	}
	defer d.Close()
	decided := s.Decided() // since it was listed
	banner := fmt.Sprintf("[Unread handoffs to: %s]\n", operator)
	out := render.NewBudget(MaxForAgents - len(banner))
	var blocks, notes, shown, withheld []string
	for _, e := range slices.Backward(in.Newest) {
		text, note, verified, err := s.surfaceOne(d, e, decided(e.ID), opt)
		if err != nil {
			return err
		}
		if !out.Add("\n" + text) {
			break
		}
		blocks = append(blocks, "\n"+text)
		if note != "" {
			notes = append(notes, note)
		}
		if verified {
			shown = append(shown, e.ID)
		} else {
			withheld = append(withheld, e.ID)
		}
	}
	for _, list := range [][]string{blocks, shown, withheld} {
		slices.Reverse(list)
	}
	more := ""
	if left := in.Count() - len(blocks); left > 0 {
		more = fmt.Sprintf("%d more unread\n", left)
	}
	if over := in.Left(); over != "" {
		more += "[not shown: " + over + "]\n"
	}
	for _, note := range notes {
		if opt.Notes != nil {
			fmt.Fprintln(opt.Notes, note)
		}
	}
	if _, err := io.WriteString(w, banner+strings.Join(blocks, "")+more); err != nil {
		return err
	}
	s.recordSurface(ctx, operator, shown, withheld)
	return nil
}

func (s *Store) surfaceOne(d *durable.Dir, e Entry, decided Decision, opt SurfaceOptions) (text, note string, verified bool, err error) {
	got, err := s.load(d, e)
	if err != nil {
		why := "cannot be read"
		if errors.Is(err, ErrIntegrity) {
			why = "does not verify"
		}
		return fmt.Sprintf("[withheld: %s %s: %s]\n", e.ID, why, EscapeLine(fault.Plain(err))), "", false, nil
	}
	if approval.Check(s.at, decided, e, got.References) != nil { // or it is not known whether it needs one
		return fmt.Sprintf("[withheld: %s: it awaits approval]\n", e.ID), "", false, nil
	}
	missing, refuse := s.Distrust(e.From, got.Signature)
	if refuse {
		return fmt.Sprintf("[withheld: %s: %s]\n", e.ID, missing), "", false, nil
	}
	text, flags, err := Framed(got, Frame{MaxChars: opt.MaxChars, Whole: MaxForAgents - roomBeside})
	if missing != "" {
		text = fmt.Sprintf("[note: %s: %s]\n", e.ID, missing) + text
	}
	return text, render.Blocker(e.ID, flags), true, err
}

const roomBeside = 200 // characters, for banner and count around a single body

// recordSurface adds the event if that is possible at once.
func (s *Store) recordSurface(ctx context.Context, operator string, shown, withheld []string) {
	txn.TryRecord(ctx, s.at, eventlog.Pending{Type: eventlog.TypeSurface, Payload: eventlog.Surfaced{OperatorID: operator, HandoffIDs: eventlog.FirstIDs(shown), Count: len(shown), Withheld: eventlog.FirstIDs(withheld)}})
}
