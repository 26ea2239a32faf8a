package agent

import (
	"io"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// An input is what an agent says of a session.
type input struct{ heard.Input }

// known returns the ids of what a session still has: a resumed session what it was told, a forked session what its
// parent was told. It is empty for other sessions, and if the agent keeps nothing.
func (s Session) known(in input, r *report) map[string]bool {
	session := r.session
	switch {
	case !slices.Contains(s.agent.words("keeps"), in.Source):
		return nil
	case in.Told != nil:
		return setOf(strings.Fields(*in.Told))
	case in.Source == "fork":
		session = in.forkedFrom()
	}
	if session == "" {
		return nil
	}
	told := offered(r.store, handoff.Offer{Session: session, Agent: s.Agent, Operator: r.operator})
	return setOf(append(told, strings.Fields(s.remember(s.given, session).Known)...))
}

var forkOf = form.Pattern(`"forked_from_id":"([A-Za-z0-9._:-]{1,128})"`)

// forkedFrom returns the parent of this session, as the beginning of Codex's transcript names it, or "". It reads
// only a small part of a regular file.
func (in input) forkedFrom() string {
	head, err := readHead(in.transcript(), 4096)
	if found := forkOf().FindSubmatch(head); err == nil && found != nil {
		return string(found[1])
	}
	return ""
}

// readHead returns the first bytes of a regular file.
func readHead(path string, n int64) ([]byte, error) {
	f, err := disk.OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}
