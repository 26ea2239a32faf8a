package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/transcript"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// The limits of what is kept of a session, in characters. Together they stay far below the limit of a handoff.
const (
	maxSummary = 24_000
	maxLast    = 8_000
	maxExtract = 24_000
	maxScanned = 1 << 20 // bytes of a part that are searched for credentials
)

// A leaving is an event of a session, and what is needed to keep what it leaves.
type leaving struct {
	Session
	in      input
	project handoff.Project
	store   *handoff.Store
	cwd     string
	event   int
}

// kept returns what the agent reports, as far as the setting capture allows it, without credentials.
func (l leaving) kept() (k handoff.Kept) {
	capture := l.project.Capture()
	if capture == handoff.CaptureNone || l.event == begins {
		return k
	}
	last := cmp.Or(l.in.Last, l.in.Response)
	if strings.EqualFold(l.in.Event, "afterAgentResponse") {
		last = cmp.Or(last, l.in.Text)
	}
	k.Summary, k.Last = clean(l.in.Summary, maxSummary), clean(last, maxLast)
	if capture == handoff.CaptureExtract {
		// a transcript that is missing or unfit has nothing to keep
		if x, err := transcript.Read(l.in.transcript()); err == nil {
			k.Extract = clean(x.Markdown(l.cwd), maxExtract)
		}
	}
	return k
}

// clean returns text without credentials and invisible characters, and not longer than n characters.
func clean(text string, n int) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxScanned)], "\ufffd")
	text, _ = trust.Redact(text, nil)
	text = strings.TrimSpace(handoff.Escape(text))
	if runes := []rune(text); len(runes) > n {
		text = fmt.Sprintf("%s\n\n[%s left out]", string(runes[:n]), handoff.Count(len(runes)-n, "character"))
	}
	return text
}

// after returns the draft of a session after the event.
func (l leaving) after(old handoff.Draft, kept handoff.Kept) handoff.Draft {
	d := old
	switch {
	case old.Wrote && l.event == turnEnds:
		return old
	case old.Wrote:
		d = handoff.Draft{}
	case l.project.Capture() == handoff.CaptureNone:
		d.Kept = handoff.Kept{}
	}
	d.Kept = handoff.Kept{Summary: cmp.Or(kept.Summary, d.Kept.Summary), Last: cmp.Or(kept.Last, d.Kept.Last),
		Extract: cmp.Or(kept.Extract, d.Kept.Extract)}
	switch l.event {
	case begins:
		d.Process = disk.Process(disk.BehindShell(l.Parent))
	case ends:
		isBad := old.ID != "" && slices.Contains(badReasons, l.in.Reason)
		isWell := old.Wrote || !isBad && d.Kept == (handoff.Kept{})
		switch d.Process = ""; {
		case l.taken() != "": // others can take it over, also if there is no draft
			d.Process, d.Wrote = disk.Ended, isWell
		case isWell:
			return handoff.Draft{}
		}
	case turnEnds:
		d.Process = cmp.Or(old.Process, disk.Process(disk.BehindShell(l.Parent)))
	}
	return l.draft(d)
}

// draft returns d with the facts about the session, and the text that shows all of it.
func (l leaving) draft(d handoff.Draft) handoff.Draft {
	d.Hook, d.Agent, d.Session, d.Topic = true, l.Agent, l.in.Session(), "recovered-session"
	path := cmp.Or(l.in.transcript(), transcriptOf(d.References))
	commit := ""
	if l.Work != nil && d.Kept != (handoff.Kept{}) && l.event != begins {
		commit = l.Work(l.project)
	}
	d.References = slices.DeleteFunc([]string{path, commit}, func(ref string) bool { return ref == "" })
	var b strings.Builder
	b.WriteString("# Recovered session\n\nA session ended without a handoff. What its agent reported:\n\n")
	for _, known := range []struct{ name, value string }{
		{"agent", l.Agent}, {"session", d.Session}, {"directory", l.cwd}, {"event", word(l.in.Event)},
		{"reason", word(l.in.Reason)}, {"transcript", path}, {"work", commit}, {"taken", l.taken()},
	} {
		if known.value != "" {
			fmt.Fprintf(&b, "* %s: %s\n", known.name, handoff.EscapeLine(known.value))
		}
	}
	for _, part := range []struct{ title, text string }{
		{"The last message of the agent", d.Kept.Last}, {"The summary of its compaction", d.Kept.Summary},
		{"From its transcript", d.Kept.Extract},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", part.title, part.text)
		}
	}
	d.Text = b.String()
	return d
}

// transcriptOf returns the transcript among the references of a draft, or "".
func transcriptOf(references []string) string {
	if len(references) > 0 && strings.HasPrefix(references[0], "/") {
		return references[0]
	}
	return ""
}

const maxTaken = 10

// taken returns what the session has taken and not finished.
func (l leaving) taken() string {
	session := l.in.Session()
	if session == "" || l.event == begins {
		return ""
	}
	var all []string
	lives, _ := l.store.Lifecycle().Taking("") // the draft says what is known
	for id, life := range lives {
		holder := life.Take.Holds()
		if holder.Session != session || life.Done.IsDone() || len(all) == maxTaken {
			continue
		}
		if e, err := l.store.Find(id); err == nil {
			all = append(all, short(e)+" "+e.Topic)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
