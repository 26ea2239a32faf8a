package handoff

import (
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/md"
)

// Escape makes text safe for a terminal: it writes out characters that are invisible, move the cursor or reorder the
// line. The result may have several lines. Escaping it again does not change it.
func Escape(text string) string {
	escaped, _ := form.Escape(text)
	return escaped
}

// EscapeLine is like Escape, but returns a single line.
func EscapeLine(text string) string { return form.EscapeLine(text) }

// JSON returns v as JSON that is safe for a terminal, on one line or, with an indent, on several. Unsafe characters
// are written as \u escapes, so that a JSON parser returns the same value.
func JSON(v any, indent string) (string, error) { return form.JSON(v, indent) }

// EscapeJSON escapes JSON text as JSON does. Its value does not change.
func EscapeJSON(text string) string { return form.EscapeJSON(text) }

// Table returns rows as aligned columns for a terminal of the given width. 0 means any width. All cells are escaped.
func Table(width int, header []string, rows [][]string) string {
	return form.Table(width, header, rows)
}

// Lines returns a body as lines for a terminal, without a first heading that repeats the title. All text is escaped. A
// line that has no place to break it can be wider than the terminal.
func Lines(body, title string, width int, colors bool) []string {
	return md.Lines(body, title, width, colors)
}

// MaxForAgents is the maximum number of characters of one output for an agent. Hooks have less.
const MaxForAgents = 30_000

// A Frame configures how a body is framed.
type Frame struct {
	MaxChars   int                   // the limit of the framed lines; 0 means no limit
	Whole      int                   // the limit of the whole output; 0 means no limit
	Offset     int                   // the number of characters of the escaped body to skip
	Unverified bool                  // the id of the body could not be proven
	More       func(next int) string // returns how to read on from a character; nil means that the reader reads all
}

// Framed returns the body of a stored handoff in a frame. The frame names its source, and warns that it is not an
// instruction. flags name the attempts to take command that the body seems to contain.
func Framed(s Stored, f Frame) (text string, flags []string) {
	framed := form.Frame{Path: shownPath(s.Path), ID: s.Entry.ID, From: s.Entry.From, To: s.Entry.To,
		Topic: s.Entry.Topic, TsUTC: s.Entry.Time, SignedBy: signedBy(s.Signature),
		Unverified: f.Unverified, Max: f.MaxChars, Whole: f.Whole, Offset: f.Offset, More: f.More}.Wrap(s.Body)
	return framed.Text, framed.Flags
}

// signedBy returns the signer of a good signature, otherwise "".
func signedBy(sig Signature) string {
	if sig.State != SignatureGood {
		return ""
	}
	return sig.Operator
}

// Blocker returns a line for people about a body with these flags of Framed, "" if there are none.
func Blocker(id string, flags []string) string { return form.Blocker(id, flags) }
