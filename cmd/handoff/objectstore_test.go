package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/testdata/objectstore"
)

// Both programs, as they are installed, exchange handoffs over an object store. The fast one hands over.
func TestProgramsUseAnObjectStore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the programs")
	}
	store := objectstore.Start(t, 1)
	bin, home := released.in(t), t.TempDir()
	run := func(who string, code int, line string) string {
		t.Helper()
		cmd := exec.Command("sh", "-ec", line)
		cmd.Dir = filepath.Join(home, who)
		cmd.Env = []string{"HOME=" + filepath.Join(home, "of-"+who), "PATH=" + bin + ":" + os.Getenv("PATH"),
			"GIT_CONFIG_NOSYSTEM=1", "AWS_ACCESS_KEY_ID=" + objectstore.AccessKey, "AWS_SECRET_ACCESS_KEY=" + objectstore.SecretKey}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
			t.Fatalf("%s: %s: %v, want exit code %d\n%s", who, line, err, code, out)
		}
		return string(out)
	}
	for _, who := range []string{"ann", "ben", "cyd"} {
		for _, dir := range []string{who, "of-" + who + "/.config/handoff"} {
			if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		config := "remotes:\n  farm: {url: \"s3://" + objectstore.Bucket + "/team\", endpoint: \"" + store.URL + "\"}\n"
		file := filepath.Join(home, "of-"+who, ".config/handoff/config.yaml")
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		run(who, 0, "git init -q && handoff init --git synced --yes --operator "+who)
	}
	run("ann", 0, "printf '# One\\n\\nDo it.\\n' | handoff write - --to ben")
	if out := run("ann", 0, "handoff sync --remote farm"); !strings.Contains(out, "sent 1 handoff") ||
		!strings.Contains(out, "s3://"+objectstore.Bucket+"/team at 127.0.0.1") {
		t.Error(out)
	}
	for _, who := range []string{"ben", "cyd"} {
		run(who, 0, "echo 'remote: farm' >>.handoff.yaml")
		if out := run(who, 0, "handoff sync"); !strings.Contains(out, "received 1 handoff") {
			t.Error(out)
		}
	}
	before := store.Requests.Load()
	run("ben", 0, "handoff take $(handoff list --format ids)")
	if n := store.Requests.Load() - before; n == 0 || n > 4 {
		t.Errorf("a take has %d requests", n)
	}
	run("cyd", 11, "handoff take $(handoff list --format ids)")
	if out := run("ann", 0, "handoff sync --remote farm"); !strings.Contains(out, "took over 1 action") {
		t.Error(out)
	}

	// What belongs to AWS stays there.
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, secret := range []string{objectstore.AccessKey, objectstore.SecretKey} {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s has %s", path, secret)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
