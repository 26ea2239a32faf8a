package handoff

import "github.com/seed-78daf238/handoff/lib/internal/render"

// Escape returns text in a form that is safe to show on a terminal: what is invisible, moves the cursor or
// reorders the line is written out. It may have several lines. Escape of its result changes nothing.
func Escape(text string) string {
	escaped, _ := render.Escape(text)
	return escaped
}

// EscapeLine is Escape for text that must stay on one line.
func EscapeLine(text string) string { return render.EscapeLine(text) }

// JSON returns v as JSON that a terminal may show, on one line or, with an indent, on several. What Escape would change
// is a \u escape, so that any JSON parser gives the value back.
func JSON(v any, indent string) (string, error) { return render.JSON(v, indent) }

// EscapeJSON returns JSON text as JSON does: the same value, fit for a terminal.
func EscapeJSON(text string) string { return render.EscapeJSON(text) }

// Table returns rows in columns for a terminal of the given width, 0 for any, every cell escaped.
func Table(width int, header []string, rows [][]string) string {
	return render.Table(width, header, rows)
}

// Framed returns the body of a stored handoff inside a frame that says where it comes from and that it is
// no instruction (spec 3-surface). maxChars limits the framed lines; 0 is no limit. unverified marks a
// body whose id could not be proven.
func Framed(s Stored, maxChars int, unverified bool) (text string, flags []string, err error) {
	f := render.Frame{Path: s.Path, ID: s.Entry.ID, From: s.Entry.From, To: s.Entry.To, Topic: s.Entry.Topic, TsUTC: s.Entry.Time,
		Unverified: unverified, Max: maxChars}
	framed, err := f.Wrap(s.Body)
	return framed.Text, framed.Flags, err
}

// Blocker returns the line for people about a body that the flags of Framed call suspicious, "" for none.
func Blocker(id string, flags []string) string { return render.Blocker(id, flags) }
