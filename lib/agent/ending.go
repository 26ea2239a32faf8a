package agent

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

const (
	maxLast  = 8000                                    // characters of a file
	firstRow = "# Session %s of %s %s %s and holds %d" // ended or ran, and the time
	saidLast = "\n## What the agent said last\n\n"
)

// A Last is what a session left when it ended: one Markdown file in the user's state, in a directory for each store.
type Last struct {
	Path string
	Text string

	session, how, at string
	holds            int
}

// lastDir returns the directory for what the sessions of a project leave, "" if there is no place for it.
func lastDir(s *handoff.Store) string {
	if own := s.OwnPath(); own != "" {
		return filepath.Join(own, "ended")
	}
	return ""
}

// LastSession returns what the session left that ended last. If there is none, the error is ErrInvalid.
func LastSession(s *handoff.Store, getenv func(string) string) (Last, error) {
	all := lasts(lastDir(s), getenv)
	if len(all) == 0 {
		return Last{}, fault.Invalid("`handoff list` shows the handoffs", "no session has left anything here")
	}
	return all[0], nil
}

// Remove removes the file.
func (l Last) Remove() error { return os.Remove(l.Path) }

// lasts returns what sessions left, the latest first. One that still runs has left nothing.
func lasts(dir string, getenv func(string) string) (all []Last) {
	for _, path := range memory.ByTime(dir) {
		text, _ := os.ReadFile(path) // another process may have removed it
		l, who := Last{Path: path, Text: string(text)}, ""
		line, _, _ := strings.Cut(l.Text, "\n")
		_, err := fmt.Sscanf(line, firstRow, &l.session, &who, &l.how, &l.at, &l.holds)
		isOver := l.how == "ended" || disk.IsGone(memory.Read(memory.State(getenv), l.session).Process)
		if err == nil && isOver {
			all = append(all, l)
		}
	}
	return all
}

// tellLast adds that the last session has left something.
func (o opened) tellLast(r *report) {
	all := lasts(lastDir(o.store), o.hook.Getenv)
	if len(all) == 0 || all[0].session == o.hook.self || !o.isNew(r, "last:"+all[0].session+all[0].at) {
		return
	}
	holds := ""
	if n := all[0].holds; n > 0 {
		holds = fmt.Sprint(" and holds ", n)
	}
	at, _ := time.Parse(time.RFC3339, all[0].at)
	r.line("the last session here ended at "+at.Local().Format("15:04")+" without a handoff"+holds+
		": `handoff read --last-session`", "", "")
}

// leave writes what the session leaves. One that wrote a handoff or finished one, and holds nothing, leaves nothing.
func (o opened) leave(n memory.Note) error {
	if file := o.project.User.SessionFile; file.Source != settings.Default && !file.Value {
		return nil
	}
	dir, name := lastDir(o.store), o.hook.self+".md"
	if dir == "" || o.hook.self == "" {
		return nil
	}
	path := filepath.Join(dir, name)
	text, err := o.ending(n, path)
	if text == "" || err != nil {
		if gone := os.Remove(path); gone != nil && !errors.Is(gone, os.ErrNotExist) {
			err = gone
		}
		return err
	}
	d, err := disk.Make(dir, disk.Modes{})
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Replace(name, []byte(text), 0o600, false)
}

// ending returns the text of the file, "" if there is nothing to leave.
func (o opened) ending(n memory.Note, path string) (string, error) {
	held := o.held()
	entries, err := o.store.List(handoff.Filter{})
	hasHanded := slices.ContainsFunc(entries, func(e handoff.Entry) bool {
		at, _ := time.Parse(time.RFC3339, e.Time)
		return e.From == o.operator && at.Unix() >= n.Began || e.Life().Done.Session == o.hook.self
	})
	words := o.hook.in.text(o.hook.agent.Words...)
	if before, _ := os.ReadFile(path); words == "" { // the end of the session has no text, but its last turn had
		_, words, _ = strings.Cut(string(before), saidLast)
	}
	if err != nil || held == nil && (hasHanded || words == "") {
		return "", err
	}
	how := "ran"
	if name := o.hook.in.text("hook_event_name"); name == "" || name == o.hook.agent.event(End) {
		how = "ended"
	}
	text := fmt.Sprintf(firstRow, o.hook.self, o.operator, how, time.Now().UTC().Format(time.RFC3339), len(held)) +
		"\n\n* Agent: " + o.hook.agent.Title + "\n" + strings.Join(held, "")
	if branch, commit := headOf(o.project.Work); branch+commit != "" {
		text += strings.TrimRight("* Branch: "+branch+" "+commit, " ") + "\n"
	}
	if at := o.hook.in.text("transcript_path", "transcriptPath"); at != "" {
		text += "* Transcript: " + at + "\n"
	}
	if words != "" {
		text += saidLast + words
	}
	text = secrets.Redact(text, secrets.Scan(text))
	return string([]rune(text)[:min(len([]rune(text)), maxLast)]), nil
}

// held returns a line for each handoff that the session holds.
func (o opened) held() (lines []string) {
	for _, h := range o.store.Lifecycle().Holdings(o.operator) {
		if h.Take.Session == o.hook.self {
			lines = append(lines, fmt.Sprintf("* It holds %s, which %s wrote: %s\n", short(h.Entry)[:8], h.Entry.From,
				h.Entry.Topic))
		}
	}
	return lines
}

// headOf returns the branch and the commit of a work tree, as far as plain files have them.
func headOf(root string) (branch, commit string) {
	read := func(path ...string) string {
		text, _ := os.ReadFile(filepath.Join(path...)) // unknown is ""
		return strings.TrimSpace(string(text))
	}
	index := git.IndexFile(root)
	dir := filepath.Dir(index)
	ref, isRef := strings.CutPrefix(read(dir, "HEAD"), "ref: ")
	switch {
	case index == "":
		return "", ""
	case !isRef:
		return "", ref
	}
	common := dir
	if at := read(dir, "commondir"); at != "" {
		common = filepath.Join(dir, at)
	}
	commit = read(common, filepath.FromSlash(ref))
	for line := range strings.Lines(read(common, "packed-refs")) {
		if hash, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == ref {
			commit = cmp.Or(commit, hash)
		}
	}
	return strings.TrimPrefix(ref, "refs/heads/"), commit
}
