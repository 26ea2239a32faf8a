//go:build unix

package agent_test

import (
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
	text := agent.Published()["skills/handoffs/SKILL.md"]
	head := regexp.MustCompile(`^---\nname: handoffs\ndescription: .{40,1000}\nallowed-tools: .+\n---\n`)
	if strings.Contains(text, "Bash(handoff check") || strings.Contains(text, "Bash(handoff watch") {
		t.Error("the skill allows what can run programs")
	}
	if n := strings.Count(text, "\n"); n >= 150 || !head.MatchString(text) {
		t.Errorf("%d lines\n%.300s", n, text)
	}
	for _, word := range []string{"handoff write", "handoff read", "handoff check", "handoff resume", "handoff mark-read", "handoff take", "handoff done"} {
		if !strings.Contains(text, word) {
			t.Errorf("the skill does not teach %s", word)
		}
	}
}
