package machine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
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
	fields, err := object(src)
	if err != nil {
		return Record{}, fmt.Errorf("bad fingerprint record: %w", err)
	}
	r := Record{fields["fingerprint"], fields["first_seen_utc"], fields["writer_id_default"]}
	if len(fields) != 3 {
		return Record{}, errors.New("bad fingerprint record: it needs fingerprint, first_seen_utc and writer_id_default")
	}
	if !form.IsDigest(r.Fingerprint) {
		return Record{}, fmt.Errorf("bad fingerprint record: %.80q is not 64 lower-case hexadecimal digits", r.Fingerprint)
	}
	if !form.IsInstant(r.FirstSeenUTC) {
		return Record{}, fmt.Errorf("bad fingerprint record: first_seen_utc %.80q is not a time such as 2026-05-07T12:00:00Z", r.FirstSeenUTC)
	}
	return r, nil
}

// object reads one JSON object of known keys and strings. encoding/json alone would take a key in
// another case and the last of two equal ones.
func object(src []byte) (map[string]string, error) {
	switch {
	case len(src) > MaxBytes:
		return nil, fmt.Errorf("larger than %d bytes", MaxBytes)
	case len(bytes.TrimSpace(src)) == 0:
		return nil, errors.New("it is empty")
	case !utf8.Valid(src):
		return nil, errors.New("not valid UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(src))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	fields := map[string]string{}
	for decoder.More() {
		if err := field(decoder, fields); err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); err != nil { // the closing brace
		return nil, errors.New("the JSON object is not closed")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	return fields, nil
}

func field(decoder *json.Decoder, fields map[string]string) error {
	name, err := decoder.Token()
	if err != nil {
		return fmt.Errorf("not valid JSON: %w", err)
	}
	value, err := decoder.Token()
	if err != nil {
		return fmt.Errorf("not valid JSON: %w", err)
	}
	key, _ := name.(string)
	text, isText := value.(string)
	_, repeated := fields[key]
	switch {
	case key != "fingerprint" && key != "first_seen_utc" && key != "writer_id_default":
		return fmt.Errorf("unknown key %.80q", key)
	case repeated:
		return fmt.Errorf("the key %q appears twice", key)
	case !isText:
		return fmt.Errorf("%s is not a string", key)
	}
	fields[key] = text
	return nil
}
