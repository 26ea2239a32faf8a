//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
)

// TestEveryCommandIsExplained holds what help says of each command to one form.
func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	all(cli.Root(command.Program()), func(name string, cmd *cobra.Command) {
		if first, _ := strings.CutPrefix(cmd.Short, " "); first == "" || strings.ToUpper(first[:1]) != first[:1] || strings.HasSuffix(first, ".") {
			t.Errorf("%s: %q is not a short sentence without a stop", name, cmd.Short)
		}
		if !strings.HasPrefix(cmd.Example, "  ") || !strings.Contains(cmd.Example, "handoff "+strings.Fields(name)[0]) {
			t.Errorf("%s has no example of it: %q", name, cmd.Example)
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if word, usage := pflag.UnquoteUsage(f); f.Value.Type() != "bool" && !strings.Contains(f.Usage, "`") || usage == "" {
				t.Errorf("%s --%s %s: the usage %q does not name its value", name, f.Name, word, f.Usage)
			}
		})
	})
}

// TestEveryErrorIsJSON holds what each command says with --json where the command line is not understood: one object on
// standard error, and nothing else.
func TestEveryErrorIsJSON(t *testing.T) {
	s := newScripted(t)
	all(cli.Root(command.Program()), func(name string, cmd *cobra.Command) {
		if name == "hook" {
			return // what an agent runs never fails
		}
		lines := []string{"--no-such-flag"}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains([]string{"bool", "stringArray", "func"}, f.Value.Type()) {
				lines = append(lines, "--"+f.Name+"=")
			}
		})
		for _, line := range lines {
			var said bytes.Buffer
			code, out := s.run(strings.NewReader(""), &said, append(strings.Fields(name), line)...)
			told, _ := s.fits("error", said.String())["error"].(map[string]any)
			if code != 2 || out != "" || fmt.Sprint(told["code"]) != "2" || strings.Count(said.String(), "\n") != 1 {
				t.Errorf("%s %s exits with %d, prints %q and says %s", name, line, code, out, said.String())
			}
		}
	})
}

// TestNamesOfFields holds what commands print to one name for each thing.
func TestNamesOfFields(t *testing.T) {
	t.Parallel()
	instead := map[string]string{"id": "handoff_id", "file": "file_path", "path": "file_path", "operator_id": "operator", "time": "ts_utc", "timestamp": "ts_utc",
		"sender": "from", "recipient": "to", "subject": "topic"}
	for def, names := range properties(t) {
		for _, name := range names {
			if is := instead[name]; is != "" && !slices.Contains(otherThings[def], name) {
				t.Errorf("%s: %s is %s elsewhere", def, name, is)
			}
		}
	}
}

// otherThings are fields that mean something else where they are.
var otherThings = map[string][]string{"error": {"file"}}

// all calls f with each command below another one.
func all(cmd *cobra.Command, f func(name string, cmd *cobra.Command)) {
	for _, sub := range cmd.Commands() {
		_, name, _ := strings.Cut(sub.CommandPath(), " ")
		f(name, sub)
		all(sub, f)
	}
}

// properties returns the names of the fields of each definition of the schema, but for those of records and files.
func properties(t *testing.T) map[string][]string {
	text, err := os.ReadFile("../../schema/output-1.schema.json")
	var schema struct {
		Defs map[string]any `json:"$defs"`
	}
	if err == nil {
		err = json.Unmarshal(text, &schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	var walk func(def string, at any)
	walk = func(def string, at any) {
		switch at := at.(type) {
		case []any:
			for _, inner := range at {
				walk(def, inner)
			}
		case map[string]any:
			for key, inner := range at {
				if fields, is := inner.(map[string]any); is && key == "properties" {
					names[def] = append(names[def], slices.Collect(maps.Keys(fields))...)
				}
				walk(def, inner)
			}
		}
	}
	for def, at := range schema.Defs {
		walk(def, at)
	}
	return names
}
