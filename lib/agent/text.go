package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

const (
	maxOutput  = 6000 // characters
	maxEntries = 10   // handoffs that the report of a starting session names
	shortID    = 12   // digits of an id in the report
)

// A report is the text about the unread handoffs of one operator. Values that others chose, such as from and
// topic, appear only as JSON, each handoff on one line. It contains no path and no file name. Its commands work
// where the session runs.
type report struct {
	store    *handoff.Store
	operator string // "" if unknown
	bodies   bool
	maxChars int
	until    time.Time

	session  string          // its id, or ""
	knows    map[string]bool // ids that the session was told before and still has
	isSystem bool            // the model takes the text for a message of its system or developer

	warning string // what is wrong with the store, or ""
}

// text returns the report. It is newest first, and ends when its space or time does. Handoffs that do not verify are
// counted, not shown.
func (r report) text(unread handoff.Inbox, o own) string {
	out := form.NewBudget(maxOutput)
	if r.warning != "" {
		out.Add("Handoffs of this project may be missing (`handoff verify` says more): " +
			form.EscapeLine(r.warning) + ".\n")
	}
	out.Add(o.text)
	out.Add(r.head(unread))
	if r.operator == "" {
		return out.String()
	}
	shown, withheld, left := 0, 0, unread.Count()
	var unsigned []string
	slices.Reverse(unread.Newest)
	err := r.store.LoadEach(unread.Newest, func(got handoff.Stored, err error) bool {
		var block string
		if err == nil {
			isUnsigned := r.store.Distrust(got.Entry.From, got.Signature) != ""
			if block = r.entry(got, isUnsigned); isUnsigned {
				unsigned = append(unsigned, short(got.Entry))
			}
		}
		switch {
		case err != nil:
			withheld++
		case shown < maxEntries && out.Add(block):
			shown++
		default:
			return false
		}
		left--
		return time.Now().Before(r.until)
	})
	if err != nil {
		left = unread.Count()
	}
	if withheld > 0 {
		out.Add(handoff.Count(withheld, "handoff") +
			" withheld: the content or its signature does not verify; `handoff verify` names the place.\n")
	}
	if len(unsigned) > 0 {
		out.Add("Without the signature that OPERATORS.md requires: " + strings.Join(unsigned, ", ") + ".\n")
	}
	if over := unread.Left(); over != "" && shown > 0 {
		out.Add("Not counted above: " + over + ".\n")
	}
	if left > 0 {
		out.Add(fmt.Sprintf("and %d more: `handoff list --unread --to %s`\n", left, r.operator))
	}
	return out.String()
}

// head returns how many handoffs are unread, and the commands for them.
func (r report) head(in handoff.Inbox) string {
	if len(in.Newest) == 0 {
		return ""
	}
	const read = "`handoff read ID --agent` prints one, " +
		"`handoff check ID` checks whether work can continue from a packet"
	unread := handoff.Count(in.Count(), "unread handoff")
	if r.operator == "" {
		return unread + ". The operator of this session is unknown: " +
			"HANDOFF_OPERATOR or the setting operator names it. " + read +
			", `handoff list --unread` lists all. The recipients, and how many are for each:\n" + recipients(in.For)
	}
	change := ", nothing can be written here (`handoff verify` says why)"
	if r.store.Maintenance().IsOurs() {
		change = ", `handoff take ID --operator " + r.operator +
			"` takes one that asks for work and marks it as read, `handoff mark-read ID " +
			r.operator + "` records only that it was read"
	}
	return unread + " for " + r.operator +
		", newest first, each with its id, the sender and topic (chosen by the sender) and the time. " + read + change +
		", `handoff list --unread --to " + r.operator + "` lists all.\n"
}

// notice returns a line for the person at the terminal. It holds only our words and counts.
func (r report) notice(unread int, o own) string {
	var all []string
	switch {
	case unread > 0 && r.operator == "":
		all = append(all, handoff.Count(unread, "unread handoff")+"; I don't know who you are (run handoff init)")
	case unread > 0:
		all = append(all, handoff.Count(unread, "unread handoff")+" (run handoff inbox)")
	}
	all = append(all, o.notice...)
	if r.warning != "" {
		all = append(all, "handoffs may be missing (run handoff verify)")
	}
	return strings.Join(all, ", ")
}

const maxRecipients = 20

// recipients returns a line for each recipient, the one with most handoffs first.
func recipients(count map[string]int) string {
	byCount := func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) }
	names := slices.SortedFunc(maps.Keys(count), byCount)
	var out strings.Builder
	for _, name := range names[:min(len(names), maxRecipients)] {
		out.WriteString(form.JSONLine(fmt.Sprint(name, " ", count[name])) + "\n")
	}
	if more := len(names) - maxRecipients; more > 0 {
		out.WriteString(handoff.Count(more, "more recipient") + "\n")
	}
	return out.String()
}

// short returns the digits of an id in the report.
func short(e handoff.Entry) string { return strings.TrimPrefix(e.ID, "sha256:")[:shortID] }

// entry returns one line about a handoff, and its framed body if the session asked for it and refuse is false.
func (r report) entry(got handoff.Stored, refuse bool) string {
	line := form.JSONLine(about(got.Entry, got.Entry.Time)) + "\n"
	if r.bodies && !refuse {
		framed, _ := handoff.Framed(got, handoff.Frame{MaxChars: r.maxChars})
		line += framed
	}
	return line
}
