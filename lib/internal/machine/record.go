package machine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Record is the fingerprint file of a store: one JSON object with these three keys.
type Record struct {
	Fingerprint     string `json:"fingerprint"`       // 64 lower-case hexadecimal digits
	FirstSeenUTC    string `json:"first_seen_utc"`    // RFC 3339 with Z
	WriterIDDefault string `json:"writer_id_default"` // who wrote first, may be ""
}

// MaxBytes is the largest fingerprint file that ParseRecord reads.
const MaxBytes = 4 << 10

// Bytes returns the record as one line of JSON in the order of the fields, with a final newline.
func (r Record) Bytes() []byte {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return nil // cannot be: three strings always encode
	}
	return line.Bytes()
}

// ParseRecord reads a fingerprint file. It refuses, with a reason, whatever is not exactly one object
// with the three keys, each once and in its form: an emptied or damaged file must not pass for one.
func ParseRecord(src []byte) (Record, error) {
	r, err := parse(src)
	if err != nil {
		return Record{}, fmt.Errorf("bad fingerprint record: %w", err)
	}
	return r, nil
}

func parse(src []byte) (r Record, err error) {
	if len(bytes.TrimSpace(src)) == 0 {
		return r, errors.New("it is empty")
	}
	v, err := jsontree.ParseObject(src, MaxBytes, "the record")
	if err != nil {
		return r, err
	}
	fields := map[string]*string{"fingerprint": &r.Fingerprint, "first_seen_utc": &r.FirstSeenUTC, "writer_id_default": &r.WriterIDDefault}
	for _, m := range v.Members {
		switch field := fields[m.Name]; {
		case field == nil:
			return r, fmt.Errorf("unknown key %s", form.Show(m.Name))
		case m.Value.Kind != jsontree.String:
			return r, fmt.Errorf("%s is not a string", m.Name)
		default:
			*field = m.Value.Text
		}
	}
	switch {
	case len(v.Members) != len(fields):
		return r, errors.New("it needs fingerprint, first_seen_utc and writer_id_default")
	case !form.IsDigest(r.Fingerprint):
		return r, fmt.Errorf("%s is not 64 lower-case hexadecimal digits", form.Show(r.Fingerprint))
	case !form.IsInstant(r.FirstSeenUTC):
		return r, fmt.Errorf("first_seen_utc %s is not a time such as 2026-05-07T12:00:00Z", form.Show(r.FirstSeenUTC))
	}
	return r, nil
}
