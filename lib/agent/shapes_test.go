//go:build unix

package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
)

// The hook understands what real agents say to it, and answers in the form that reached their models. The shapes are made by
// testdata/agents.
func TestShapes(t *testing.T) {
	files, err := filepath.Glob("../../testdata/agents/shapes/*.json")
	if err != nil || len(files) < 4 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		var s struct {
			Agent  string
			Starts []struct {
				Stdin  map[string]any
				Stdout any
			}
		}
		if err == nil {
			err = json.Unmarshal(src, &s)
		}
		if err != nil || len(s.Starts) < 2 {
			t.Fatalf("%s: %v", file, err)
		}
		root, state := newProject(t, 1, "x\n"), t.TempDir()
		for _, start := range s.Starts {
			start.Stdin["cwd"] = root
			stdin, err := json.Marshal(start.Stdin)
			if err != nil {
				t.Fatal(err)
			}
			env := map[string]string{"XDG_STATE_HOME": state}
			if s.Agent == "copilot" {
				env["COPILOT_CLI"] = "1"
			}
			out, problems := startIn(agent.Session{Agent: s.Agent, To: "ben", Stdin: strings.NewReader(string(stdin))}, "/", env)
			var got any
			if out != "" {
				err = json.Unmarshal([]byte(out), &got)
			}
			if err != nil || problems != "" || !reflect.DeepEqual(textless(got), start.Stdout) {
				t.Errorf("%s: %s: %v, %q, %q; want %v", s.Agent, stdin, err, out, problems, start.Stdout)
			}
		}
	}
}

func textless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = textless(inner)
		}
	case string:
		if strings.Contains(v, "unread handoff") {
			return "TEXT"
		}
	}
	return v
}
