//go:build unix

package agent_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A plugin that handoff has not written, or that somebody made unreadable, stays as it is.
func TestForeignPlugin(t *testing.T) {
	a := find(t, "opencode")
	change, err := a.Install(agent.Places{Home: t.TempDir()}, agent.User, agent.Command{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, ours := change.Texts()
	for what, text := range map[string]string{
		"someone's":           "export const Mine = async () => ({})\n",
		"no commands":         strings.Replace(ours, `{"prompt"`, `{prompt`, 1),
		"another program":     strings.ReplaceAll(ours, `["`+program+`"`, `["rm"`),
		"below another line":  "// mine\n" + ours,
		"commands are absent": strings.Replace(ours, `"tool":`, `"other":`, 1),
	} {
		home := t.TempDir()
		put(t, settingsPath(home, "opencode"), text)
		before, p := tree(t, home), agent.Places{Home: home}
		_, errIn := a.Install(p, agent.User, agent.Command{Program: program})
		_, errOut := a.Uninstall(p, agent.User, false)
		if !errors.Is(errIn, handoff.ErrConfig) || !errors.Is(errOut, handoff.ErrConfig) {
			t.Errorf("%s: install %v, uninstall %v", what, errIn, errOut)
		}
		if after := tree(t, home); after != before {
			t.Errorf("%s: before\n%safter\n%s", what, before, after)
		}
	}
}

// asOpencode does with the plugin what opencode does in a few sessions, and prints what the model would read.
const asOpencode = `
const { Handoff } = await import(process.argv[2])
const get = async ({ path: { id } }) => ({
  data: { parentID: id === "child" ? "new" : undefined, time: { created: id === "old" ? 0 : Date.now() + 1e6 } },
})
const hooks = await Handoff({ client: { session: { get } }, directory: process.cwd() })
const say = async (sessionID) => {
  const parts = [{ type: "text", text: "hi" }]
  await hooks["chat.message"]({ sessionID }, { message: { id: "m" }, parts })
  console.log(sessionID, "prompt:", parts.map((p) => p.text).join(" "))
}
const tool = async (sessionID, output, metadata) => {
  const result = { output, metadata }
  await hooks["tool.execute.after"]({ sessionID }, result)
  console.log(sessionID, "tool:", JSON.stringify(result.output), JSON.stringify(result.metadata))
}
const event = (type, properties) => hooks.event({ event: { type, properties } })

await event("server.connected")
await say("new")
await say("new")
await tool("new", "out", { title: "x" })
await tool("new", undefined, {})
await event("session.compacted", { sessionID: "new" })
await say("new")
await say("old")
await say("child")
await tool("child", "out", {})
const env = {}
await hooks["shell.env"]({ sessionID: "new" }, { env })
console.log(JSON.stringify(env))
await hooks.dispose()
`

// The plugin runs the hooks and gives their text to the model. If they fail in any way, the session goes on without it.
func TestPlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	for what, c := range map[string]struct{ script, says, ran string }{
		"good": {`printf '%s ' "$2" >>ran; cat >>ran; echo >>ran; [ "$2" = session-end ] || printf '{"additionalContext":"at %s"}' "$2"`,
			`new prompt: hi at session-start
new prompt: hi at prompt
new tool: "out\n\nat tool" {"title":"x"}
new tool: undefined {}
new prompt: hi at session-start
old prompt: hi at session-start
child prompt: hi
child tool: "out" {}
{"OPENCODE_SESSION_ID":"new"}
`, `session-start {"session_id":"new","cwd":"@","hook_event_name":"SessionStart","source":"startup"}
prompt {"session_id":"new","cwd":"@","hook_event_name":"UserPromptSubmit"}
tool {"session_id":"new","cwd":"@","hook_event_name":"PostToolUse"}
session-start {"session_id":"new","cwd":"@","hook_event_name":"SessionStart","source":"compact"}
session-start {"session_id":"old","cwd":"@","hook_event_name":"SessionStart","source":"resume"}
session-end {"session_id":"new","cwd":"@","hook_event_name":"SessionEnd","reason":"exit"}
session-end {"session_id":"old","cwd":"@","hook_event_name":"SessionEnd","reason":"exit"}
`},
		"missing": {"", silent, ""},
		"fails":   {`echo '{"additionalContext":"x"}'; exit 3`, silent, ""},
		"garbage": {`echo '}{'`, silent, ""},
		"closed":  {`exec <&- >&-`, silent, ""},
		"hangs":   {`exec sleep 60`, silent, ""},
		"remains": {`sleep 5 & exit 0`, silent, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			fake := filepath.Join(dir, "it's $a;dir", "handoff")
			if c.script != "" {
				put(t, fake, "#!/bin/sh\n"+c.script+"\n")
				if err := os.Chmod(fake, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			change, err := find(t, "opencode").Install(agent.Places{Home: dir}, agent.User, agent.Command{Program: fake})
			_, _, _, plugin := change.Texts()
			if err != nil {
				t.Fatal(err)
			}
			plugin = strings.NewReplacer("timeout: 5000", "timeout: 200", "5500", "300").Replace(plugin)
			if what == "good" { // as it is
				_, _, _, plugin = change.Texts()
			}
			put(t, filepath.Join(dir, "handoff.mjs"), plugin)
			put(t, filepath.Join(dir, "opencode.mjs"), asOpencode)
			cmd := exec.CommandContext(t.Context(), node, "opencode.mjs", filepath.Join(dir, "handoff.mjs"))
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != c.says {
				t.Errorf("%v\n%s", err, out)
			}
			ran, _ := os.ReadFile(filepath.Join(dir, "ran"))
			if got := strings.ReplaceAll(string(ran), dir, "@"); !strings.HasPrefix(got, c.ran) {
				t.Errorf("it ran\n%s", got)
			}
		})
	}
}

// silent is what the model reads if no hook says anything.
const silent = `new prompt: hi
new prompt: hi
new tool: "out" {"title":"x"}
new tool: undefined {}
new prompt: hi
old prompt: hi
child prompt: hi
child tool: "out" {}
{"OPENCODE_SESSION_ID":"new"}
`
