package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
)

var update = flag.Bool("update", false, "write golden files")

// places returns the settings of a user with a scratch home.
func places(t *testing.T) agent.Places {
	t.Helper()
	return agent.Places{Home: t.TempDir(), Root: t.TempDir(), Getenv: func(string) string { return "" }}
}

var command = agent.Command{Program: `/opt/it's a "bin" & $more/handoff`, Operator: "ben", MCP: true}

// install makes the changes of an install and returns them.
func install(t *testing.T, a agent.Agent, p agent.Places, c agent.Command) []agent.Change {
	t.Helper()
	changes, err := a.Install(p, c)
	apply(t, changes, err)
	return changes
}

func undo(t *testing.T, a agent.Agent, p agent.Places) {
	t.Helper()
	changes, err := a.Undo(p)
	apply(t, changes, err)
}

func apply(t *testing.T, changes []agent.Change, err error) {
	t.Helper()
	for _, c := range changes {
		err = errors.Join(err, c.Apply())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// text returns all files below a directory.
func text(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all.WriteString("== " + strings.TrimPrefix(path, dir) + "\n" + string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// A golden file shows what is installed for each agent. A second install changes nothing, and undoing leaves nothing.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, name := range agent.Installable() {
		a, err := agent.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, a)
	}
}

func golden(t *testing.T, a agent.Agent) {
	t.Helper()
	p := places(t)
	install(t, a, p, command)
	got, path := text(t, p.Home), "testdata/"+a.Name+".golden"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if diff := cmp.Diff(string(want), got); err != nil || diff != "" {
		t.Errorf("%s: %v\n%s", a.Name, err, diff)
	}
	for _, c := range install(t, a, p, command) {
		if c.Changes() {
			t.Errorf("%s: a second install: %s in %s", a.Name, c.Status, c.Path)
		}
	}
	if undo(t, a, p); text(t, p.Home) != "" {
		t.Errorf("%s: left is %s", a.Name, text(t, p.Home))
	}
}

// A new agent is a row and a golden file: nothing else in the package knows an agent.
func TestNewAgentIsARow(t *testing.T) {
	defer agent.AddRow(`{"name": "newcomer", "title": "Newcomer", "programs": ["newcomer"], "session": ["NEW_ID"],
		"user": ".new/hooks.json", "project": ".new/hooks.json", "events": {"session-start": ["begin"], "tool": ["after"]},
		"entry": {"run": "x", "command": "LINE"}, "envelope": {"say": "TEXT"}}`)()
	a, err := agent.Find("newcomer")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, a)
	out := start(t, "newcomer")
	if out := out.String(); !strings.HasPrefix(out, `{"say":"1 unread handoff for ben`) {
		t.Errorf("%q", out)
	}
}

// Whatever form settings have, all that is not ours stays: undoing restores the bytes, also if another program has
// changed the settings meanwhile.
func TestSettingsStay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ agent, text string }{
		{"claude", "{}"}, {"claude", "{}\n"}, {"claude", "{ }\n"}, {"claude", `{"a":1}`}, {"claude", "{\r\n\t\"a\": 1\r\n}\r\n"},
		{"claude", `{"hooks": {}, "é": "\u00e9", "n": 1e400}`}, {"claude", "{\n  \"hooks\": {\n    \"Stop\": [ ]\n  }\n}"},
		{"claude", `{"hooks": {"SessionStart": [{"matcher": "x", "hooks": [{"type": "command", "command": "echo"}]}]}}`},
		{"gemini", "{\n  // a comment\n  \"a\": 1 // another\n}\n"}, {"gemini", "{\n  \"mcpServers\": {\"x\": {}}\n}\n"},
		{"codex", `{"description": "d", "hooks": {}}`}, {"cursor", `{"version": 1, "hooks": {"stop": []}}`},
		{"cursor", "{\r\n  \"a\": 1,\r\n  \"hooks\": {}\r\n}\r\n"}, {"copilot", "{}"}, {"cursor", `{"hooks": {"stop": [{}]}}`},
	} {
		a, err := agent.Find(test.agent)
		if err != nil {
			t.Fatal(err)
		}
		p := places(t)
		path := filepath.Join(p.Home, a.User)
		write(t, path, test.text)
		install(t, a, p, command)
		between := read(t, path)
		if !json.Valid(between) && test.agent == "claude" {
			t.Errorf("%q: installed is %s", test.text, between)
		}
		if n := strings.Count(test.text, "\r\n"); n > 0 && bytes.Count(between, []byte("\r\n")) != bytes.Count(between, []byte("\n")) {
			t.Errorf("%q: installed has two kinds of line ends: %q", test.text, between)
		}
		install(t, a, p, command)
		if again := read(t, path); !bytes.Equal(again, between) {
			t.Errorf("%q: again %s", test.text, again)
		}
		if undo(t, a, p); string(read(t, path)) != test.text {
			t.Errorf("%q: undone is %q", test.text, read(t, path))
		}
		install(t, a, p, command)
		if err := os.Remove(path + ".handoff-backup"); err != nil { // as if it was changed
			t.Fatal(err)
		}
		if undo(t, a, p); strings.Contains(text(t, p.Home), "handoff") {
			t.Errorf("%q: left is %q", test.text, text(t, p.Home))
		}
	}
}

// Each file that an agent could read in another way is refused with its place, and stays.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ agent, text, want string }{
		{"claude", "", "is empty"}, {"claude", " \n", "is empty"}, {"claude", "\ufeff{}", "line 1, column 1"},
		{"claude", "{\n  // c\n}", "line 2, column 3"}, {"claude", `{"a": 1,}`, "line 1, column 9"},
		{"gemini", `{"a": 1,,}`, "line 1, column 9"}, {"gemini", "{/*c*/\"a\": 1, \"a\": 2}", "line 1, column 15"},
		{"claude", `{"hooks": []}`, "line 1, column 11"}, {"claude", `{"hooks": {"Stop": {}}}`, "line 1, column 20"},
		{"claude", `{"hooks": {"Stop": [7]}}`, "line 1, column 21"}, {"claude", `[]`, "line 1, column 1"},
		{"claude", `{"hooks": {"Stop": [{"hooks": {}}]}}`, "line 1, column 31"}, {"claude", `{"a"`, "line 1, column 4"},
	} {
		a, err := agent.Find(test.agent)
		if err != nil {
			t.Fatal(err)
		}
		p := places(t)
		path := filepath.Join(p.Home, a.User)
		write(t, path, test.text)
		_, err = a.Install(p, command)
		if !errors.Is(err, fault.ErrConfig) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: %v, want %s", test.agent, test.text, err, test.want)
		}
		if string(read(t, path)) != test.text {
			t.Errorf("%q was changed", test.text)
		}
	}
}

// Mode and symbolic link of a settings file stay; another program's change meanwhile stays too.
func TestReplace(t *testing.T) {
	t.Parallel()
	a, err := agent.Find("claude")
	if err != nil {
		t.Fatal(err)
	}
	p := places(t)
	real, path := filepath.Join(t.TempDir(), "dotfiles.json"), filepath.Join(p.Home, a.User)
	write(t, real, "{}")
	if err := errors.Join(os.Chmod(real, 0o640), os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(real, path)); err != nil {
		t.Fatal(err)
	}
	install(t, a, p, command)
	info, err := os.Lstat(real)
	link, linkErr := os.Readlink(path)
	if err != nil || linkErr != nil || info.Mode() != 0o640 || link != real {
		t.Error(info.Mode(), link, err, linkErr)
	}
	changes, err := a.Undo(p)
	if err != nil {
		t.Fatal(err)
	}
	write(t, real, `{"new": 1}`)
	if err := changes[0].Apply(); !errors.Is(err, fault.ErrBusy) {
		t.Error(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
