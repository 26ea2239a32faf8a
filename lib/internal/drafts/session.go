package drafts

import (
	"os"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
)

// pending reports whether a draft is none yet, or will never be one: the session that left it goes on,
// or nothing was said in it.
func (d Draft) pending() bool {
	if d.Process == "" {
		return false
	}
	if machine.Runs(d.Process) {
		return true
	}
	for _, transcript := range d.References {
		if info, err := os.Lstat(transcript); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			return true
		}
	}
	return false
}

// EndSession takes back the draft that a session of an agent would leave if it died: it has ended, or
// written a handoff. An empty session stands for all of the agent that go on. It returns the draft,
// without an ID if there was none.
func (b Box) EndSession(agent, session string) (left Draft, err error) {
	var ended []Draft
	isOwn := b.own()
	err = b.each(func(dir *durable.Dir, name string) {
		stem, _ := cutSeal(name)
		if !strings.Contains(stem, "-") || session != "" && !strings.HasSuffix(stem, "-"+sessionDigest(agent, session)) {
			return
		}
		if d, err := read(dir, name, isOwn); err == nil && !d.Foreign && d.Agent == agent && d.Process != "" && (session != "" || d.pending()) {
			ended = append(ended, d)
		}
	})
	for _, d := range ended {
		if err := b.Remove(d); err != nil {
			return left, err
		}
		left = d
	}
	return left, err
}
