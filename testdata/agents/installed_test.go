package agents

import (
	"strings"
	"testing"
)

// The server that install registers knows its operator, also for an agent that passes no environment to it.
func TestAgentsServer(t *testing.T) {
	each(t, func(d *desk, a coder) {
		if line := d.sh("handoff install " + a.name + " --mcp --operator ben 2>&1 | sed -n 's/.*to add the server, run: //p'"); line != "" {
			d.sh(line) // of the agent
		}
		d.write("project/.handoff.yaml", "git: none\n")
		d.model.reset(step{tool: "handoff_take", args: map[string]any{"id": d.id}})
		turn := a.turn("begin")
		d.agent(turn...)
		d.expectResult(a, "MCP", "handoff_take by ben", "Taken by ben")
		if list := d.sh("handoff list --all --json"); !strings.Contains(list, `"state":"taken"`) {
			d.Errorf("not taken: %s\n%s", list, answers(d.model.last(), nil))
		}
	})
}

// Where Claude Code defers the tools of servers, the four that each session needs are there at once, and a search for
// "handoff" finds the others.
func TestAgentsSearch(t *testing.T) {
	d := newDesk(t, claude)
	claude.mcp(d)
	d.env = append(d.env, "ENABLE_TOOL_SEARCH=true")
	d.model.reset(step{tool: "Bash", args: map[string]any{"command": "sleep 3"}}, // the server connects meanwhile
		step{tool: "ToolSearch", args: map[string]any{"query": "handoff", "max_results": 20}})
	d.agent(claude.turn("begin")...)
	requests := d.model.since(0)
	if len(requests) < 3 {
		d.Fatalf("%d requests", len(requests))
	}
	atOnce := strings.Join(toolNames(requests[1].(map[string]any)["tools"]), " ")
	for _, name := range strings.Fields("list read take done") {
		if !strings.Contains(atOnce, "handoff_"+name) {
			d.Errorf("handoff_%s is not there at once: %s", name, atOnce)
		}
	}
	last := text(requests[len(requests)-1])
	for _, name := range strings.Fields("check reply resume write") {
		if !strings.Contains(last, "mcp__handoff__handoff_"+name) {
			d.Errorf("a search for handoff does not find handoff_%s", name)
		}
	}
}
