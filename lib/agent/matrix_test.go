package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/agent"
)

const cases = "../../testdata/agents/"

// What real agents were seen to write to their hooks, and to take from them, is what the hooks read and print.
func TestShapes(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(cases + "shapes/*.json")
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		var shape struct {
			Agent  string
			Starts []struct {
				Stdin  map[string]any
				Stdout any
			}
		}
		if err := json.Unmarshal(read(t, path), &shape); err != nil {
			t.Fatal(path, err)
		}
		d := newDesk(t)
		for i, start := range shape.Starts {
			start.Stdin["cwd"] = d.root
			in, err := json.Marshal(start.Stdin)
			if err != nil {
				t.Fatal(err)
			}
			out, complaint := d.run(agent.Start, shape.Agent, string(in))
			var got any
			if out != "" {
				if err := json.Unmarshal([]byte(out), &got); err != nil {
					t.Errorf("%s %d: %q, %v", shape.Agent, i, out, err)
				}
			}
			if diff := cmp.Diff(start.Stdout, withoutTexts(got)); diff != "" || complaint != "" {
				t.Errorf("%s %d: %s\n%s", shape.Agent, i, complaint, diff)
			}
		}
	}
}

// withoutTexts returns a value with TEXT in place of each sentence.
func withoutTexts(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = withoutTexts(member)
		}
	case string:
		if strings.Contains(v, " ") {
			return "TEXT"
		}
	}
	return value
}

// Whatever an agent writes to its hook, the hook answers about the projects that the input names. ROOT and OTHER are
// projects with one handoff each, AWAY is none.
func TestInputs(t *testing.T) {
	t.Parallel()
	var all []struct {
		Name, Agent, Input, Cwd, Complaint string
		Projects                           int
	}
	if err := json.Unmarshal(read(t, cases+"inputs.json"), &all); err != nil || len(all) < 30 {
		t.Fatal(len(all), err)
	}
	d, other, away := newDesk(t), newDesk(t), t.TempDir()
	if err := os.Mkdir(filepath.Join(d.root, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("ROOT", d.root, "OTHER", other.root, "AWAY", away, "LONG", strings.Repeat("x", 9<<20))
	for _, c := range all {
		out, complaint := d.runFrom(names.Replace(c.Cwd), agent.Start, c.Agent, strings.NewReader(names.Replace(c.Input)))
		if got := strings.Count(out, "1 unread handoff for ben"); got != c.Projects {
			t.Errorf("%s: %d projects, want %d", c.Name, got, c.Projects)
		}
		if !strings.Contains(complaint, c.Complaint) || (c.Complaint == "") != (complaint == "") || strings.Count(complaint, "\n") > 1 {
			t.Errorf("%s: %q, want %q", c.Name, complaint, c.Complaint)
		}
	}
}
