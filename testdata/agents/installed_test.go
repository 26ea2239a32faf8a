package agents

import (
	"strings"
	"testing"
	"time"
)

// The server that install registers knows its operator, also for an agent that passes no environment to it.
func TestAgentsServer(t *testing.T) {
	each(t, func(d *desk, a coder) {
		d.sh("handoff install " + a.name + " --mcp --to ben")
		d.write("project/.handoff.yaml", "git: none\n")
		d.model.reset(step{tool: "handoff_take", args: map[string]any{"id": d.id}})
		turn := a.turn("begin")
		d.agent(turn...)
		d.expectResult(a, "MCP", "handoff_take by ben", `"operator":"ben"`)
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
	d.model.reset(step{tool: "ToolSearch", args: map[string]any{"query": "handoff", "max_results": 20}})
	d.agent(claude.turn("begin")...)
	requests := d.model.since(0)
	if len(requests) < 2 {
		d.Fatalf("%d requests", len(requests))
	}
	atOnce := strings.Join(toolNames(requests[0].(map[string]any)["tools"]), " ")
	for _, name := range strings.Fields("list read take done") {
		if !strings.Contains(atOnce, "handoff_"+name) {
			d.Errorf("handoff_%s is not there at once: %s", name, atOnce)
		}
	}
	last := text(requests[len(requests)-1])
	for _, name := range strings.Fields("check mark_read next release reply resume search write") {
		if !strings.Contains(last, "mcp__handoff__handoff_"+name) {
			d.Errorf("a search for handoff does not find handoff_%s", name)
		}
	}
}

// Claude Code runs the safe commands of /pickup without asking, and asks before those that can run programs.
func TestAgentsPermissions(t *testing.T) {
	d := newDesk(t, claude)
	claude.plugin(d)
	run := map[string]bool{"handoff list --unread --to ben": true, "handoff read " + d.id + " --agent": true, "handoff take " + d.id: true,
		"handoff watch --exec id": false}
	for _, command := range []string{"handoff list --unread --to ben", "handoff read " + d.id + " --agent", "handoff take " + d.id, "handoff watch --exec id"} {
		d.model.reset(claude.shell(command))
		d.agent("claude", "-p", "/pickup")
		got := strings.Join(answers(d.model.last(), nil), "\n")
		if asked := strings.Contains(got, "requires approval") || strings.Contains(got, "requested permissions"); asked == run[command] {
			d.Errorf("%s: asked is %v: %.300q", command, asked, got)
		}
	}
}

// In Codex's sandbox, which has a process namespace of its own, the session that runs there looks alive, and no draft.
func TestAgentsSandbox(t *testing.T) {
	d := newDesk(t, codex)
	d.sh("handoff install codex --to ben")
	d.model.reset(codex.shell("readlink /proc/self/ns/pid; "+bin+"/handoff draft list --json; echo listed"),
		codex.shell("echo '{\"session_id\":\"other\",\"source\":\"startup\"}' | "+bin+"/handoff hook session-start --agent codex --to ben; echo told"))
	d.agent("codex", "exec", trustsHooks, "--sandbox", "workspace-write", "begin")
	got := strings.Join(answers(d.model.last(), nil), "\n")
	d.Logf("%s; outside: %s", got, d.sh("readlink /proc/self/ns/pid"))
	if !strings.Contains(got, "listed") || !strings.Contains(got, "told") {
		d.Skipf("the sandbox of Codex does not run here: %s", got)
	}
	if strings.Contains(got, `"hook":true`) || strings.Contains(got, "ended without a handoff") {
		d.Errorf("a living session looks like one that ended: %s", got)
	}
}

// A session that was cleared is over: what waited for it wakes nobody, and nothing that arrives later counts as told to it.
func TestAgentsCleared(t *testing.T) {
	c := newCell(t, claude, state{name: "cleared"}, "", nil)
	t1 := c.a.open(c.desk)
	t1.asks("begin", "begin")
	before, first := len(c.records()), c.session()
	t1.types("/clear")
	until(func() bool { return len(c.records()) > before && c.session() != first })
	time.Sleep(2 * time.Second) // it draws itself again, and loses what is typed
	id, from := c.arrive(1)[0], c.model.count()
	time.Sleep(3 * time.Second)
	if n := c.model.count() - from; n != 0 {
		t.Errorf("the cleared session was woken: %d requests", n)
	}
	t1.asks("again", "again")
	time.Sleep(2 * time.Second)
	if second := c.session(); c.offers()[first][id] || !c.offers()[second][id] {
		t.Errorf("%s was told to %v; the cleared session is %s, the new one %s", id, c.offers(), first, second)
	}
	t1.ends()
}
