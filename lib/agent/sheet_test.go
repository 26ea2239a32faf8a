//go:build unix

package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Every agent gets the server where it looks for it, and after uninstalling everything is as it was.
func TestServer(t *testing.T) {
	for _, name := range agent.Installable() {
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

// In TOML only the lines of the table change. If other values would change, nothing does.
func TestTableInTOML(t *testing.T) {
	home := t.TempDir()
	path, p := filepath.Join(home, ".codex/config.toml"), agent.Places{Home: home}
	const ours = "[mcp_servers.handoff]\ncommand = \"/usr/bin/handoff\"\nargs = [\"mcp\",\"--operator\",\"ben\"]\n"
	const old = "[mcp_servers.handoff]\ncommand = \"/old/handoff\"\nargs = [\"mcp\"]\nstartup_timeout_sec = 9\n"
	for text, want := range map[string]string{
		"":                                  ours,
		"a = 1":                             "a = 1\n\n" + ours,
		"a = 1\n":                           "a = 1\n\n" + ours,
		"# mine\n[b]\nc = [\n  [1],\n]\n":   "# mine\n[b]\nc = [\n  [1],\n]\n\n" + ours,
		"[b]\nc = 1\n" + old + "# d\n[e]\n": "[b]\nc = 1\n" + ours + "startup_timeout_sec = 9\n# d\n[e]\n",
		old + "# why\ncwd = \"/x\"\n[mcp_servers.handoff.env]\nA=\"b\"\n\n[e]\n": ours +
			"startup_timeout_sec = 9\n# why\ncwd = \"/x\"\n[mcp_servers.handoff.env]\nA=\"b\"\n\n[e]\n",
		"c = 1\n" + old + "args2 = 1\nlong = [\n  1,\n]\n": "c = 1\n" + ours + "startup_timeout_sec = 9\nargs2 = 1\nlong = [\n  1,\n]\n",
		"mcp_servers = {other = {command = \"x\"}}\n":      "refused",
		"mcp_servers.handoff = {command = \"x\"}\n":        "refused",
		"[mcp_servers.handoff]\ncommand = \"npx\"\n":       "refused",
		"[mcp_servers.handoff]\nurl = \"http://x\"\n":      "refused",
		"mcp_servers = 1\n":                                "refused",
		"a = \"\"\"\n" + old + "\"\"\"\n":                  "refused",
		"not TOML":                                         "refused",
	} {
		put(t, path, text)
		change, err := find(t, "codex").Install(p, agent.User, agent.Command{Program: program, To: "ben", Server: true})
		if want == "refused" {
			if !errors.Is(err, handoff.ErrConfig) || string(must(os.ReadFile(path))) != text {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		change = apply(t, change, err)
		if got := string(must(os.ReadFile(path))); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
		change, err = find(t, "codex").Uninstall(p, agent.User, true)
		if change = apply(t, change, err); change.Status != agent.Removed {
			t.Errorf("%q: %s", text, change.Status)
		}
		if got, err := os.ReadFile(path); string(got) != text && !strings.Contains(text, old) || err != nil ||
			strings.Contains(string(got), "handoff") {
			t.Errorf("%q became %q, %v", text, got, err)
		}
		os.Remove(path + ".handoff-backup")
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
