package handoff

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// DefaultSurfaceMaxChars is the default number of characters that Surface shows of a body.
const DefaultSurfaceMaxChars = 4000

// A Surfaced is a handoff that is shown: in a frame, or with the reason why its body is withheld. Blocker is a line for
// people about a body that seems to take command, or "".
type Surfaced struct {
	Entry
	Framed   string `json:"framed,omitempty"`
	Withheld string `json:"withheld,omitempty"`
	Blocker  string `json:"-"`
}

// String returns the text form: the frame, or a line that says that the body is withheld.
func (h Surfaced) String() string {
	if h.Withheld != "" {
		return fmt.Sprintf("[withheld: %s: %s]\n", h.ID, h.Withheld)
	}
	return h.Framed
}

// A Surfacing is what Surface shows an operator.
type Surfacing struct {
	Operator string
	Shown    []Surfaced // oldest first
	Left     []string   // lines about the handoffs that are not shown
}

// String returns the text form, "" if nothing is unread.
func (s Surfacing) String() string {
	if len(s.Shown) == 0 {
		return ""
	}
	text := fmt.Sprintf("[Unread handoffs to: %s]\n", s.Operator)
	for _, h := range s.Shown {
		text += "\n" + h.String()
	}
	for _, line := range s.Left {
		text += line + "\n"
	}
	return text
}

const frameRoom = 200 // characters, for the first line and the count around a single body

// Surface returns what an operator has not read, oldest first, each body in its own frame. A body has at most maxChars
// characters, after escaping and with line prefixes; 0 means MaxForAgents. Handoffs older than maxAgeDays are left out;
// 0 means none. A body that cannot be proven is withheld with a line that says so. If more than MaxForAgents characters
// are unread, the newest are returned and the others counted. Surface marks nothing as read.
func (s *Store) Surface(operator string, maxChars, maxAgeDays int) (out Surfacing, err error) {
	if err := checkOperator(operator); err != nil {
		return out, err
	}
	in, err := s.Waiting(operator, maxAgeDays)
	if err != nil {
		return out, err
	}
	out.Operator = operator
	room := form.NewBudget(MaxForAgents - frameRoom/2)
	slices.Reverse(in.Newest)
	err = s.LoadEach(in.Newest, func(got Stored, err error) bool {
		h := s.surfaceOne(got, err, maxChars)
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
func (s *Store) surfaceOne(got Stored, err error, maxChars int) Surfaced {
	h := Surfaced{Entry: got.Entry}
	switch {
	case errors.Is(err, ErrIntegrity):
		h.Withheld = "does not verify: " + EscapeLine(fault.Plain(err))
	case err != nil:
		h.Withheld = "cannot be read: " + EscapeLine(fault.Plain(err))
	default:
		h.Withheld = s.Distrust(h.From, got.Signature)
	}
	if h.Withheld == "" {
		text, flags := Framed(got, Frame{MaxChars: maxChars, Whole: MaxForAgents - frameRoom})
		h.Framed, h.Blocker = text, form.Blocker(h.ID, flags)
	}
	return h
}

// RecordSurface records in the audit log what Surface has shown. That is best effort, and does not wait for a lock.
func (s *Store) RecordSurface(ctx context.Context, out Surfacing) {
	shown, withheld := []string{}, []string{}
	for _, h := range out.Shown {
		list := &shown
		if h.Withheld != "" {
			list = &withheld
		}
		*list = append(*list, h.ID)
	}
	n := len(shown)
	s.at.Try(ctx, func(c *store.Change) error {
		c.Add(log.Surface, log.Payload{Operator: out.Operator, Surfaced: &n, IDs: shown, Withheld: withheld})
		return nil
	})
}
