package agent

import (
	"cmp"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Inside returns the title of the agent whose shell this is, or "" if the environment names none.
func Inside(getenv func(string) string) string {
	for _, a := range agents() {
		if _, inside := a.shellOf(getenv); inside {
			return a.Title
		}
	}
	return ""
}

// SessionOf returns the session of the agent whose shell this is, in the form that a take accepts. It is "" if
// the environment names none.
func SessionOf(getenv func(string) string) string {
	for _, a := range agents() {
		if session, _ := a.shellOf(getenv); handoff.IsSession(session) {
			return session
		}
	}
	return ""
}

// shellOf reports whether this is a shell of the agent, and returns its session if that is known.
func (a Agent) shellOf(getenv func(string) string) (session string, inside bool) {
	for _, name := range a.words("session") {
		session = cmp.Or(session, getenv(name))
	}
	return session, session != "" || a.has("inside") && getenv(a.get("inside")) != ""
}
