package universal_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// putting returns the full document with another value at a pointer, "" for none.
func putting(t failing, pointer, value string) []byte {
	t.Helper()
	root, err := jsontree.Parse(load(t, "good/full.json"))
	if err != nil {
		t.Fatal(err)
	}
	root.At("/handoff/meta").Delete("payload_hash")
	root.At("/handoff/meta").Delete("payload_size_bytes")
	v, err := jsontree.Parse([]byte(value))
	if err != nil {
		t.Fatal(err)
	}
	above, name := parted(pointer)
	root.At(above).Set(name, v)
	return root.Append(nil)
}

func parted(pointer string) (above, name string) {
	at := len(pointer) - 1
	for pointer[at] != '/' {
		at--
	}
	return pointer[:at], fault.PointerName(pointer[at+1:])
}

// What stands in another shape where it belongs is brought into the right one; nothing of it is dropped.
func TestShapesAreConverted(t *testing.T) {
	const payload, meta = "/handoff/payload", "/handoff/meta"
	for _, c := range []struct{ pointer, value, at, want string }{
		{payload + "/references/files", `["/x", {"path": "/y"}]`, "", `[{"path":"/x"},{"path":"/y"}]`},
		{payload + "/references/files", `"/x"`, "", `[{"path":"/x"}]`},
		{payload + "/references/urls", `["https://example.org/a", "https://example.org/b"]`, "", `[{"url":"https://example.org/a"},{"url":"https://example.org/b"}]`},
		{payload + "/references", `["/x", "https://example.org/a"]`, "", `{"files":[{"path":"/x"}],"urls":[{"url":"https://example.org/a"}]}`},
		{payload + "/references/files", `[{"file": "/x", "relevance": "must"}]`, "", `[{"relevance":"critical","path":"/x"}]`},
		{payload + "/session/artifacts", `["/s/book.md", {"path": "/s/run.py"}]`, "", `[{"name":"book.md","path":"/s/book.md","type":"documentation"},{"path":"/s/run.py","name":"run.py","type":"code"}]`},
		{payload + "/session/artifacts", `[{"name": "b", "path": "/b", "type": "docs"}]`, "", `[{"name":"b","path":"/b","type":"documentation"}]`},
		{payload + "/session/artifacts", `[{"name": "b", "path": "/b.md", "type": 5, "checksum": "` + strings.Repeat("A", 64) + `"}]`, "", `[{"name":"b","path":"/b.md","checksum":"sha256:` + strings.Repeat("a", 64) + `","type":"documentation"}]`},
		{payload, `["a"]`, "", `{"working":{"items":["a"]}}`},
		{"/handoff/tracing/tags", `["a", 1]`, "", `{"tag":"a, 1"}`},
		{"/handoff/context/summary", `["half done", "tests are missing"]`, "", `"half done; tests are missing"`},
		{"/handoff/context/known_gaps", `[{"gap": "x"}, 5]`, "", `["{\"gap\":\"x\"}","5"]`},
		{payload + "/session/state", `["a"]`, "", `{"items":["a"]}`},
		{payload + "/session", `"half done"`, "", `{"notes":"half done"}`},
		{payload + "/working", `"half done"`, "", `{"notes":"half done"}`},
		{"/handoff/target", `"report-writer"`, "", `{"skill":"report-writer"}`},
		{"/handoff/source/phase", `2`, "", `"2"`},
		{"/handoff/target/expected_phase", `2`, "", `"2"`},
		{"/handoff/tracing/tags", `{"a": 1}`, "", `{"a":"1"}`},
		{"/handoff/tracing/events", `{"timestamp": "2026-02-07", "type": "sent"}`, "", `[{"timestamp":"2026-02-07T00:00:00Z","event_type":"transmitted","workflow":"survey-reader"}]`},
		{"/handoff/version", `"3"`, "", `"3.0"`},
		{"/handoff/version", `"v3.0"`, "", `"3.0"`},
		{"/handoff/version", `3`, "", `"3.0"`},
		{"/handoff/version", `3.0`, "", `"3.0"`},
		{"/handoff/expire_at", `"2026-09-01T00:00:00Z"`, "/handoff/expires_at", `"2026-09-01T00:00:00Z"`},
		{"/handoff/context/problem_type", `"bugfix"`, "", `"implementation"`},
		{"/handoff/source", `{"skill": "a", "workflow": "w", "path": "/s", "stage": 1}`, "", `{"skill":"a","workflow_id":"w","session_path":"/s","phase":"1"}`},
		{"/handoff/context", `{"description": "d", "type": "planning"}`, "", `{"summary":"d","problem_type":"strategic"}`},
		{"/handoff/context/problem_type", `"reserch"`, "", `"research"`},
		{"/handoff/context/problem_type", `"Implementing"`, "", `"implementation"`},
		{meta + "/confidence", `0.9`, "", `"high"`},
		{meta + "/confidence", `"20%"`, "", `"low"`},
		{meta + "/user_approved", `"yes"`, "", `true`},
	} {
		src := putting(t, c.pointer, c.value)
		if c.at != "" {
			root, _ := jsontree.Parse(src)
			above, name := parted(c.at)
			root.At(above).Delete(name)
			src = root.Append(nil)
		} else {
			c.at = c.pointer
		}
		d := mustParse(t, src)
		if validate(t, d, options().Options).Valid() {
			t.Errorf("%s may be %s", c.pointer, c.value)
		}
		r := mustRepair(t, d, options())
		if !r.OK() || r.Attempts[len(r.Attempts)-1].Name != "defaults" {
			t.Errorf("%s: %s: %s", c.pointer, c.value, r.Failure())
			continue
		}
		root, _ := jsontree.Parse(r.Document.Bytes())
		if got := root.At(c.at).String(); got != c.want {
			t.Errorf("%s: %s becomes %s, want %s", c.pointer, c.value, got, c.want)
		}
	}
}

// One entry that cannot be used costs neither the others nor what lies beside them, and is kept.
func TestUnusableEntriesAreCutAlone(t *testing.T) {
	const payload = "/handoff/payload"
	for _, c := range []struct{ pointer, value, want, kept string }{
		{payload + "/references/urls", `["not a url", "https://example.org/a"]`, `[{"url":"https://example.org/a"}]`, "not a url"},
		{payload + "/references/files", `[null, {"path": "/x"}, {"relevance": "critical"}, {"path": "/y", "relevance": ["odd"]}]`, `[{"path":"/x"},{"path":"/y"}]`, "odd"},
		{payload + "/session/artifacts", `[{"name": "lost"}, {"name": "b", "path": "/b", "type": "code", "checksum": "odd"}]`, `[{"name":"b","path":"/b","type":"code"}]`, "lost"},
		{"/handoff/context/known_gaps", `["a", null]`, `["a"]`, ""},
		{"/handoff/tracing/events", `["odd", {"timestamp": "2026-02-07T00:00:00Z", "event_type": "created", "workflow": "w"}]`, `[{"timestamp":"2026-02-07T00:00:00Z","event_type":"created","workflow":"w"}]`, "odd"},
	} {
		r := mustRepair(t, mustParse(t, putting(t, c.pointer, c.value)), options())
		if !r.OK() || len(r.Attempts) != 1 || len(r.Moved) != 1 {
			t.Errorf("%s: %s: %d attempts, %d files: %s", c.pointer, c.value, len(r.Attempts), len(r.Moved), r.Failure())
			continue
		}
		root, _ := jsontree.Parse(r.Document.Bytes())
		if got := root.At(c.pointer).String(); got != c.want || !bytes.Contains(r.Moved[0].Bytes, []byte(c.kept)) {
			t.Errorf("%s: %s becomes %s, want %s; kept %s", c.pointer, c.value, got, c.want, r.Moved[0].Bytes)
		}
	}
}

// A word that means none of the values allowed is named, and nothing is invented in its place.
func TestNoWordIsInvented(t *testing.T) {
	for _, word := range []string{"banana", "legal", "hiring", "x", ""} {
		r := mustRepair(t, mustParse(t, putting(t, "/handoff/context/problem_type", `"`+word+`"`)), options())
		if r.OK() || !strings.Contains(r.Failure(), "problem_type") {
			t.Errorf("%q is repaired: %v", word, r.Patch())
		}
	}
}

// What is said about trust is not cut away to make the rest valid.
func TestWhatLimitsIsNotCut(t *testing.T) {
	for pointer, value := range map[string]string{"/handoff/expires_at": `"some day"`, "/handoff/meta/user_approved": `"perhaps"`, "/handoff/meta/handoff_chain": `["survey-reader", null]`} {
		if r := mustRepair(t, mustParse(t, putting(t, pointer, value)), options()); r.OK() {
			t.Errorf("%s: %s is repaired", pointer, value)
		}
	}
}

// A name that is misspelt is said to be one.
func TestUnknownFieldSaysWhatItMeans(t *testing.T) {
	src := bytes.Replace(load(t, "good/full.json"), []byte(`"expires_at"`), []byte(`"expire_at"`), 1)
	r := validate(t, mustParse(t, src), options().Options)
	if len(r.Faults) != 1 || r.Faults[0].Hint != "`handoff record repair` renames it to expires_at" {
		t.Errorf("%v", r.Faults)
	}
}

// Where a field has its value already, one that looks like it is no other name of it.
func TestRenamesLoseNothing(t *testing.T) {
	r := mustRepair(t, mustParse(t, putting(t, "/handoff/expire_at", `"2026-09-01T00:00:00Z"`)), options())
	root, _ := jsontree.Parse(r.Document.Bytes())
	if got := root.At("/handoff/expires_at").Text; got != "2026-03-07T18:30:00Z" || len(r.Moved) != 1 {
		t.Errorf("expires_at is %s, kept %v", got, r.Moved)
	}
}

// No address without a scheme, no text for one.
func TestAddresses(t *testing.T) {
	for _, value := range []string{`"not a url"`, `"//x"`, `"1:x"`, `"http:"`} {
		if validate(t, mustParse(t, putting(t, "/handoff/payload/references/urls", `[{"url": `+value+`}]`)), options().Options).Valid() {
			t.Errorf("%s is an address", value)
		}
	}
}
