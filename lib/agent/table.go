package agent

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

//go:embed agents.json
var source []byte

// An Agent is a row of agents.json. In its templates these texts are replaced, each a whole string: PROGRAM and ARGS
// for a command, LINE for a POSIX shell and "& POWERSHELL"; TEXT for the model, NOTICE for the person at the terminal
// and EVENT for the agent's name of the event; PROJECT and SESSION for an input.
type Agent struct {
	Name  string // as --agent takes it
	Title string // as people call it

	Programs []string // the names of its programs, or parts of the paths of their scripts
	Session  []string // the variables of its shells that have the id of the session
	Inside   []string // the variables that it sets in its shells
	Marks    string   // a variable that it sets to 1 for all hooks, even those of other agents

	User, Project string // the settings below the home directory and the project root
	Home          string // the variable that replaces the first directory of User,
	HomeIsAbove   bool   `json:"home_is_above"` // or, with this, the home directory
	Script        string // the settings are a script of ours; its name

	Events    map[string][]string // the agent's names of our events
	Grouped   bool                // entries are in groups: {"hooks": [entry]}
	Versioned bool                // the file has "version": 1
	Comments  bool                // the settings can have comments
	Entry     json.RawMessage     // a hook
	Server    Server              // where the server for the Model Context Protocol is registered,
	AddServer map[string]string   `json:"add_server"` // or the command that does it

	Envelope json.RawMessage // the form of a hook's output; none is plain text
	Speaks   bool            // the model takes the text for a system or developer message: no bodies
	Drops    []string        // sources of a start at which the text reaches no model: the next prompt tells
	Keeps    []string        // sources of a start at which the model still has the text
	Words    []string        // the fields of an input with text that the session leaves when it ends
	RunsIn   string          `json:"runs_in"` // where it runs hooks, below the home directory; else in the project
	Input    json.RawMessage // its input for a hook, if it has no cwd and session_id

	Approve        string // what a person must do before the hooks run
	ApproveProject string `json:"approve_project"` // the same for the settings of a project
}

// A Server is a place for the entry of our server. Env is the key of its environment.
type Server struct {
	Key, Env      string
	User, Project string
	Comments      bool
	Entry         json.RawMessage
}

// plain is any other agent: a hook prints text for it, and it has no settings.
var plain = Agent{Name: "plain", Title: "any other agent"}

var agents = sync.OnceValue(func() (all []Agent) {
	_ = json.Unmarshal(source, &all) // a test parses it
	return append([]Agent{plain}, all...)
})

// Names returns the names of all agents, as --agent takes them.
func Names() (names []string) {
	for _, a := range agents() {
		names = append(names, a.Name)
	}
	return names
}

// Installable returns the names of the agents whose settings this package knows.
func Installable() []string { return Names()[1:] }

// find returns the agent with a name.
func find(name string) (Agent, bool) {
	at := slices.IndexFunc(agents(), func(a Agent) bool { return a.Name == name })
	if at < 0 {
		return plain, false
	}
	return agents()[at], true
}

// Find returns the agent with a name of Installable. Another name is ErrInvalid.
func Find(name string) (Agent, error) {
	a, known := find(name)
	if known && a.User != "" {
		return a, nil
	}
	hint := "use " + strings.Join(Installable(), ", ") + "; any other agent can run hooks/session-start.sh"
	if near := form.Nearest(name, Installable()); near != "" {
		hint = "did you mean " + near + "?"
	}
	return a, fault.Invalid(hint, "unknown agent %q", name)
}

// running returns the agent that runs the hook of the agent with a name: some run the hooks of others.
func running(name string, getenv func(string) string) (Agent, error) {
	for _, other := range agents() {
		if other.Marks != "" && getenv(other.Marks) == "1" {
			return other, nil
		}
	}
	a, known := find(name)
	if !known {
		return a, fault.Invalid("", "unknown agent %s; use %s", fault.Own(quote(name)),
			fault.Own(strings.Join(Names(), ", ")))
	}
	return a, nil
}

// event returns the agent's first name of an event, or "".
func (a Agent) event(ours string) string {
	if names := a.Events[ours]; len(names) > 0 {
		return names[0]
	}
	return ""
}

// ourEvents are our events in the order in which they are registered.
var ourEvents = []string{Start, Prompt, Tool, End}

// fill returns a template with its texts replaced: pairs are a text, and the JSON that replaces it.
func fill(template json.RawMessage, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = `"` + pairs[i] + `"`
	}
	return strings.NewReplacer(pairs...).Replace(string(template))
}
