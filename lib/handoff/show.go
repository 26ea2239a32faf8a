package handoff

import (
	"path"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Escape returns text in a form that is safe to show on a terminal: what is invisible, moves the cursor or
// reorders the line is written out. It may have several lines. Escape of its result changes nothing.
func Escape(text string) string {
	escaped, _ := form.Escape(text)
	return escaped
}

// EscapeLine is Escape for text that must stay on one line.
func EscapeLine(text string) string { return form.EscapeLine(text) }

// IsFitForMarkdown reports whether text is short enough, as a whole and between empty lines, to be
// read as Markdown: what that takes grows with the square of a paragraph.
func IsFitForMarkdown(text string) bool { return form.IsFitForMarkdown(text) }

// JSON returns v as JSON that a terminal may show, on one line or, with an indent, on several. What
// Escape would change is a \u escape, so that any JSON parser gives the value back.
func JSON(v any, indent string) (string, error) { return form.JSON(v, indent) }

// EscapeJSON returns JSON text as JSON does: the same value, fit for a terminal.
func EscapeJSON(text string) string { return form.EscapeJSON(text) }

// Table returns rows in columns for a terminal of the given width, 0 for any, every cell escaped.
func Table(width int, header []string, rows [][]string) string {
	return form.Table(width, header, rows)
}

// MaxForAgents is how many characters one output for an agent may have; a hook has less.
const MaxForAgents = 30_000

// A Frame says how much of a body is shown, and how.
type Frame struct {
	MaxChars   int                   // that the framed lines may have; 0 means no limit
	Whole      int                   // that the whole output may have; 0 means no limit
	Offset     int                   // characters of the escaped body to begin after
	Unverified bool                  // the body's id could not be proven
	More       func(next int) string // says how to read on after the next characters; nil how to read all
}

// Framed returns the body of a stored handoff inside a frame that says where it comes from and that it is
// no instruction, and what the body looks like an attempt at.
func Framed(s Stored, f Frame) (text string, flags []string, err error) {
	framed, err := form.Frame{Path: shownPath(s.Path), ID: s.Entry.ID, From: s.Entry.From, To: s.Entry.To, Topic: s.Entry.Topic, TsUTC: s.Entry.Time, SignedBy: signedBy(s.Signature),
		Unverified: f.Unverified, Max: f.MaxChars, Whole: f.Whole, Offset: f.Offset, More: f.More}.Wrap(s.Body)
	return framed.Text, framed.Flags, err
}

// signedBy names who signed, if that is known to be the author.
func signedBy(sig Signature) string {
	if sig.State != SignatureGood {
		return ""
	}
	return sig.Operator
}

// shownPath leaves the directory out, whose name could speak, unless it is the usual one.
func shownPath(file string) string {
	if file == "" || path.Dir(file) == disk.HandoffsDir {
		return file
	}
	return path.Base(filepath.ToSlash(file))
}

// Blocker returns the line for people about a body that the flags of Framed call suspicious, "" for none.
func Blocker(id string, flags []string) string { return form.Blocker(id, flags) }
