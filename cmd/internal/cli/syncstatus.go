package cli

import (
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// SyncStatus returns a line with the numbers of unsent and held handoffs and the time of the last sync, "" if there is
// nothing to sync. For a store that has never synced it returns "", unless always is set and git does not track the
// handoffs. at is the status of s, nil if it is to be read.
func SyncStatus(p handoff.Project, s *handoff.Store, at *exchange.Status, always bool) string {
	if !p.Options.Git.IsShared() {
		return ""
	}
	at, err := statusOf(s, at, always)
	nothing := at.Unsent+at.Held == 0
	switch {
	case err != nil && always:
		return err.Error()
	case err != nil:
		return ""
	case at.Failed != "":
		return "the last background sync failed: " + handoff.EscapeLine(at.Failed) + ": run `handoff sync`"
	case always && nothing && NeverSynced(p, s, at):
		return neverSynced
	case nothing, at.Synced == "" && (!always || p.Options.Git == handoff.GitTracked):
		return ""
	}
	var parts []string
	if at.Unsent > 0 {
		parts = append(parts, handoff.Count(at.Unsent, "handoff")+" not sent, "+lastSync(at.Synced, p.Options.Now)+
			": run `handoff sync`")
	}
	if at.Held > 0 {
		parts = append(parts, NoteHeld(at.Held))
	}
	return strings.Join(parts, "; ")
}

// NoteHeld returns a line with the number of held handoffs and the command that explains them.
func NoteHeld(n int) string {
	return handoff.Count(n, "handoff") + " held: `handoff list --held` shows why, and what you can do"
}

// NoteNothing prints on a terminal that nothing was found, and a hint to sync if the clone has never synced.
func (a *App) NoteNothing(p handoff.Project, s *handoff.Store, text string) {
	if !IsTerminal(a.Stdout) {
		return
	}
	if NeverSynced(p, s, nil) {
		text += ", and " + neverSynced
	}
	a.Note(text)
}

const neverSynced = "this clone has never synced: run `handoff sync`"

// NeverSynced reports whether a clone has a remote and has never synced with it. at is as in SyncStatus.
func NeverSynced(p handoff.Project, s *handoff.Store, at *exchange.Status) bool {
	if p.Options.Git != handoff.GitSynced || handoff.GitConfig(p.Root, "remote.origin.url") == "" {
		return false
	}
	at, err := statusOf(s, at, false)
	return err == nil && at.Synced == ""
}

// statusOf returns the status at of a store, or reads it if at is nil, with first as for exchange.ReadStatus.
func statusOf(s *handoff.Store, at *exchange.Status, first bool) (*exchange.Status, error) {
	if at != nil {
		return at, nil
	}
	now, err := exchange.ReadStatus(s, first)
	return &now, err
}

func lastSync(at string, now func() time.Time) string {
	if now == nil {
		now = time.Now
	}
	then, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return "never synced"
	}
	return "last sync " + handoff.Ago(then, now())
}
