package agents

import (
	"os"
	"strings"
	"testing"
)

// each runs a test for each agent.
func each(t *testing.T, test func(d *desk, a coder)) {
	for _, a := range coders {
		t.Run(a.name, func(t *testing.T) { test(newDesk(t, a), a) })
	}
}

// What the session hook says arrives once, and stays once however the session goes on. The settings are afterwards what they
// were.
func TestAgentsHook(t *testing.T) {
	each(t, func(d *desk, a coder) {
		before := d.read(a.settings)
		d.sh("handoff install " + a.name + " --operator ben")
		d.model.reset()
		d.agent(a.turn("begin")...)
		d.expect(a, "hook", "start", d.id)
		if strings.Contains(text(d.model.last()), "A secret plan") {
			d.Error("the body is there")
		}
		d.agent(a.resume("go on")...)
		d.expect(a, "hook", "resume", d.id)
		d.agent(a.resume("go on")...)
		d.expect(a, "hook", "resumed again", d.id)
		if a.compact != nil {
			a.compact(d)
			d.agent(a.resume("after")...)
			d.expect(a, "hook", "compact", d.id)
		}
		d.sh("handoff install --undo " + a.name)
		if after := d.read(a.settings); after != before {
			d.Errorf("the settings were %q and are %q", before, after)
		}
	})
}

// The tools of MCP show the model what they are for.
func TestAgentsTools(t *testing.T) {
	packet, err := os.ReadFile("../packet/clean.json")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(d *desk, a coder) {
		a.mcp(d)
		for _, call := range []struct {
			tool string
			args map[string]any
			want string
		}{
			{"handoff_list", map[string]any{"unread": true}, canary},
			{"handoff_read", map[string]any{"id": d.id}, "A secret plan."},
			{"handoff_read", map[string]any{"id": d.id, "offset": 0}, "Next: handoff_take"},
			{"handoff_write", map[string]any{"body": string(packet), "from": "ann", "to": "ben", "topic": "packet", "ts": "2026-05-08T12:00:00Z"}, "created"},
		} {
			d.model.reset(step{tool: call.tool, args: call.args})
			d.agent(a.turn("begin")...)
			d.expectResult(a, "MCP", call.tool, call.want)
		}
		for want, step := range map[string]step{ // Qwen Code repeats them
			"no recipient":               {tool: "handoff_write", args: map[string]any{"body": "x"}},
			"validation (exit code 2): ": {tool: "handoff_read", args: map[string]any{"id": "00000000"}},
		} {
			d.model.reset(step)
			d.agent(a.turn("begin")...)
			if got := strings.Join(answers(d.model.last(), nil), "\n"); !strings.Contains(got, want) {
				d.Errorf("%s of %v: no %q in %s", step.tool, step.args, want, got)
			}
		}
		id := strings.TrimSpace(d.sh("handoff list --topic packet --format ids"))
		for tool, want := range map[string]string{"handoff_check": "Check Summary:", "handoff_resume": "The next action, in the words of the handoff:"} {
			d.model.reset(step{tool: tool, args: map[string]any{"id": id, "max_age": "999999h"}})
			d.agent(a.turn("begin")...)
			d.expectResult(a, "MCP", tool, want)
		}
	})
}
