package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The commands of the topic about records are run one by one. The universal handoff stands for ID.
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
	if err != nil {
		t.Fatal(err)
	}
	run := func(command string) (string, int) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = project
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+project, "TMPDIR="+project, "HANDOFF_OPERATOR=ann")
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	lines := 0
	for line := range strings.Lines(commands) {
		command, _, _ := strings.Cut(line, "#")
		command = strings.ReplaceAll(command, " ID", " $(handoff list --to report-writer --since 2026-02-07 --format ids | head -n 1)")
		if out, code := run(command); code != 0 {
			t.Errorf("%s exits with %d\n%s", line, code, out)
		}
		lines++
	}
	if lines < 5 {
		t.Errorf("%d commands found", lines)
	}
}
