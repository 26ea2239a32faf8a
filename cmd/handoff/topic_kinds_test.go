package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The commands of the topic about records are run one by one. The universal handoff stands for ID; its check and
// resume answer that it is old and has no token.
func TestTopicRecords(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the programs")
	}
	_, commands, _ := strings.Cut(textOf(t, "../internal/cli/topics/kinds.md"), "```sh\n")
	commands, _, _ = strings.Cut(commands, "```")
	bin, project := released.in(t), t.TempDir()
	testdata, err := filepath.Abs("../../testdata")
	if err == nil {
		err = os.Symlink(testdata, filepath.Join(project, "testdata"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(project, ".handoff.yaml"), nil, 0o644)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(project, "sessions"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(command string) (string, int) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = project
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+project, "HANDOFF_OPERATOR=ann")
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	lines := 0
	for line := range strings.Lines(commands) {
		command, _, _ := strings.Cut(line, "#")
		want := 0
		if strings.Contains(command, "resume") {
			want = 10
		}
		command = strings.ReplaceAll(command, " ID", " $(handoff list --topic wf-17 --format ids)")
		if out, code := run(command); code != want {
			t.Errorf("%s exits with %d, want %d\n%s", line, code, want, out)
		}
		lines++
	}
	if lines < 5 {
		t.Errorf("%d commands found", lines)
	}
	if _, err := os.Stat(filepath.Join(project, "sessions", "survey-reader-to-report-writer-20260207T183000Z.json")); err != nil {
		t.Error(err)
	}
}
