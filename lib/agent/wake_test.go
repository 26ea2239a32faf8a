package agent

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
)

// One process waits for a session, and another one when that ends. Nobody waits for a session without an id.
func TestOneWaits(t *testing.T) {
	m := heard.Remember(t.TempDir(), "claude", "s-1", "ben")
	end := await(m)
	if end == nil {
		t.Fatal("nobody waits")
	}
	if await(m) != nil {
		t.Error("two wait")
	}
	end.Close()
	if end = await(m); end == nil {
		t.Fatal("nobody can wait again")
	}
	end.Close()
	if await(heard.Remember(t.TempDir(), "claude", "", "ben")) != nil {
		t.Error("one waits for a session without an id")
	}
}
