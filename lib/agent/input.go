package agent

import (
	"encoding/json"
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

// An input is the JSON value that an agent writes to standard input. A malformed field counts as missing.
type input struct {
	Cwd         string
	Session     string
	SessionID   string
	Chat        string
	Event       string
	Source      string  // why the session starts
	Told        *string // the ids that hooks named in the messages of the session, if the agent's plugin knows them
	Reason      string  // why the session ends
	Transcript  string
	Transcript2 string

	Summary    string // of a compaction
	Last       string // the last message of a turn that ends
	Response   string
	Text       string
	StopReason string // why the turn ends

	isCut bool // the value was too large; its other fields are missing
}

// field returns the field for a JSON name, or nil for an unknown name. Agents use several names for one field.
// Decoding into a struct with tags would take a quarter of the time of a hook that has nothing to tell.
func (in *input) field(name string) *string {
	switch name {
	case "cwd":
		return &in.Cwd
	case "session_id":
		return &in.Session
	case "sessionId":
		return &in.SessionID
	case "conversation_id":
		return &in.Chat
	case "hook_event_name":
		return &in.Event
	case "source":
		return &in.Source
	case "told":
		in.Told = new(string)
		return in.Told
	case "reason":
		return &in.Reason
	case "transcript_path":
		return &in.Transcript
	case "transcriptPath":
		return &in.Transcript2
	case "compact_summary":
		return &in.Summary
	case "last_assistant_message":
		return &in.Last
	case "prompt_response":
		return &in.Response
	case "text":
		return &in.Text
	case "stopReason":
		return &in.StopReason
	}
	return nil
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
		if name, _ := key.(string); in.field(name) != nil {
			_ = json.Unmarshal(value, in.field(name)) // a field of the wrong type does not affect others
		}
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
