package agent

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// Wake waits until something is new for a session, and returns the announcement of Hear. wait waits for a change; it
// returns an error to end Wake. Without a session on Stdin, what arrives from now on is new. An announcement counts as
// told, and at most one is made in a minute.
//
// For an agent with a queue, Wake puts the announcement there and goes on. If that fails, it returns the announcement,
// which then does not count as told.
//
// An agent takes whatever ends with an error for news, and starts the hook again and again. So Wake returns "" if
// something fails, if the session is waited for already, and when the session or its process has ended. It also
// returns "" at once in a session without a person at its terminal, which would not end before the hook does.
func Wake(s Session, wait func() error) string {
	named, _ := find(s.Agent) // an unknown agent fails below
	if v := named.get("attended"); v != "" && s.Getenv(v) != "1" {
		return ""
	}
	var err error
	if s.agent, err = running(s.Agent, s.Getenv); err != nil {
		return ""
	}
	in := heard.ReadInput(s.Stdin, heard.Wait, heard.MaxInput, false)
	cwd, session := in.Directory(s.Cwd), cmp.Or(in.Session(), fmt.Sprint("watch-", os.Getpid()))
	m := s.remember(s.Agent, session)
	waiting := await(m)
	if waiting == nil {
		return ""
	}
	defer waiting.Close()
	owner := disk.Process(disk.BehindShell(s.Parent))
	for isFirst := in.Session() == ""; disk.Runs(owner); isFirst = false {
		if line, goOn := s.wake(m, session, cwd, isFirst); line != "" || !goOn {
			return line
		}
		if wait() != nil {
			break
		}
	}
	return ""
}

// wake looks once. goOn is false if there is nothing to wait for.
func (s Session) wake(m memory, session, cwd string, isFirst bool) (line string, goOn bool) {
	d := lock(&m)
	if d == nil {
		return "", true // a hook of the session looks just now
	}
	defer d.Close()
	p, r, err := s.open(cwd)
	s.To = ""
	if err != nil || r == nil || s.remember(s.Agent, session).Ended { // broken, switched off, or over
		return "", false
	}
	if m.IsQuiet() || m.IsUnchanged(cwd) {
		return "", true
	}
	before := m.Note
	m.Stamp(cwd, arrivals(p))
	m.Renew = time.Now() // the next hook sees what the session has taken
	line, _, news, err := s.arrived(&m, r, session, p.Settings.SurfaceMaxAgeDays.Value)
	if err != nil {
		return "", true // the next look may succeed
	}
	if isFirst || line == "" {
		return "", m.Save() == nil
	}
	told := m.Note
	told.Told = time.Now()
	if queue := s.agent.words("queue"); len(queue) > 0 {
		m.Note = before
		if m.Told = told.Told; m.Save() != nil { // it would be announced again and again
			return "", false
		}
		if enqueue(queue, session, line) != nil {
			m.Note = before
			_ = m.Save() // otherwise the hooks are quiet for a minute
			return line, false
		}
		line = ""
	}
	if m.Note = told; m.Save() != nil {
		return "", false
	}
	r.store.Sessions().Offer(s.offer(r, session, news))
	return line, true
}

// enqueue runs a command of the agent's, which puts text into the queue of a session.
func enqueue(command []string, session, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i, word := range command {
		command[i] = strings.NewReplacer("SESSION", session, "TEXT", strings.TrimSpace(text)).Replace(word)
	}
	return exec.CommandContext(ctx, command[0], command[1:]...).Run()
}

// lacksQueue returns an error if the agent needs a queue to wake a session, and the one on this machine has none.
func (a Agent) lacksQueue(ctx context.Context) error {
	queue := a.words("queue")
	if len(queue) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, seconds*time.Second)
	defer cancel()
	if err := exec.CommandContext(ctx, queue[0], queue[1], "--help").Run(); err != nil {
		return fmt.Errorf("%s %s, which wakes a session: %w", queue[0], queue[1], err)
	}
	return nil
}

// offer returns the record of what a session was told.
func (s Session) offer(r *report, session string, news own) handoff.Offer {
	return handoff.Offer{Session: session, Agent: s.agent.Name, Operator: r.operator, IDs: news.told}
}

// await makes this process the one that waits for a session, until it closes the directory. It returns nil if another
// does, or if there is no place for the memory of the session.
func await(m memory) *disk.Dir {
	d := lock(&m)
	if d == nil {
		return nil
	}
	defer d.Close()
	waiting, err := d.MakeDir("waiting", 0o700)
	if err != nil {
		return nil
	}
	if waiting.Lock(context.Background(), 0) != nil {
		waiting.Close()
		return nil
	}
	return waiting
}
