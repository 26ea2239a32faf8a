package eventlog

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

var idAlone = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`sha256:[0-9a-f]{64}`) })

// ResumeKey returns the key of the token that a line of the log records as consumed: of a resume, or
// of an act.
func ResumeKey(line []byte) ([]byte, bool) {
	kind, _ := textField(line, "event_type")
	if !IsConsumption(string(kind)) {
		return nil, false
	}
	return textField(line, "token")
}

// IsConsumption reports whether an event of the type is also a line of the ledger.
func IsConsumption(eventType string) bool {
	name, ours := strings.CutPrefix(eventType, "handoff.")
	return ours && (eventType == TypeResume || slices.Contains(acts, Act(name)))
}

// WrittenID returns the id of the handoff whose writing a line of the log records, unless its document
// was there before.
func WrittenID(line []byte) ([]byte, bool) {
	if !isWrite(line) || bytes.Contains(line, []byte(`"adopted":true`)) {
		return nil, false
	}
	return textField(line, "handoff_id")
}

// MarkOf returns the id of the handoff that a line of the log records as read, and by whom.
func MarkOf(line []byte) (id, operator []byte, ok bool) {
	if !isType(line, TypeMarkRead) {
		return nil, nil, false
	}
	id, _ = textField(line, "handoff_id")
	operator, ok = textField(line, "operator_id")
	return id, operator, ok
}

// WrittenOn returns the id of the handoff whose writing a line of the log records, and the branch on
// which that was.
func WrittenOn(line []byte) (id, branch []byte, ok bool) {
	if !isType(line, TypeWrite) {
		return nil, nil, false
	}
	id, _ = textField(line, "handoff_id")
	branch, ok = textField(line, "branch")
	return id, branch, ok
}

// WrittenAt returns the ids of the handoffs whose writing or import a line of the log records, and
// when that was.
func WrittenAt(line []byte) (ids []string, at []byte, ok bool) {
	if !isWrite(line) {
		return nil, nil, false
	}
	if id, one := textField(line, "handoff_id"); one {
		ids = []string{string(id)}
	} else {
		for _, id := range idAlone().FindAll(line, -1) {
			ids = append(ids, string(id))
		}
	}
	at, ok = timeField(line)
	return ids, at, ok
}

// WrittenBy returns who has written a handoff to whom here, if a line of the log records that.
func WrittenBy(line []byte) (from, to string, ok bool) {
	if !isType(line, TypeWrite) {
		return "", "", false
	}
	sender, _ := textField(line, "from")
	recipient, _ := textField(line, "to")
	return string(sender), string(recipient), true
}

// TimeOf returns when the event of a line was recorded, the zero time if the line does not say that.
func TimeOf(line []byte) time.Time {
	text, _ := timeField(line)
	at, _ := time.Parse(timeLayout, string(text))
	return at
}

// AdoptedAt returns when a line of the log says that the store took over handoffs whose events it does
// not have.
func AdoptedAt(line []byte) (at []byte, ok bool) {
	if !isType(line, TypeRecovered) || !bytes.Contains(line, []byte(`"adopted_rows":`)) {
		return nil, false
	}
	return timeField(line)
}

// ProbeOf returns what a line of the log says of a run of a probe.
func ProbeOf(line []byte) (p Probed, ok bool) {
	if !isType(line, TypeProbe) {
		return p, false
	}
	e := struct{ Payload *Probed }{&p}
	return p, json.Unmarshal(line, &e) == nil
}

// isWrite reports whether a line says that handoffs came into the store.
func isWrite(line []byte) bool { return isType(line, TypeWrite) || isType(line, TypeImport) }

// isType is asked of every line of large logs: it makes no string.
func isType(line []byte, name string) bool {
	const start = `{"event_type":"`
	end := len(start) + len(name)
	return len(line) > end && string(line[:len(start)]) == start && string(line[len(start):end]) == name && line[end] == '"'
}

// textField returns the value of the first field of the name, for values that are written without an
// escape. A quote inside of another value is written with one, so that none looks like the field.
func textField(line []byte, name string) ([]byte, bool) {
	_, rest, _ := bytes.Cut(line, []byte(`"`+name+`":"`))
	value, _, ok := bytes.Cut(rest, []byte(`"`))
	return value, ok
}

// timeField returns when the event of a line was recorded: the last field of that name, which is the event's.
func timeField(line []byte) ([]byte, bool) {
	return textField(line[max(0, bytes.LastIndex(line, []byte(`"ts_utc":"`))):], "ts_utc")
}

// IsSynced reports whether a line of the log records a handoff that came by sync.
func IsSynced(line []byte) bool {
	return isType(line, TypeImport) && bytes.Contains(line, []byte(`"commit":"`))
}

// TypeOf returns the type of the event of a line, "" if it does not begin as this package writes events.
func TypeOf(line []byte) string {
	rest, ok := bytes.CutPrefix(line, []byte(`{"event_type":"`))
	name, _, whole := bytes.Cut(rest, []byte(`"`))
	if !ok || !whole {
		return ""
	}
	return string(name)
}

// DocumentsOf returns the ids of the handoffs whose writing or import a line of the log records, the
// file of the only one, and how many references it has; "" and -1 where the line does not say that.
func DocumentsOf(line []byte) (ids []string, file string, references int) {
	ids, _, _ = WrittenAt(line)
	_, count, ok := bytes.Cut(line, []byte(`"references_count":`))
	if !ok || len(ids) != 1 {
		return ids, "", -1
	}
	path, _ := textField(line, "file_path")
	end := max(0, bytes.IndexAny(count, ",}"))
	if references, err := strconv.Atoi(string(count[:end])); err == nil {
		return ids, string(path), references
	}
	return ids, string(path), -1
}

// QuarantinedBy returns the ids of the handoffs whose documents a repair has found to be gone.
func QuarantinedBy(line []byte) (ids []string) {
	_, list, _ := bytes.Cut(line, []byte(`"quarantined":[`))
	list, _, _ = bytes.Cut(list, []byte("]"))
	for _, id := range idAlone().FindAll(list, -1) {
		ids = append(ids, string(id))
	}
	return ids
}

// DeedOf returns of which handoff a line of the log records something, the key that this has consumed,
// and whose deed it was, as far as the line says.
func DeedOf(line []byte) (id, key string, d Deed) {
	for field, value := range map[string]*string{"handoff_id": &id, "token": &key, "operator_id": &d.Operator, "session_id": &d.Session, "ts_utc": &d.Time} {
		text, _ := textField(line, field)
		*value = string(text)
	}
	return id, key, d
}
