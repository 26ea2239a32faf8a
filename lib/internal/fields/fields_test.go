package fields_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/lib/universal"
)

const file = `{"closed": true, "nulls": true, "lists": "a list", "empty": "say it", "nothing": "", "fields": [
	{"path": "/title", "type": "text", "need": true, "most": 5},
	{"path": "/steps", "type": "list", "main": "what", "flags": [{"name": "step", "state": "state"}, {"name": "done", "with": {"state": "done"}}]},
	{"path": "/todo", "type": "list", "into": "steps"},
	{"path": "/steps/*/what", "type": "text", "need": true, "fact": "next"},
	{"path": "/steps/*/state", "type": "word", "words": ["open", "done"], "means": {"done": "finished"}}
]}`

func read(t *testing.T, text string) (record, faults string) {
	t.Helper()
	v, err := jsontree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := fields.Load([]byte(file), nil, nil).Read(v, nil)
	var all []string
	for _, f := range r.Faults() {
		all = append(all, f.Pointer+" "+f.Problem)
	}
	return r.Record.String(), strings.Join(all, "; ")
}

func TestRead(t *testing.T) {
	for text, want := range map[string][2]string{
		`{"title": "a", "steps": ["x", {"what": "y", "state": "done"}]}`: {`{"title":"a","steps":[{"what":"x","state":"open"},{"what":"y","state":"done"}]}`, ""},
		`{"title": "a", "todo": ["x"], "steps": null}`:                   {`{"title":"a","steps":[{"what":"x","state":"open"}]}`, ""},
		`{"todo": [7, {}], "titel": "a"}`: {`{"steps":[{"state":"open"}]}`,
			`/title required field "title" is missing; /todo/0 must be an object or a string, is of type number; /todo/1/what required field "what" is missing; /titel unknown field "titel"`},
		`{"title": "abcdef", "steps": {}}`:                                 {`{}`, `/title has 6 characters, at most 5 are allowed; /steps must be a list, is of type object`},
		`{"title": " ", "steps": [{"what": "x", "state": "odd", "b": 1}]}`: {`{"steps":[{"what":"x","state":"odd"}]}`, `/title is empty; /steps/0/state is not one of open, done; /steps/0/b unknown field "b"`},
	} {
		if record, faults := read(t, text); record != want[0] || faults != want[1] {
			t.Errorf("%s:\n%s %s\nwant\n%s %s", text, record, faults, want[0], want[1])
		}
	}
}

func TestSay(t *testing.T) {
	table := fields.Load([]byte(file), nil, nil)
	got := table.FromFlags(map[string][]string{"step": {"x", "y=done", "z=finished", "a=b"}, "done": {"c"}}).String()
	if want := `{"title":"","steps":[{"what":"x","state":"open"},{"what":"y","state":"done"},{"what":"z","state":"done"},{"what":"a=b","state":"open"},{"what":"c","state":"done"}]}`; got != want {
		t.Errorf("got %s", got)
	}
}

// A table that is not JSON has no fields: every kind's has some, and each flag has a usage.
func TestTablesOfTheKinds(t *testing.T) {
	for kind, table := range map[string]*fields.Table{packet.Kind: packet.Table(), run.Kind: run.Table(), universal.Kind: universal.Table()} {
		if len(table.Fields) < 10 {
			t.Errorf("%s has %d fields", kind, len(table.Fields))
		}
		for _, f := range table.Fields {
			for _, flag := range f.Flags {
				if flag.Name == "" || strings.Count(flag.Usage, "`") != 2 {
					t.Errorf("%s: %+v", kind, flag)
				}
			}
		}
	}
}
