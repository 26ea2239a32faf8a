package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Genesis is the prev_hash of the first event.
const Genesis = "GENESIS"

const timeLayout = "2006-01-02T15:04:05.000000Z"

// An Event is one entry of the audit log.
type Event struct {
	Type    string          `json:"event_type"`
	Payload json.RawMessage `json:"payload"`
	Prev    string          `json:"prev_hash"`
	Time    string          `json:"ts_utc"`
}

// Link returns the line of an event that follows the hash prev, with its newline, and the hash of the event.
// redacted names the rules by which content was redacted; nil becomes null.
func Link(prev, eventType string, at time.Time, payload any, redacted []string) (line []byte, hash string, err error) {
	line, err = jsontree.CanonicalOf(map[string]any{
		"event_type": eventType, "payload": payload, "prev_hash": prev, "primitive_id": "L6",
		"redaction_applied": redacted, "schema_version": "1.1.0", "ts_utc": at.UTC().Format(timeLayout)})
	if err != nil {
		return nil, "", err
	}
	return append(line, '\n'), jsontree.SHA256Hex(line), nil
}

// HashLine returns the hash that the event after line must name. It fails if line is not a JSON object.
func HashLine(line []byte) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return "", fmt.Errorf("not a JSON object: %w", err)
	}
	delete(fields, "signature")
	delete(fields, "signing_key_id")
	text, err := jsontree.CanonicalOf(fields)
	if err != nil {
		return "", err
	}
	return jsontree.SHA256Hex(text), nil
}

// isMarker reports whether a line is not part of the chain: it is empty or a marker of another tool.
func isMarker(line []byte) bool { return len(line) == 0 || line[0] == '[' }

// Tail finds the last event of a log of the given size. It reads backwards, so its cost does not grow with
// the log: no event is longer than disk.MaxEvent. end is the offset after the last whole line. If end is less
// than size, the last lines are torn. last is nil if there is no event.
func Tail(r io.ReaderAt, size int64) (last []byte, end int64, err error) {
	for window := int64(8 << 10); ; window *= 8 {
		start := max(0, size-window)
		buf := make([]byte, size-start)
		if _, err := r.ReadAt(buf, start); err != nil && !(errors.Is(err, io.EOF) && len(buf) == 0) {
			return nil, 0, err
		}
		last, end, found := lastEvent(buf, start > 0)
		if found || start == 0 {
			return last, start + int64(end), nil
		}
		if window >= disk.MaxEvent {
			return nil, 0, &fault.CorruptError{File: disk.LogFile,
				Why: fmt.Sprintf("its last %d bytes hold no event", window)}
		}
	}
}

// HeadAt returns the hash of the last event of a log of the given size, or [Genesis] for an empty log. end is as in
// [Tail].
func HeadAt(r io.ReaderAt, size int64) (hash string, end int64, err error) {
	last, end, err := Tail(r, size)
	if err != nil || last == nil {
		return Genesis, end, err
	}
	if hash, err = HashLine(last); err != nil {
		err = &fault.CorruptError{File: disk.LogFile, Why: fmt.Sprintf("the last event is unreadable: %v", err)}
	}
	return hash, end, err
}

// lastEvent searches a window of the log. If cut is set, the first line of the window is not whole.
func lastEvent(buf []byte, cut bool) (last []byte, end int, found bool) {
	end = disk.WholeLines(buf)
	for stop := end; stop > 0; {
		start := bytes.LastIndexByte(buf[:stop-1], '\n') + 1
		if start == 0 && cut {
			return nil, end, false
		}
		if line := buf[start : stop-1]; !isMarker(line) {
			return line, end, true
		}
		stop = start
	}
	return nil, end, false
}
