//go:build unix

package agent_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// FuzzInstall holds for every text in place of the settings: it is refused as a configuration and untouched,
// or the hook is added by an insertion and taken out again to the byte.
func FuzzInstall(f *testing.F) {
	for _, seed := range []string{"{}", "{\"hooks\":{}}", "{\"hooks\": {\"SessionStart\": [ ]}}\n", "{\r\n \"hooks\": {\r\n \"SessionStart\": [{\"hooks\":[{\"command\":\"x\"}]}]}}",
		`{"hooks":{"SessionStart":[{"hooks":[{"command":"handoff-hook"}]}]}}`, `{"version":1,"hooks":{"sessionStart":[{"command":"handoff hook"},{"command":"y"}]}}`,
		"{\"a\": 1, // b\n}", "[]", "\xff", `{"version": 1.0}`} {
		for i := range agent.Installable() {
			f.Add([]byte(seed), uint8(i))
		}
	}
	home := f.TempDir()
	p := agent.Places{Home: home}
	f.Fuzz(func(t *testing.T, before []byte, which uint8) {
		name := agent.Installable()[int(which)%len(agent.Installable())]
		a := find(t, name)
		path := settingsPath(home, name)
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		put(t, path, string(before))
		change, err := a.Uninstall(p, agent.User, false)
		if err == nil && change.Status != agent.Absent {
			return // ours is there already
		}
		change, err = a.Install(p, agent.User, agent.Command{Program: program})
		if err != nil {
			if now := must(os.ReadFile(path)); !errors.Is(err, handoff.ErrConfig) || !bytes.Equal(now, before) {
				t.Fatalf("%q: %v, %q", before, err, now)
			}
			return
		}
		apply(t, change, nil)
		checkInserted(t, string(before), string(must(os.ReadFile(path))))
		change, err = a.Uninstall(p, agent.User, false)
		apply(t, change, err)
		if after := must(os.ReadFile(path)); !bytes.Equal(after, before) {
			t.Fatalf("%q became %q", before, after)
		}
	})
}
