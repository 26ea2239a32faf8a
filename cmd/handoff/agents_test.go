package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
)

// A desk is a scratch home with a project in it, the programs of this tree, whose hooks have time however busy the
// machine is, and hooks/.
type desk struct {
	home, project, path string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the programs")
	}
	bin := filepath.Join(t.TempDir(), "it's a \"bin\" & $more") // a path that has to be quoted everywhere
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"handoff", "handoff-full"} {
		if err := os.Link(filepath.Join(scripts.in(t), name), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	// Stands in for Claude Code, which may not be here: a marketplace is a directory with its file.
	stub := "#!/bin/sh\n[ \"$3\" != add ] || test -f \"$4/.claude-plugin/marketplace.json\"\n"
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	d := desk{home: t.TempDir(), path: bin + ":" + os.Getenv("PATH")}
	profile := "PATH='" + strings.ReplaceAll(d.path, "'", `'\''`) + "'\n" // a login shell may set another
	if err := os.WriteFile(filepath.Join(d.home, ".profile"), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	d.project = filepath.Join(d.home, "project")
	if err := os.CopyFS(filepath.Join(d.project, "hooks"), os.DirFS("../../hooks")); err != nil {
		t.Fatal(err)
	}
	d.run(t, "handoff init --quiet")
	return d
}

// run runs a script in the project and returns what it printed. It must succeed, every command of it.
func (d desk) run(t *testing.T, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = d.project
	cmd.Env = []string{"HOME=" + d.home, "PATH=" + d.path, "TMPDIR=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, script, out)
	}
	return string(out)
}

// trustInCodex runs doctor as after a person has trusted the hook, where Codex has a queue, but no such session.
const trustInCodex = `for e in session_start:0 session_start:1 user_prompt_submit:0 post_tool_use:0 stop:0 stop:1 session_end:0; do
printf "[hooks.state.\"%s:$e:0\"]\ntrusted_hash = \"sha256:00\"\n" "$HOME/.codex/hooks.json"; done >"$HOME/.codex/config.toml"
printf '#!/bin/sh\n[ "$*" = "queue --help" ]\n' >"$HOME/.codex/codex" && chmod +x "$HOME/.codex/codex"
PATH="$HOME/.codex:$PATH" handoff doctor hook codex
rm "$HOME/.codex/config.toml" "$HOME/.codex/codex"`

// Every command of the chapters about agents is run, and leaves the home as it was.
func TestReadmeChapters(t *testing.T) {
	t.Parallel()
	_, chapters, found := strings.Cut(textOf(t, "../../hooks/README.md"), "\n## Claude Code\n")
	chapters, _, ends := strings.Cut("## Claude Code\n"+chapters, "\n## Drafts\n")
	if !found || !ends {
		t.Fatal("hooks/README.md has no chapters about agents")
	}
	d := newDesk(t)
	for _, name := range agent.Installable() {
		row, err := agent.Find(name)
		if err != nil || !strings.Contains(chapters, "## "+row.Title+"\n") || !strings.Contains(chapters, "$ handoff install "+name) {
			t.Errorf("hooks/README.md has no chapter about %s: %v", row.Title, err)
		}
	}
	for chapter := range strings.SplitSeq(chapters, "\n## ") {
		var script strings.Builder
		for line := range strings.Lines(chapter) {
			if command, ok := strings.CutPrefix(line, "$ "); ok && !strings.HasPrefix(command, "handoff watch") { // which never ends
				script.WriteString(command)
			}
		}
		title, _, _ := strings.Cut(chapter, "\n")
		out := d.run(t, strings.Replace(script.String(), "handoff doctor hook codex", trustInCodex+"\n#", 1))
		if strings.Contains(script.String(), "doctor hook") && !strings.Contains(out, "1 run passed") && !strings.Contains(out, "2 runs passed") {
			t.Errorf("%s:\n%s", title, out)
		}
	}
	var left []string
	for _, pattern := range []string{".[a-z]*", ".*/*"} {
		names, _ := filepath.Glob(filepath.Join(d.home, pattern))
		left = append(left, names...)
	}
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			continue // install may have made it, and others may use it since
		}
		if !strings.Contains(path, "/.gemini") && !strings.Contains(path, "/.local") && !strings.Contains(path, "/.profile") && !strings.Contains(path, "/..") && !strings.Contains(path, "/./") {
			t.Errorf("left behind: %s", path)
		}
	}
}

// published returns a file of hooks/.
func published(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../hooks", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every command that the skill teaches is run as it stands.
func TestSkillCommands(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	skill := published(t, "claude-plugin/skills/handoffs/SKILL.md")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(skill, -1)
	if len(blocks) < 6 {
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	d.run(t, "handoff write - --from ann --to ben --topic deploy --ts 2026-05-07T12:00:00Z <<'EOF'\nTests are green; the deploy is open.\nEOF")
	var script strings.Builder
	for _, b := range blocks {
		script.WriteString(b[1])
	}
	out := d.run(t, script.String())
	for _, want := range []string{"untrusted-content", `"status":"existing"`, "CLEAN", "The next action", `"topic":"tests"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if out := d.run(t, "handoff verify"); !strings.Contains(out, "all as written") {
		t.Error(out)
	}
}

// What the plugin, the extension and the examples run: the hook is heard, the draft is kept, and a machine
// without handoff sees nothing at all.
func TestPortableHooks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.run(t, "echo hello | handoff write - --from ann --to ben --topic deploy --quiet")
	for _, name := range agent.Installable() {
		if name == "opencode" { // lib/agent runs its plugin
			continue
		}
		text := published(t, "examples/"+name+".json")
		lines := regexp.MustCompile(`"(?:command|bash)": "(if .*)"`).FindAllStringSubmatch(text, -1)
		if len(lines) < 2 {
			t.Fatalf("%s: %d commands in\n%s", name, len(lines), text)
		}
		for i, line := range lines {
			input := `echo '{"session_id":"` + name + `"}' | `
			out := ""
			if !strings.Contains(line[1], "--wake") { // it waits for hours
				out = d.run(t, "export HANDOFF_OPERATOR=ben; "+input+"sh -c '"+line[1]+"'")
			}
			if (i == 0) != (strings.Contains(out, "1 unread handoff for ben") || strings.Contains(out, "1 new handoff for ben")) {
				t.Errorf("%s: %s: %q", name, line[1], out)
			}
			if out := d.run(t, "PATH=/nowhere; /bin/sh -c '"+line[1]+"'"); out != "" {
				t.Errorf("%s, without handoff: %q", name, out)
			}
		}
		if out := d.run(t, "handoff draft list"); !strings.Contains(out, name) {
			t.Errorf("%s left no draft:\n%s", name, out)
		}
	}
}
