//go:build unix

package agent_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
)

// mustInstall registers the hook of an agent for the user and has it trusted.
func mustInstall(t *testing.T, name string, p agent.Places) {
	t.Helper()
	ch, err := find(t, name).Install(p, agent.User, agent.Command{Program: "/opt/handoff"})
	if err == nil {
		err = ch.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	if name == "codex" {
		put(t, filepath.Join(p.Home, ".codex/config.toml"), "[hooks.state.\""+ch.Path+":session_start:0:0\"]\ntrusted_hash = \"sha256:00\"\n")
	}
}

// offs returns why an agent does not run the hooks that it has.
func offs(t *testing.T, name string, p agent.Places) (all []string) {
	t.Helper()
	entries, errs := find(t, name).Entries(p, false)
	if len(errs) > 0 {
		t.Errorf("%s: %v", name, errs)
	}
	for _, e := range entries {
		if e.Event == "session-start" {
			all = append(all, e.Off)
		}
	}
	return all
}

// Every switch that turns hooks off is seen, in every layer, unless a stronger one turns them on again.
func TestSwitches(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("settings of the machine lie elsewhere")
	}
	const claude, gemini, codex = `{"disableAllHooks": true}`, `{"hooksConfig": {"enabled": false}}`, "# none\n[features]\nhooks = false # all\n"
	for _, c := range []struct {
		agent, base, path, text string
		off                     bool
	}{
		{"claude", "root", ".claude/settings.json", claude, true},
		{"claude", "root", ".claude/settings.local.json", claude, true},
		{"claude", "system", "etc/claude-code/managed-settings.json", claude, true},
		{"claude", "system", "etc/claude-code/managed-settings.json", `{"allowManagedHooksOnly": true}`, true},
		{"claude", "root", ".claude/settings.json", `{"allowManagedHooksOnly": true, "disableAllHooks": false}`, false},
		{"gemini", "root", ".gemini/settings.json", gemini, true},
		{"gemini", "system", "etc/gemini-cli/system-defaults.json", gemini, true},
		{"gemini", "system", "etc/gemini-cli/settings.json", gemini, true},
		{"gemini", "root", ".gemini/settings.json", `{"hooksConfig": {"disabled": ["/opt/handoff hook session-start --agent gemini"]}}`, true},
		{"gemini", "root", ".gemini/settings.json", `{"hooksConfig": {"disabled": ["other"]}}`, false},
		{"codex", "root", ".codex/config.toml", codex, true},
		{"codex", "root", ".codex/config.toml", "features.hooks = false\n", true},
		{"codex", "root", ".codex/config.toml", "features = { hooks = false, web = true }\n", true},
		{"codex", "root", ".codex/config.toml", "list = [\n  \"a\", # one\n  \"[x]\",\n]\nfeatures.hooks = false\n", true},
		{"codex", "root", ".codex/config.toml", "list = [\n  \"features.hooks = false\",\n  '''\nfeatures.hooks = false\n''']\n", false},
		{"codex", "root", ".codex/config.toml", "text = \"\"\"\n[features]\nhooks = false\n\"\"\"\n", false},
		{"codex", "system", "etc/codex/config.toml", codex, true},
		{"codex", "system", "etc/codex/requirements.toml", "allow_managed_hooks_only = true\n", true},
		{"copilot", "home", ".copilot/settings.json", claude, true},
		{"copilot", "root", ".github/copilot/settings.json", claude, true},
		{"copilot", "root", ".github/copilot/settings.local.json", claude, true},
	} {
		p := agent.Places{Home: t.TempDir(), Root: t.TempDir(), System: t.TempDir()}
		mustInstall(t, c.agent, p)
		if off := offs(t, c.agent, p); len(off) != 1 || off[0] != "" {
			t.Fatalf("%s: %q", c.agent, off)
		}
		put(t, filepath.Join(map[string]string{"home": p.Home, "root": p.Root, "system": p.System}[c.base], c.path), c.text)
		if off := offs(t, c.agent, p); len(off) != 1 || (off[0] != "") != c.off {
			t.Errorf("%s, %s with %s: %q", c.agent, c.path, c.text, off)
		}
	}
}

// Settings in TOML that cannot be read are named with their line, and nothing of them is shown.
func TestBrokenTOML(t *testing.T) {
	p := agent.Places{Home: t.TempDir(), Root: t.TempDir(), System: t.TempDir()}
	mustInstall(t, "codex", p)
	put(t, filepath.Join(p.Root, ".codex/config.toml"), "a = 1\nb = \x1b[31m\n")
	_, errs := find(t, "codex").Entries(p, false)
	if len(errs) != 1 || !strings.HasSuffix(errs[0].Error(), "config.toml: line 2: this is not TOML") {
		t.Errorf("%q", errs)
	}
}

// What a stronger layer says counts.
func TestStrongerLayer(t *testing.T) {
	p := agent.Places{Home: t.TempDir(), Root: t.TempDir(), System: t.TempDir()}
	put(t, filepath.Join(p.Home, ".claude/settings.json"), `{"disableAllHooks": true}`)
	mustInstall(t, "claude", p)
	if off := offs(t, "claude", p); len(off) != 1 || !strings.Contains(off[0], "disableAllHooks") {
		t.Errorf("%q", off)
	}
	put(t, filepath.Join(p.Root, ".claude/settings.local.json"), `{"disableAllHooks": false}`)
	if off := offs(t, "claude", p); len(off) != 1 || off[0] != "" {
		t.Errorf("%q", off)
	}
}

// Codex runs no hook that nobody trusts, nor one that was switched off.
func TestCodexTrust(t *testing.T) {
	p := agent.Places{Home: t.TempDir(), Root: t.TempDir(), System: t.TempDir()}
	mustInstall(t, "codex", p)
	config := filepath.Join(p.Home, ".codex/config.toml")
	trusted, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		string(trusted): "", "": "it is not trusted yet", string(trusted) + "enabled = false\n": "switched off",
	} {
		put(t, config, text)
		if off := offs(t, "codex", p); len(off) != 1 || !strings.Contains(off[0], want) || (off[0] == "") != (want == "") {
			t.Errorf("%q: %q", text, off)
		}
	}
	ch, err := find(t, "codex").Install(p, agent.Project, agent.Command{Program: "/opt/handoff"})
	if err == nil {
		err = ch.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	state := string(trusted) + "[hooks.state.\"" + ch.Path + ":session_start:0:0\"]\ntrusted_hash = \"sha256:00\"\n"
	put(t, config, state)
	if off := offs(t, "codex", p); len(off) != 2 || off[0] != "" || !strings.Contains(off[1], "the project is not trusted") {
		t.Errorf("%q", off)
	}
	put(t, config, state+"[projects.\""+filepath.Dir(p.Root)+"\"]\ntrust_level = \"trusted\"\n")
	if off := offs(t, "codex", p); len(off) != 2 || off[1] != "" {
		t.Errorf("%q", off)
	}
}

// Hooks that come by another way are seen, and none of them is a second one beside itself.
func TestOtherWays(t *testing.T) {
	for name, c := range map[string]struct{ agent, path, text string }{
		"plugin of Claude Code": {"claude", ".claude/settings.json", `{"enabledPlugins": {"handoff@handoff": true, "other@x": true}}`},
		"plugin among skills":   {"claude", ".claude/skills/any/.claude-plugin/plugin.json", `{"name": "handoff"}`},
		"extension":             {"gemini", ".gemini/extensions/handoff/gemini-extension.json", `{"name": "handoff"}`},
		"linked extension":      {"gemini", ".gemini/extensions/handoff/.gemini-extension-install.json", `{"source": "/x", "type": "link"}`},
		"plugin of Codex":       {"codex", ".codex/config.toml", "[plugins.\"handoff@handoff\"]\nenabled = true\n"},
		"config.toml of Codex":  {"codex", ".codex/config.toml", "[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype = \"command\"\ncommand = \"/opt/handoff hook session-start --agent codex\"\n"},
		"plugin of Copilot":     {"copilot", ".copilot/settings.json", `{"enabledPlugins": {"handoff@handoff": true}}`},
	} {
		p := agent.Places{Home: t.TempDir(), Root: t.TempDir(), System: t.TempDir()}
		put(t, filepath.Join(p.Home, c.path), c.text)
		a := find(t, c.agent)
		entries, errs := a.Entries(p, false)
		if len(entries) < hooks[c.agent] && len(entries) != 1 || len(errs) > 0 {
			t.Errorf("%s: %v, %v", name, entries, errs)
			continue
		}
		if others := a.Others(p, entries[0]); len(others) > 0 {
			t.Errorf("%s warns of itself: %q", name, others)
		}
		if others := a.Others(p, agent.Entry{Path: "elsewhere", Words: []string{"handoff", "hook"}}); len(others) != 1 {
			t.Errorf("%s beside another: %q", name, others)
		}
	}
}

// What is switched off is not there.
func TestWaysSwitchedOff(t *testing.T) {
	p := agent.Places{Home: t.TempDir(), Root: t.TempDir(), System: t.TempDir()}
	put(t, filepath.Join(p.Home, ".claude/settings.json"), `{"enabledPlugins": {"handoff@handoff": true}}`)
	put(t, filepath.Join(p.Root, ".claude/settings.json"), `{"enabledPlugins": {"handoff@handoff": false}}`)
	if off := offs(t, "claude", p); off != nil {
		t.Errorf("%q", off)
	}
	put(t, filepath.Join(p.Home, ".gemini/extensions/handoff/gemini-extension.json"), `{}`)
	put(t, filepath.Join(p.Home, ".gemini/extensions/extension-enablement.json"), `{"handoff": {"overrides": ["/*", "!`+p.Root+`/*"]}}`)
	if off := offs(t, "gemini", p); len(off) != 1 || !strings.Contains(off[0], "disables the extension") {
		t.Errorf("%q", off)
	}
}
