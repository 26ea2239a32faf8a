package heard

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// An Input is the JSON value that an agent writes to standard input. A malformed field counts as missing.
type Input struct {
	Cwd    string // use Directory
	Source string // why the session starts
	ids    [4]string
}

// field returns the field for a JSON name, or nil for an unknown name. Agents use several names for one field.
// Decoding into a struct with tags would take a quarter of the time of a hook that has nothing to tell.
func (in *Input) field(name string) *string {
	switch name {
	case "cwd":
		return &in.Cwd
	case "source":
		return &in.Source
	case "session_id":
		return &in.ids[0]
	case "sessionId":
		return &in.ids[1]
	case "conversation_id":
		return &in.ids[2]
	case "conversationId":
		return &in.ids[3]
	}
	return nil
}

const (
	Wait     = 300 * time.Millisecond // the wait of a hook for the agent's input
	maxInput = 1 << 20                // bytes that a hook reads
)

// ReadInput reads one JSON object: all of it, or only until the session and its directory are known. It waits no longer
// than wait, or as long as r if that is 0. Of malformed or cut input it returns the fields before that.
func ReadInput(r io.Reader, wait time.Duration, all bool) (in Input) {
	if r == nil {
		return in
	}
	read := func() Input {
		left := &io.LimitedReader{R: r, N: maxInput}
		in, err := readFields(json.NewDecoder(left), all)
		if all && err != nil && left.N <= 0 {
			_, _ = io.Copy(io.Discard, r) // some agents fail if their hook stops reading
		}
		return in
	}
	if wait == 0 {
		return read()
	}
	return within(wait, read)
}

func readFields(d *json.Decoder, all bool) (in Input, err error) {
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return in, err
	}
	for d.More() && (all || !in.isPlaced()) {
		key, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return in, err
		}
		name, _ := key.(string)
		switch field := in.field(name); {
		case field != nil:
			_ = json.Unmarshal(value, field) // a field of the wrong type does not affect others
		case name == "workspacePaths":
			var paths []string
			if json.Unmarshal(value, &paths) == nil && len(paths) > 0 {
				in.Cwd = paths[0]
			}
		}
	}
	return in, nil
}

// isPlaced reports whether the session and its directory are known. The input of a tool can be huge, since it contains
// the result: both are at its beginning.
func (in Input) isPlaced() bool { return in.Session() != "" && in.Cwd != "" }

// within returns what read returns, or no input if that takes longer.
func within(wait time.Duration, read func() Input) (in Input) {
	said := make(chan Input, 1)
	go func() { said <- read() }()
	select {
	case in = <-said:
	case <-time.After(wait):
	}
	return in
}

// Directory returns the directory of the session, or otherwise if the input has none.
func (in Input) Directory(otherwise string) string {
	if filepath.IsAbs(in.Cwd) {
		return filepath.Clean(in.Cwd)
	}
	return otherwise
}

// Letters are the characters of the id of a session.
const Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"

// Session returns the id of the session, or "" if it is missing or malformed.
func (in Input) Session() string {
	for _, id := range in.ids {
		if id != "" && len(id) <= 128 && strings.Trim(id, Letters) == "" {
			return id
		}
	}
	return ""
}
