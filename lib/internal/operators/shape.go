package operators

import (
	"strings"
	"time"
	"unicode"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// The forms of the texts of fields.
var (
	version = document.Form{Want: "1.0", // keys that a later version adds are refused by name
		Fits: func(s string) bool { return s == "1" || form.Matches(s, "1.0") }}
	slug   = document.Form{Want: form.NameRule, Fits: form.IsName}
	line   = document.Form{Want: "one line of text", Fits: isLine}
	word   = document.Form{Want: "one word without spaces", Fits: isWord}
	email  = document.Form{Want: "an email address", Fits: isEmail}
	policy = document.Form{Want: "none or refuse",
		Fits: func(s string) bool { return s == "none" || s == RequireRefuse }}
	when = document.Form{Want: "a date such as 2026-05-07 or a time such as 2026-05-07T12:00:00Z",
		Fits: func(s string) bool { _, _, ok := span(s); return ok }}
	sshKey = document.Form{Want: "a public key as OpenSSH writes it, such as ssh-ed25519 AAAA…",
		Fits: func(s string) bool { _, ok := ParseKey(s); return ok && isLine(s) }}
)

func isLine(s string) bool {
	return strings.TrimSpace(s) != "" && !strings.ContainsFunc(s, form.IsHidden)
}

func isWord(s string) bool { return isLine(s) && !strings.ContainsFunc(s, unicode.IsSpace) }

func isEmail(s string) bool {
	return isWord(s) && strings.Contains(strings.Trim(s, "@"), "@")
}

// span returns the first and the last moment of a day in UTC, or of an instant. Times are RFC 3339.
func span(s string) (first, last time.Time, ok bool) {
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day, day.Add(24*time.Hour - 1), true
	}
	first, ok = form.Zoned(s)
	return first, first, ok
}
