package agent

import (
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
)

// knows reports whether a session that goes on was told of all that is offered to it: it, or the one
// that it was forked from.
func (in input) knows(s *handoff.Store, now handoff.Offer) bool {
	session := now.Session
	switch in.Source {
	case "resume":
	case "fork":
		session = in.forkedFrom()
	default:
		return false
	}
	if session == "" || len(now.IDs) == 0 {
		return false
	}
	var told []string
	for _, o := range s.Offers() {
		if o.Session == session && o.Agent == now.Agent && o.Operator == now.Operator {
			told = append(told, o.IDs...)
		}
	}
	return !slices.ContainsFunc(now.IDs, func(id string) bool { return !slices.Contains(told, id) })
}

var forkOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"forked_from_id":"([A-Za-z0-9._:-]{1,128})"`)
})

// forkedFrom returns the session that this one was forked from, as the head of Codex's transcript
// says, "" if it is not known. Nothing but a plain file is read, and little of it.
func (in input) forkedFrom() string {
	head, err := readHead(in.transcript(), 4096)
	if found := forkOf().FindSubmatch(head); err == nil && found != nil {
		return string(found[1])
	}
	return ""
}

// readHead returns the first bytes of a plain file.
func readHead(path string, n int) ([]byte, error) {
	d, err := durable.OpenDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f, err := d.Open(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, n)
	n, err = f.Read(head)
	return head[:n], err
}
