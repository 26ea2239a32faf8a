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
		d.sh("handoff install " + a.name + " --to ben")
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
		if a.fork != nil {
			d.sh("rm -rf .run/drafts") // Claude Code shows the same text once, but not one that also tells of a draft
			d.agent(a.fork(d)...)
			d.expect(a, "hook", "fork", d.id)
		}
		if a.compact != nil {
			a.compact(d)
			d.agent(a.resume("after")...)
			d.expect(a, "hook", "compact", d.id)
		}
		if out, err := d.command("handoff", "doctor", "hook", a.name).CombinedOutput(); err != nil && a.name != "codex" || !strings.Contains(string(out), "1 run passed") && a.name != "codex" {
			d.Errorf("doctor: %v\n%s", err, out)
		}
		d.sh("handoff uninstall " + a.name)
		if after := d.read(a.settings); after != before {
			d.Errorf("the settings were %q and are %q", before, after)
		}
	})
}

// What hooks/ has for an agent says the same, once.
func TestAgentsPlugin(t *testing.T) {
	each(t, func(d *desk, a coder) {
		a.plugin(d)
		d.model.reset()
		d.agent(a.turn("begin")...)
		d.expect(a, "plugin", "start", d.id)
		d.agent(a.resume("go on")...)
		d.expect(a, "plugin", "resume", d.id)
		if a.command != nil {
			d.agent(a.command("handoff")...)
			d.expect(coder{name: a.name, role: "user"}, "plugin", "/handoff", "Gather facts")
			d.agent(a.command("pickup")...)
			d.expect(coder{name: a.name, role: "user"}, "plugin", "/pickup", pickupWords)
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
			"missing to":                 {tool: "handoff_write", args: map[string]any{"body": "x"}},
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

// A session that ends or dies leaves a draft, unless it wrote a handoff.
func TestAgentsDrafts(t *testing.T) {
	each(t, func(d *desk, a coder) { // whose shells may have another PATH
		a.plugin(d)
		drafts := func() int { return strings.Count(d.sh("handoff draft list --json"), `"hook":true`) }
		d.model.reset()
		d.agent(a.turn("begin")...)
		if n := drafts(); n != 1 && !a.mute || n != 0 && a.mute {
			d.Errorf("%d drafts of a session that ended well", n)
		}
		if !a.mute {
			d.sh(`handoff draft discard --yes $(handoff draft list --json | sed -n 's/.*"draft_id":"\([0-9a-f]*\)".*/\1/p')`)
		}
		d.model.reset(a.shell("echo done | "+bin+"/handoff write - --from ben --to ann --topic answer"), step{hangs: true})
		d.killed(a.turn("begin")...)
		if n := drafts(); n != 0 || !strings.Contains(d.sh("handoff list"), "answer") {
			d.Errorf("%d drafts of a session that wrote a handoff\n%s", n, d.sh("handoff list"))
		}
		d.model.reset(step{hangs: true})
		d.killed(a.turn("begin")...)
		if n := drafts(); n != 1 {
			d.Errorf("%d drafts of a session that died", n)
		}
	})
}

// A session that does what /handoff says leaves a packet that passes its check; one that does what /pickup says resumes it.
func TestAgentsCommands(t *testing.T) {
	each(t, func(d *desk, a coder) {
		if a.command == nil {
			d.Skipf("%s runs commands at a terminal alone", a.name)
		}
		a.plugin(d)
		play := func(name string, commands ...string) {
			d.model.reset()
			for _, c := range commands {
				d.model.script = append(d.model.script, a.shell(strings.ReplaceAll(c, "handoff", bin+"/handoff")))
			}
			d.agent(a.command(name)...)
			d.Logf("/%s", name)
			for _, c := range commands {
				d.Logf("$ %s", c)
			}
			for _, result := range results(d.model.last(), nil) {
				d.Logf("%s", result)
			}
		}
		play("handoff", "handoff new --kind packet --from ben --to cy --topic parser --objective 'The parser refuses what RFC 8259 refuses' "+
			"--completed 'Wrote the tokenizer in lib/parse/token.go; go test ./lib/parse passes' --unresolved 'FuzzParse fails on lone surrogates' "+
			"--assumption 'Input is UTF-8' --next-action 'Handle lone surrogates in lib/parse/text.go, then run FuzzParse for a minute' --risk 'Files written before version 2 may be refused'",
			"handoff check $(handoff list --topic parser --format ids)")
		d.expectResult(a, "/handoff", "check", "Classification: CLEAN")
		play("pickup", "handoff list --unread --to cy", "ID=$(handoff list --unread --to cy --format ids); handoff read $ID --agent; handoff check $ID && handoff resume $ID --operator cy")
		d.expectResult(a, "/pickup", "resume", "The next action, in the words of the handoff:")
		if left := d.sh("handoff list --unread --to cy"); left != "" {
			d.Errorf("still unread: %s", left)
		}
	})
}

// results returns what tools have answered, in a request.
func results(v any, all []string) []string {
	switch v := v.(type) {
	case map[string]any:
		if v["type"] == "tool_result" || v["type"] == "function_call_output" {
			for _, key := range []string{"content", "output"} {
				if v[key] != nil {
					all = append(all, text(v[key]))
				}
			}
			return all
		}
		for _, inner := range v {
			all = results(inner, all)
		}
	case []any:
		for _, inner := range v {
			all = results(inner, all)
		}
	}
	return all
}
