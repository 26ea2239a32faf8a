//go:build unix

package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
)

// Every agent gets the server where it looks for it, and after uninstalling everything is as it was.
func TestServer(t *testing.T) {
	for _, name := range agent.Installable() {
		if name == "codex" { // it adds the server itself
			continue
		}
		a, home := find(t, name), t.TempDir()
		p, before := agent.Places{Home: home, Root: home}, tree(t, home)
		for _, scope := range []agent.Scope{agent.User, agent.Project} {
			c := agent.Command{Program: program, Me: "ben", Server: true}
			change, err := a.Install(p, scope, c)
			change = apply(t, change, err)
			text := string(must(os.ReadFile(change.Path)))
			if !strings.Contains(text, "mcp") || !strings.Contains(text, "--operator") || !strings.Contains(text, "ben") {
				t.Errorf("%s: %s\n%s", name, change.Path, text)
			}
			c.Program = "/new/handoff"
			if change, err = a.Install(p, scope, c); err != nil || change.Status != agent.Updated {
				t.Errorf("%s: %v, %v", name, change.Status, err)
			}
			c.Program, c.To, c.Me = program, "", "cyd" // the registered operator stays
			if change, err = a.Install(p, scope, c); err != nil || change.Status != agent.Present {
				t.Errorf("%s: %v, %v", name, change.Status, err)
			}
			change, err = a.Uninstall(p, scope, true)
			apply(t, change, err)
		}
		if after := tree(t, home); after != before {
			t.Errorf("%s: before\n%safter\n%s", name, before, after)
		}
	}
}

// What a person added to our entry stays when it is installed again.
func TestServerKeepsItsEnvironment(t *testing.T) {
	home := t.TempDir()
	path, p := filepath.Join(home, ".claude.json"), agent.Places{Home: home}
	put(t, path, `{"mcpServers": {"handoff": {"command": "/old/handoff", "args": ["mcp"], "env": {"K": "v"}, "n": 1e400}}}`)
	change, err := find(t, "claude").Install(p, agent.User, agent.Command{Program: program, To: "ben", Server: true})
	apply(t, change, err)
	const added = `"env": {"K": "v"}, "n": 1e400`
	if got := string(must(os.ReadFile(path))); !strings.Contains(got, added) || !strings.Contains(got, program) {
		t.Errorf("it became %s", got)
	}
}
