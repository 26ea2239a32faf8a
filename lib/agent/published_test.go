//go:build unix

package agent_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/internal/document"
)

var update = flag.Bool("update", false, "write golden files")

// hooks/ holds what the table says and a README for people, and nothing else; with -update it is written.
func TestPublished(t *testing.T) {
	const dir = "../../hooks"
	files := agent.Published()
	about, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files["README.md"] = string(about)
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			put(t, filepath.Join(dir, name), text)
			if filepath.Ext(name) == ".sh" {
				if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("hooks/%s differs from the table (%v); run with -update\n%s", name, err, got)
		}
		if filepath.Ext(name) == ".json" && !json.Valid([]byte(want)) {
			t.Errorf("%s: %s", name, want)
		}
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		name, relErr := filepath.Rel(dir, path)
		if _, known := files[filepath.ToSlash(name)]; err == nil && relErr == nil && !d.IsDir() && !known {
			t.Errorf("hooks/%s is not from the table", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An agent that cannot read the head of a skill leaves the skill out, and says so where nobody looks.
func TestSkillsHaveHeads(t *testing.T) {
	heads := 0
	for name, text := range agent.Published() {
		if filepath.Base(name) != "SKILL.md" {
			continue
		}
		heads++
		head, _, ends := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		root, faults := document.ReadYAML([]byte(head+"\n"), document.YAMLOptions{Name: name, MaxBytes: 4096, MaxNodes: 32})
		if !ends || len(faults) > 0 || root.Kind != document.Mapping {
			t.Errorf("%s: %v\n%s", name, faults, head)
		}
	}
	if heads == 0 {
		t.Error("there is no skill")
	}
}

func TestSkillIsShort(t *testing.T) {
	text := agent.Published()["claude-plugin/skills/handoffs/SKILL.md"]
	head := regexp.MustCompile(`^---\nname: handoffs\ndescription: .{40,1000}\nallowed-tools: .+\n---\n`)
	if strings.Contains(text, "Bash(handoff check") || strings.Contains(text, "Bash(handoff watch") {
		t.Error("the skill allows what can run programs")
	}
	if n := strings.Count(text, "\n"); n >= 150 || !head.MatchString(text) {
		t.Errorf("%d lines\n%.300s", n, text)
	}
	for _, word := range []string{"handoff write", "handoff read", "handoff check", "handoff resume", "handoff mark-read", "handoff take", "handoff done", "handoff draft"} {
		if !strings.Contains(text, word) {
			t.Errorf("the skill does not teach %s", word)
		}
	}
}

// What the examples bring is found where it is, and is neither replaced nor taken out: it is not ours alone.
func TestExamplesAreFound(t *testing.T) {
	for _, name := range agent.Installable() {
		home := t.TempDir()
		put(t, settingsPath(home, name), agent.Published()["examples/"+name+filepath.Ext(settingsPath(home, name))])
		before := tree(t, home)
		p := agent.Places{Home: home, Root: t.TempDir()}
		entries, errs := find(t, name).Entries(p, false)
		if len(entries) != hooks[name] || len(errs) > 0 || entries[0].Path != settingsPath(home, name) {
			t.Errorf("%s: %v, %v", name, entries, errs)
		}
		change, err := find(t, name).Uninstall(p, agent.User, false)
		if name == "opencode" { // the same file as that of install
			if err != nil || change.Status != agent.Removed {
				t.Errorf("%s: %v, %v", name, change.Status, err)
			}
		} else if change = apply(t, change, err); change.Status != agent.Absent || tree(t, home) != before {
			t.Errorf("%s: %v", name, change.Status)
		}
		if others := find(t, name).Others(p, agent.Entry{Path: filepath.Join(p.Root, "elsewhere")}); len(others) == 0 {
			t.Errorf("%s: no warning", name)
		}
	}
}

// A directory that the agent reads as a whole: what somebody else's file says in another way is no fault, and
// our hook in it is found.
func TestSiblings(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Dir(settingsPath(home, "copilot"))
	put(t, filepath.Join(dir, "a.json"), "{ // mine\n}")
	put(t, filepath.Join(dir, "b.json"), `{"version":1,"hooks":{"sessionStart":[{"bash":"~/bin/handoff-hook session-start --agent copilot --to eve"}]}}`)
	p := agent.Places{Home: home}
	entries, errs := find(t, "copilot").Entries(p, false)
	if len(entries) != 1 || len(errs) > 0 || entries[0].Path != filepath.Join(dir, "b.json") || agent.Operator(entries[0].Words) != "eve" {
		t.Errorf("%v, %v", entries, errs)
	}
	if others := find(t, "copilot").Others(p, agent.Entry{Path: settingsPath(home, "copilot"), Words: []string{"handoff", "hook"}}); len(others) != 1 || !strings.Contains(others[0], "b.json has the hook too") {
		t.Error(others)
	}
}
