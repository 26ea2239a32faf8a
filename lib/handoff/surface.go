package handoff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// DefaultSurfaceMaxChars is the default number of characters that Surface shows of a body.
const DefaultSurfaceMaxChars = 4000

// SurfaceOptions limit what Surface shows.
type SurfaceOptions struct {
	MaxChars   int       // the limit of each body, after escaping and with line prefixes; 0 means MaxForAgents
	MaxAgeDays int       // older handoffs are left out, and stay unread; 0 means no limit
	Notes      io.Writer // receives a line about each body that seems to take command; nil drops them
}

// A Surfaced is a handoff that is shown: in a frame, or with the reason why its body is withheld.
type Surfaced struct {
	Entry     Entry
	Signature Signature
	Framed    string // the body in its frame, or ""
	Withheld  string // why the body is withheld, or ""
	note      string
}

// String returns the text form: the frame, or a line that says that the body is withheld.
func (h Surfaced) String() string {
	if h.Withheld != "" {
		return fmt.Sprintf("[withheld: %s: %s]\n", h.Entry.ID, h.Withheld)
	}
	return h.Framed
}

// A Surfacing is what Surface shows an operator.
type Surfacing struct {
	Operator string
	Shown    []Surfaced // oldest first
	Left     []string   // lines about the handoffs that are not shown
}

// Entries returns the entries of what is shown.
func (s Surfacing) Entries() (all []Entry) {
	for _, h := range s.Shown {
		all = append(all, h.Entry)
	}
	return all
}

func (s Surfacing) banner() string { return fmt.Sprintf("[Unread handoffs to: %s]\n", s.Operator) }

// String returns the text form.
func (s Surfacing) String() string {
	text := s.banner()
	for _, h := range s.Shown {
		text += "\n" + h.String()
	}
	for _, line := range s.Left {
		text += line + "\n"
	}
	return text
}

// Surface shows an operator what is unread, oldest first, each body in its own frame. A body that cannot be proven is
// withheld with a line that says so. If more than MaxForAgents characters are unread, the newest are shown and the
// others counted. show prints it; it is not called if nothing is unread.
//
// Surface marks nothing as read. It records in the audit log what it showed, unless show fails. That is best effort,
// and neither delays nor fails the call.
func (s *Store) Surface(ctx context.Context, operator string, opt SurfaceOptions, show func(Surfacing) error) error {
	if err := checkOperator(operator); err != nil {
		return err
	}
	in, err := s.Waiting(operator, opt.MaxAgeDays)
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

// surfacing chooses the newest handoffs that fit.
func (s *Store) surfacing(operator string, in Inbox, opt SurfaceOptions) (out Surfacing, err error) {
	out.Operator = operator
	room := form.NewBudget(MaxForAgents - len(out.banner()))
	slices.Reverse(in.Newest)
	err = s.LoadEach(in.Newest, func(got Stored, err error) bool {
		h := s.surfaceOne(got, err, opt)
		fits := room.Add("\n" + h.String())
		if fits {
			out.Shown = append(out.Shown, h)
		}
		return fits
	})
	slices.Reverse(out.Shown)
	if left := in.Count() - len(out.Shown); left > 0 {
		out.Left = append(out.Left, fmt.Sprintf("%d more unread", left))
	}
	if over := in.Left(); over != "" {
		out.Left = append(out.Left, "[not shown: "+over+"]")
	}
	return out, err
}

// surfaceOne returns a handoff that was loaded with an error or nil as it is shown.
func (s *Store) surfaceOne(got Stored, err error, opt SurfaceOptions) (h Surfaced) {
	e := got.Entry
	h = Surfaced{Entry: e, Signature: got.Signature}
	switch {
	case errors.Is(err, ErrIntegrity):
		h.Withheld = "does not verify: " + EscapeLine(fault.Plain(err))
	case err != nil:
		h.Withheld = "cannot be read: " + EscapeLine(fault.Plain(err))
	default:
		h.Withheld = s.Distrust(e.From, got.Signature)
	}
	if h.Withheld != "" {
		return h
	}
	text, flags := Framed(got, Frame{MaxChars: opt.MaxChars, Whole: MaxForAgents - frameRoom})
	h.Framed, h.note = text, form.Blocker(e.ID, flags)
	return h
}

const frameRoom = 200 // characters, for the banner and the count around a single body

// recordSurface adds the event if that is possible at once.
func (s *Store) recordSurface(ctx context.Context, out Surfacing) {
	var shown, withheld []string
	for _, h := range out.Shown {
		if h.Withheld == "" {
			shown = append(shown, h.Entry.ID)
		} else {
			withheld = append(withheld, h.Entry.ID)
		}
	}
	n := len(shown)
	s.at.Try(ctx, func(c *store.Change) error {
		c.Add(log.Surface, log.Payload{Operator: out.Operator, Surfaced: &n, IDs: append([]string{}, shown...),
			Withheld: append([]string{}, withheld...)})
		return nil
	})
}
