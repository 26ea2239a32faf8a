package agent

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// An input is what an agent says on standard input. Every agent has names of its own; what is not of the
// right form counts as not said.
type input struct {
	Cwd        string `json:"cwd"`
	Session    string `json:"session_id"`
	SessionID  string `json:"sessionId"`
	Chat       string `json:"conversation_id"`
	Event      string `json:"hook_event_name"`
	Source     string `json:"source"` // why the session starts
	Reason     string `json:"reason"` // why the session ends
	Transcript string `json:"transcript_path"`
}

// readInput reads one JSON value, and does not wait for its end for long.
func readInput(r io.Reader) (in input) {
	if r == nil {
		return in
	}
	said := make(chan input, 1)
	go func() {
		var in input
		err := json.NewDecoder(io.LimitReader(r, maxStdin)).Decode(&in)
		if err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) { // one field of another type spoils no other
			in = input{}
		}
		said <- in
	}()
	select {
	case in = <-said:
	case <-time.After(stdinWait):
	}
	return in
}

// cwd returns the directory of the session, otherwise if it is not said.
func (in input) cwd(otherwise string) string {
	if filepath.IsAbs(in.Cwd) {
		return filepath.Clean(in.Cwd)
	}
	return otherwise
}

const sessionLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"

// session returns the id of the session, "" if it is not said or could be anything.
func (in input) session() string {
	for _, id := range []string{in.Session, in.SessionID, in.Chat} {
		if id != "" && len(id) <= 128 && strings.Trim(id, sessionLetters) == "" {
			return id
		}
	}
	return ""
}
