package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// mustHandOver stores a handoff to ben and returns its id.
func mustHandOver(t *testing.T, root string) string {
	t.Helper()
	cmd := exec.Command(bin, "write", "-", "--from", "ann", "--to", "ben", "--topic", "deploy", "--json")
	cmd.Dir, cmd.Stdin = root, strings.NewReader("Deploy it.")
	out, err := cmd.Output()
	var got struct {
		ID string `json:"handoff_id"`
	}
	if err == nil {
		err = json.Unmarshal(out, &got)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got.ID
}

// A server renews the leases of what was taken over it, at half time, until it is done.
func TestRenewedLease(t *testing.T) {
	root, now := mustProject(t), time.Date(2026, 5, 8, 12, 0, 0, 0, time.UTC)
	id := mustHandOver(t, root)
	a := &cli.App{Env: cli.Env{Stdin: strings.NewReader(""), Stdout: t.Output(), Stderr: t.Output(),
		Getenv: os.Getenv, Getwd: func() (string, error) { return root, nil },
		Options: func(o *handoff.Options) { o.Now = func() time.Time { return now } }}}
	p := project{App: a, session: "mcp-1", leases: &leases{operators: make(map[string]bool)}}
	if _, err := p.take(t.Context(), takeArgs{ID: id}); err != nil {
		t.Fatal(err)
	}
	until := func() string {
		t.Helper()
		_, s, err := p.open()
		if err != nil {
			t.Fatal(err)
		}
		return s.Lifecycle().Of(id).Take.Holds().Until
	}
	for _, step := range []struct{ now, until string }{
		{"2026-05-08T12:59:00Z", "2026-05-08T14:00:00Z"},
		{"2026-05-08T13:00:00Z", "2026-05-08T15:00:00Z"},
		{"2026-05-08T13:01:00Z", "2026-05-08T15:00:00Z"},
	} {
		now, _ = time.Parse(time.RFC3339, step.now)
		p.renew(t.Context())
		if got := until(); got != step.until {
			t.Errorf("at %s the lease ends at %s, not %s", step.now, got, step.until)
		}
	}
	if _, err := p.done(t.Context(), doneArgs{takeArgs: takeArgs{ID: id}}); err != nil {
		t.Fatal(err)
	}
	if p.renew(t.Context()); len(p.leases.operators) != 0 {
		t.Errorf("after done: %v", p.leases.operators)
	}

	// The loop renews at each tick, and ends with the server.
	ctx, end := context.WithCancel(t.Context())
	tick, ended := make(chan time.Time), make(chan struct{})
	go func() {
		p.keepLeases(ctx, tick)
		close(ended)
	}()
	p.leases.operators["ben"] = true
	tick <- now
	tick <- now // the first one was handled
	end()
	<-ended
	if len(p.leases.operators) != 0 {
		t.Errorf("after a tick: %v", p.leases.operators)
	}
}

// A server that wakes after its lease gets nothing back that another session has taken over. A clock that goes back during
// a lease neither shortens it nor lets somebody else in.
func TestHolderWakes(t *testing.T) {
	root, noon := mustProject(t), time.Date(2026, 5, 8, 12, 0, 0, 0, time.UTC)
	id, now := mustHandOver(t, root), noon
	a := &cli.App{Env: cli.Env{Stdin: strings.NewReader(""), Stdout: t.Output(), Stderr: t.Output(),
		Getenv: os.Getenv, Getwd: func() (string, error) { return root, nil },
		Options: func(o *handoff.Options) { o.Now = func() time.Time { return now } }}}
	sleeper := project{App: a, session: "mcp-1", leases: &leases{operators: make(map[string]bool)}}
	other := project{App: a, session: "mcp-2", leases: &leases{operators: make(map[string]bool)}}
	held := func(session, until string) {
		t.Helper()
		_, s, err := other.open()
		if err != nil {
			t.Fatal(err)
		}
		if by := s.Lifecycle().Of(id).Take.Holds(); by.Session != session || by.Until != until {
			t.Errorf("at %v it is held by %q until %s, not by %q until %s", now, by.Session, by.Until, session, until)
		}
	}
	if _, err := sleeper.take(t.Context(), takeArgs{ID: id}); err != nil {
		t.Fatal(err)
	}

	now = noon.Add(-3 * time.Hour)
	sleeper.renew(t.Context())
	if _, err := other.take(t.Context(), takeArgs{ID: id}); !errors.As(err, new(*handoff.TakenError)) {
		t.Errorf("after the clock went back another session takes it: %v", err)
	}
	held("mcp-1", "2026-05-08T14:00:00Z")

	now = noon.Add(2 * time.Hour)
	if _, err := other.take(t.Context(), takeArgs{ID: id}); err != nil {
		t.Fatal(err)
	}
	now = noon.Add(3 * time.Hour)
	sleeper.renew(t.Context())
	if len(sleeper.leases.operators) != 0 {
		t.Errorf("it goes on with %v", sleeper.leases.operators)
	}
	if _, err := sleeper.done(t.Context(), doneArgs{takeArgs: takeArgs{ID: id}}); !errors.As(err, new(*handoff.TakenError)) && !errors.As(err, new(*handoff.LostError)) {
		t.Errorf("it finishes what another session has: %v", err)
	}
	held("mcp-2", "2026-05-08T16:00:00Z")
}

// A background sync follows every tool that can change something, and no other, if the user wants that.
func TestSyncsByItself(t *testing.T) {
	root, config, started := mustProject(t), t.TempDir(), 0
	write := func(dir, name, text string) {
		t.Helper()
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(root, handoff.SettingsName, "operator: ben\ngit: synced\n")
	id := mustHandOver(t, root)
	getenv := func(name string) string {
		if name == "XDG_CONFIG_HOME" || name == "HOME" || name == "AppData" {
			return config
		}
		return os.Getenv(name)
	}
	p := project{session: "mcp-1", leases: &leases{operators: make(map[string]bool)}, App: &cli.App{Env: cli.Env{
		Stdin: strings.NewReader(""), Stdout: t.Output(), Stderr: t.Output(), Getenv: getenv,
		Getwd: func() (string, error) { return root, nil }, Options: func(*handoff.Options) {},
		Executable: func() (string, error) {
			started++
			return "", errors.New("not in this test")
		}}}}
	found, err := p.Project()
	if err != nil {
		t.Fatal(err)
	}
	write(found.User.Dir, "config.yaml", "sync: auto\n")
	here, there := mcp.NewInMemoryTransports()
	if _, err := newServer(p).Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, want := client{t, session, nil}, 0
	for _, call := range []struct {
		tool    string
		args    map[string]any
		changes bool
	}{
		{"list", nil, false},
		{"read", map[string]any{"id": id}, false},
		{"next", map[string]any{"take": true}, true},
		{"release", map[string]any{"id": id}, true},
		{"mark_read", map[string]any{"id": id}, true},
		{"reply", map[string]any{"id": id, "body": "Fine."}, true},
	} {
		if call.changes {
			want++
		}
		if c.good("handoff_"+call.tool, call.args, ""); started != want {
			t.Errorf("after %s %d syncs have started, not %d", call.tool, started, want)
		}
	}
}
