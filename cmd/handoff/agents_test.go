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
	if err := os.Link(filepath.Join(scripts.in(t), "handoff"), filepath.Join(bin, "handoff")); err != nil {
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

// Every command of hooks/README.md is run.
func TestReadmeOfAgents(t *testing.T) {
	t.Parallel()
	d, readme := newDesk(t), textOf(t, "../../hooks/README.md")
	for _, name := range agent.Installable() {
		if row, err := agent.Find(name); err != nil || !strings.Contains(readme, "| "+row.Title+" |") {
			t.Errorf("hooks/README.md does not say what to do in %s: %v", row.Title, err)
		}
	}
	for line := range strings.Lines(readme) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			d.run(t, command)
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
	skill := published(t, "skills/handoffs/SKILL.md")
	if topic := d.run(t, "handoff help agents"); !strings.HasSuffix(skill, "---\n\n"+strings.TrimLeft(topic, "\n")) {
		t.Errorf("the skill is not the topic:\n%s", topic)
	}
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
	for _, want := range []string{"untrusted-content", `"status":"existing"`, "CLEAN", "The next action"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if out := d.run(t, "handoff verify"); !strings.Contains(out, "all as written") {
		t.Error(out)
	}
}
