package agent

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
)

//go:embed agents.txt
var source string

// An Agent is a block of agents.txt. The comment there describes its lines.
type Agent struct {
	Name  string // as --agent takes it
	Title string // as people call it

	// What a person must do in the agent before the hook runs, for settings of the user and of a project.
	Approve, ApproveProject string

	block string // its lines
}

// all returns the values of the lines with a key, which is their first word.
func (a Agent) all(key string) (values []string) {
	for line := range strings.SplitSeq(a.block, "\n") {
		if text, is := strings.CutPrefix(line, key); is && (text == "" || text[0] == ' ') {
			values = append(values, strings.TrimPrefix(text, " "))
		}
	}
	return values
}

// get returns the value of the only line with a key, or "".
func (a Agent) get(key string) string { return strings.Join(a.all(key), "\n") }

// words returns the words of the line with a key.
func (a Agent) words(key string) []string { return strings.Fields(a.get(key)) }

// has reports whether there is a line with a key.
func (a Agent) has(key string) bool { return a.all(key) != nil }

// agents returns the table.
var agents = sync.OnceValue(func() (all []Agent) {
	for block := range strings.SplitSeq(source[strings.Index(source, "\nagent ")+1:], "\n\n") {
		a := Agent{block: block}
		a.Name, a.Title, _ = strings.Cut(a.get("agent"), " ")
		a.Approve, a.ApproveProject = a.get("approve"), a.get("approve-project")
		all = append(all, a)
	}
	return all
})

// Names returns the names of all agents, as Session.Agent takes them.
func Names() []string { return namesOf(agents()) }

// Installable returns the names of the agents whose settings this package knows.
func Installable() []string { return namesOf(agents()[1:]) }

// namesOf returns the names of agents, in their order.
func namesOf(agents []Agent) []string {
	var names []string
	for _, a := range agents {
		names = append(names, a.Name)
	}
	return names
}

// find returns the agent with a name.
func find(name string) (Agent, bool) {
	for _, a := range agents() {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// running returns the agent that runs the hook of the agent with a name. It can be another agent. An unknown name
// is ErrInvalid.
func running(name string, getenv func(string) string) (Agent, error) {
	a, known := find(name)
	if !known {
		return a, fault.Invalid("", "unknown agent %s; use %s", fault.Quote(name),
			fault.Own(strings.Join(Names(), ", ")))
	}
	for _, other := range agents() {
		if mark := other.get("marks"); mark != "" && getenv(mark) == "1" && a.has("user") {
			return other, nil
		}
	}
	return a, nil
}

// Find returns the agent with a name of Installable. Another name is ErrInvalid.
func Find(name string) (Agent, error) {
	if a, known := find(name); known && a.has("user") {
		return a, nil
	}
	advice := "use " + strings.Join(Installable(), ", ") + "; any other agent can run hooks/session-start.sh"
	return Agent{}, fault.Invalid(advice, "unknown agent %q", name)
}
