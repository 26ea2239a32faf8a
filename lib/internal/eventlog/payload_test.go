package eventlog_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Written encodes every field that is set and none that is empty.
func TestWrittenPrintsAllItHas(t *testing.T) {
	type plain eventlog.Written // as encoding/json would print it
	full := eventlog.Written{}
	for v, i := reflect.ValueOf(&full).Elem(), 0; i < v.NumField(); i++ {
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(int64(i + 1))
		case reflect.String:
			f.SetString(v.Type().Field(i).Name)
		default:
			f.Set(reflect.ValueOf([]string{"a", "b"}))
		}
	}
	for _, w := range []eventlog.Written{full, {}, {Tags: []string{}}} {
		got, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := json.Marshal(plain(w)); string(got) != string(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if !jsontree.IsCanonical(got) {
			t.Errorf("%s is not canonical", got)
		}
	}
}

// The fast way to the hash of a line gives the same result as the slow one. A signature is not part of the
// hash.
func TestHashLineWithoutSignature(t *testing.T) {
	const bare = `{"a":"\"signature\":","b":1}`
	want := jsontree.SHA256Hex([]byte(bare))
	for _, line := range []string{bare, `{"a":"\"signature\":","b":1,"signature":"x"}`, `{"a":"\"signature\":","b":1,"signing_key_id":"x"}`,
		`{"b":1,"a":"\"signature\":"}`, `{"a": "\"signature\":","b":1, "signature":{}}`} {
		if got, err := eventlog.HashLine([]byte(line)); err != nil || got != want {
			t.Errorf("%s: %s, %v", line, got, err)
		}
	}
}
