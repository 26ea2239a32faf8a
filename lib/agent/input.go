package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// An input is the JSON value that an agent writes to standard input. The agents use different names for a field.
// A malformed field counts as missing.
type input struct {
	Cwd       string `json:"cwd"`
	Session   string `json:"session_id"`
	SessionID string `json:"sessionId"`
	Chat      string `json:"conversation_id"`
	Event     string `json:"hook_event_name"`
	Source    string `json:"source"` // why the session starts
	// Told has the ids that hooks named in the messages of the session, for agents whose plugin knows them.
	Told        *string `json:"told"`
	Reason      string  `json:"reason"` // why the session ends
	Transcript  string  `json:"transcript_path"`
	Transcript2 string  `json:"transcriptPath"`

	Summary    string `json:"compact_summary"`        // of a compaction
	Last       string `json:"last_assistant_message"` // of a turn that ends
	Response   string `json:"prompt_response"`
	Text       string `json:"text"`
	StopReason string `json:"stopReason"` // why the turn ends

	isCut bool // the value was too large; its other fields are missing
}

// readInput reads one JSON object of at most max bytes, until isEnough, if it is not nil, is true. It waits no longer
// than wait for its end. Of malformed or cut input it returns the fields before that.
func readInput(r io.Reader, wait time.Duration, max int64, isEnough func(input) bool) (in input) {
	if r == nil {
		return in
	}
	return within(wait, func() input {
		left := &io.LimitedReader{R: r, N: max}
		in, err := readFields(json.NewDecoder(left), isEnough)
		if in.isCut = err != nil && left.N <= 0; in.isCut && isEnough == nil {
			_, _ = io.Copy(io.Discard, r) // some agents fail if their hook stops reading
		}
		return in
	})
}

func readFields(d *json.Decoder, isEnough func(input) bool) (in input, err error) {
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return in, err
	}
	for d.More() && (isEnough == nil || !isEnough(in)) {
		key, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return in, err
		}
		// a field of the wrong type does not affect others
		_ = json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", key, value), &in)
	}
	return in, nil
}

// isPlaced reports whether the session and its directory are known. The input of a tool can be huge, since it contains
// the result: both are at its beginning.
func (in input) isPlaced() bool { return in.session() != "" && in.Cwd != "" }

// within returns what read returns, or no input if that takes longer.
func within(wait time.Duration, read func() input) (in input) {
	said := make(chan input, 1)
	go func() { said <- read() }()
	select {
	case in = <-said:
	case <-time.After(wait):
	}
	return in
}

// cwd returns the directory of the session, or otherwise if the input has none.
func (in input) cwd(otherwise string) string {
	if filepath.IsAbs(in.Cwd) {
		return filepath.Clean(in.Cwd)
	}
	return otherwise
}

const sessionLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"

// session returns the id of the session, or "" if it is missing or malformed.
func (in input) session() string {
	for _, id := range []string{in.Session, in.SessionID, in.Chat} {
		if id != "" && len(id) <= 128 && strings.Trim(id, sessionLetters) == "" {
			return id
		}
	}
	return ""
}

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

var forkOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"forked_from_id":"([A-Za-z0-9._:-]{1,128})"`)
})

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
func readHead(path string, n int) ([]byte, error) {
	d, err := disk.OpenDir(filepath.Dir(path))
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
