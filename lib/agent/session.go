package agent

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// An Identity says for whom a command runs.
type Identity struct {
	Session string // the session of an agent in the form that a take accepts; "" for a person
	Agent   string // the title of the agent, or ""
	Leak    string // the line about variables of an agent that a person's shell has, or ""
}

// A Caller is what a command knows of whoever runs it.
type Caller struct {
	Getenv  func(string) string
	Parent  int    // the process that started the command
	Session string // the session that the agent itself names, or ""
	Cleared bool   // the session begins after another one in the same process was cleared
}

// Identify returns the session in which a command runs.
//
// The nearest process above that is an agent of the table decides: its own variable has the id, else a hook noted it
// for that process, else the process is the session. In a container those processes cannot be seen: all session
// variables together are the session. Without an agent it is a person.
//
// A session is its id and its process. If the process of an id still runs elsewhere, this is a fork, and another
// session. If that process is gone, the session goes on.
func Identify(c Caller) Identity {
	above, isWhole := disk.Ancestors(c.Parent)
	for _, p := range above {
		for _, a := range agents() {
			if a.runsAs(p) {
				id := cmp.Or(c.Session, a.variable(c.Getenv), c.lastOf(p))
				return Identity{Session: c.settle(id, a.Name, p, above), Agent: a.Title}
			}
		}
	}
	var ids, names []string
	title := ""
	for _, a := range agents() {
		if v := a.variable(c.Getenv); v != "" {
			ids = append(ids, v)
		}
		for _, name := range slices.Concat(a.Inside, a.Session) {
			if c.Getenv(name) != "" {
				names, title = append(names, name), a.Title
			}
		}
	}
	switch {
	case c.Session != "" && isWhole: // an agent that the table does not know
		at := slices.IndexFunc(above, func(p disk.Ancestor) bool { return !slices.Contains(shells, p.Program) })
		return Identity{Session: c.settle(c.Session, "", above[max(at, 0)], above), Agent: title}
	case c.Session != "":
		return Identity{Session: c.Session, Agent: title}
	case names == nil:
		return Identity{}
	case isWhole:
		all := strings.Join(names, " ")
		return Identity{Leak: names[0] + " is set, but no agent runs here: run `unset " + all + "`"}
	}
	joined := strings.Join(ids, "-")
	return Identity{Session: joined[:min(len(joined), 128)], Agent: title}
}

// Inside returns the title of an agent whose variables are set, "" if there is none.
func Inside(getenv func(string) string) string {
	for _, a := range agents() {
		if slices.ContainsFunc(slices.Concat(a.Inside, a.Session), func(v string) bool { return getenv(v) != "" }) {
			return a.Title
		}
	}
	return ""
}

// MustTell reports whether the line about leaked variables was not told yet, and notes that it is.
func (i Identity) MustTell(getenv func(string) string) bool {
	n := memory.Read(memory.State(getenv), "leak:"+i.Leak)
	isTold := n.Told != 0
	n.Told = time.Now().Unix()
	return i.Leak != "" && !isTold && n.Write() == nil
}

// Begin notes that this process is a session that no agent names. Once it is gone, others can take over what the
// session holds.
func Begin(session string, getenv func(string) string) {
	if n := memory.Read(memory.State(getenv), session); n.Process == "" {
		n.Process = disk.Process(os.Getpid())
		_ = n.Write() // of an unknown process, the session counts as running
	}
}

// variable returns the id that the variables of an agent have.
func (a Agent) variable(getenv func(string) string) (id string) {
	for _, name := range a.Session {
		id = cmp.Or(id, memory.Name(getenv(name)))
	}
	return id
}

// runsAs reports whether a process is the agent, or an interpreter that runs its script.
func (a Agent) runsAs(p disk.Ancestor) bool {
	names := []string{p.Program, path.Base(p.Args[0])}
	script := ""
	if len(p.Args) > 1 && slices.Contains([]string{"node", "bun"}, names[1]) {
		script = p.Args[1]
		names = append(names, strings.TrimSuffix(path.Base(script), ".js"))
	}
	return slices.ContainsFunc(a.Programs, func(name string) bool {
		return slices.Contains(names, name) || strings.Contains(name, "/") && strings.Contains(script, "/"+name+"/")
	})
}

// shells run the command of a hook and end with it.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "fish", "busybox"}

// lastOf returns the session that was noted last for a process, or "".
func (c Caller) lastOf(p disk.Ancestor) string {
	if all := memory.Notes(memory.State(c.Getenv), p.Process); len(all) > 0 {
		return cmp.Or(all[0].Name, all[0].Session)
	}
	return ""
}

// settle returns the session with an id in the process of its agent, and notes the process.
func (c Caller) settle(id, agent string, p disk.Ancestor, above []disk.Ancestor) string {
	state := memory.State(c.Getenv)
	_, start, _ := strings.Cut(p.Process, "@")
	start, _, _ = strings.Cut(start, "@")
	suffix := fmt.Sprintf("-%d-%s", p.PID, start)
	unnamed := agent + suffix
	id = cmp.Or(id, unnamed)
	n := memory.Read(state, id)
	isAbove := slices.ContainsFunc(above, func(x disk.Ancestor) bool { return x.Process == n.Process })
	if !isAbove && disk.IsAlive(n.Process) {
		id = id[:min(len(id), 100)] + suffix
		n = memory.Read(state, id)
	}
	if n.Process == p.Process {
		return cmp.Or(n.Name, id)
	}
	switch {
	case n.Process != "" || id == unnamed:
	case c.Cleared:
		n.Name = c.lastOf(p)
	case memory.Read(state, unnamed).Process == p.Process:
		n.Name = unnamed // it began before the agent named it
	}
	n.Process = p.Process
	_ = n.Write() // of an unknown process, the session counts as running
	return cmp.Or(n.Name, id)
}
