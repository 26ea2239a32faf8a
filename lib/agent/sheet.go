package agent

import "slices"

// A sheet is a kind of settings file of an agent, and the places of our entries in it.
type sheet struct {
	paths []string // for the user and for a project
	slots []slot
}

// sheet returns the file of the hooks, or that of the server, which can be the same.
func (a Agent) sheet(ofServer bool) sheet {
	hooks := sheet{[]string{a.get("user"), a.get("project")}, a.slots()}
	servers := a.words("servers")
	if len(servers) == 0 {
		return hooks
	}
	one := slot{event: server, name: servers[0]}
	if servers[1] == hooks.paths[User] {
		hooks.slots = append(hooks.slots, one)
	} else if ofServer {
		return sheet{servers[1:], []slot{one}}
	}
	return hooks
}

// OneFile reports whether the agent has its hooks and servers in one file.
func (a Agent) OneFile() bool { return slices.Equal(a.sheet(true).paths, a.sheet(false).paths) }

// ServerCommand returns the line for a shell with which the agent adds our server, or "" if Install adds it.
func (a Agent) ServerCommand(c Command) string {
	if !a.has("adds") {
		return ""
	}
	return shell(append(a.words("adds"), c.words(a.Name, server)...))
}
