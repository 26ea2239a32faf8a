package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/site"
)

// StateSign returns the sign of a state.
func (a *App) StateSign(state handoff.State) string {
	if look := site.LookOf(string(state)); a.HasSigns() {
		return look.Sign
	} else {
		return look.ASCII
	}
}

// HasSigns reports whether the locale has the signs of states, one column wide: it has UTF-8, and is not one of those
// in which terminals draw such signs two columns wide.
func (a *App) HasSigns() bool {
	locale := strings.ToLower(cmp.Or(a.Getenv("LC_ALL"), a.Getenv("LC_CTYPE"), a.Getenv("LANG"), "utf-8"))
	isWide := slices.Contains([]string{"ja", "ko", "zh"}, locale[:min(2, len(locale))])
	return !isWide && (strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8"))
}

// When returns a time (RFC 3339) as a reader of the output wants it: on a terminal how long ago it was, else as it is.
func (a *App) When(ts string) string {
	at, err := time.Parse(time.RFC3339, ts)
	if err != nil || !IsTerminal(a.Stdout) {
		return ts
	}
	return handoff.Ago(at, a.Now())
}

// Styled returns text in a style, or as it is if the output has no colors.
func (a *App) Styled(style, text string) string {
	if style == "" || !a.Colors() {
		return text
	}
	return style + text + Plain
}

// Colors reports whether to print colors (https://no-color.org).
func (a *App) Colors() bool {
	return IsTerminal(a.Stdout) && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
}

// Short returns the first digits of an id.
func Short(id string, digits int) string {
	id = strings.TrimPrefix(id, "sha256:")
	return id[:min(digits, len(id))]
}

const Shortest = 8 // digits of an id in output for people

const (
	Bold  = "\x1b[1m"
	Faint = "\x1b[2m"
	Plain = "\x1b[0m"
)
