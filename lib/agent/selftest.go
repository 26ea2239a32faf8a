package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Stage is a project in which entries are tested. Exactly one handoff is unread in it.
type Stage struct {
	Root   string   // the project
	Canary string   // the topic of the handoff
	Env    []string // the environment of the agent
	Own    string   // the program of this installation; a project's settings can run no other
	Store  *handoff.Store
	Arrive func() error // writes a second handoff about the canary

	KeepsNone bool // the settings allow nothing to be kept of a session

	Patience time.Duration // how long the entry may take; 0 is two seconds
}

// A SelfTest is the result of running an entry.
type SelfTest struct {
	Agent      string   `json:"agent"`
	Event      Event    `json:"event,omitempty"`
	At         string   `json:"at,omitempty"` // the agent's name of the event
	Path       string   `json:"file_path"`
	Command    []string `json:"command,omitempty"`
	Runs       int      `json:"runs"`
	Slowest    string   `json:"slowest"`
	Characters int      `json:"characters"` // in the text for the model
	Problems   []string `json:"problems,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
}

const (
	patience = seconds * time.Second // an agent ends a hook after this time
	slow     = 2 * time.Second       // the deadline of a hook is one second

	wakes = 2 // the exit code with which a hook wakes a session
)

// A feed is what an agent writes to standard input in one run, and what happens before and after.
type feed struct {
	name   string
	input  string
	silent bool // the hook must print nothing

	attended string       // "1" if a person is at the terminal of the session
	before   func() error // what happens before; optional
}

// input returns what an agent says of a session at its event of a name, with more members.
func (s Stage) input(session, at string, more map[string]string) string {
	event := map[string]string{"session_id": session, "cwd": s.Root, "hook_event_name": at}
	maps.Copy(event, more)
	return string(jsontree.Encode(event, ""))
}

// runningFeeds returns the inputs of the self-test for a hook of a running session: it hears once of the handoff.
func runningFeeds(stage Stage, e Event, native string) []feed {
	input := stage.input(stage.Canary+"-"+string(e), native, map[string]string{"prompt": "x"})
	return []feed{{name: "a new handoff", input: input}, {name: "told before", input: input, silent: true}}
}

// keepingFeeds returns the inputs of the self-test for a hook that keeps what a session leaves: an event of a session
// that says the canary, and its end. The hook prints nothing.
func keepingFeeds(stage Stage, session, at string) []feed {
	said := map[string]string{"source": "startup"}
	for _, key := range []string{"compact_summary", "last_assistant_message", "prompt_response", "text"} {
		said[key] = stage.Canary
	}
	end := stage.input(session, "SessionEnd", map[string]string{"reason": "error"})
	return []feed{{name: at, input: stage.input(session, at, said), silent: true},
		{name: "the end of the session", input: end, silent: true}}
}

// wakingFeeds returns the inputs of the self-test for a hook that wakes an idle session: after the session has started,
// a handoff arrives. An agent with a queue has none for that session, so the hook prints what it would put there.
func (e Entry) wakingFeeds(ctx context.Context, a Agent, stage Stage, session string) []feed {
	begin := Entry{Agent: e.Agent, Event: start, line: a.packaged(start)}
	if e.Words != nil {
		c := Command{Program: e.Words[0], To: Operator(e.Words)}
		begin.Words, begin.line = c.words(a.Name, start), ""
	}
	arrive := func() error {
		if err := a.lacksQueue(ctx); err != nil {
			return err
		}
		first := feed{input: stage.input(session, a.native(start), nil)}
		if _, _, problem := begin.run(ctx, stage, first); problem != "" {
			return errors.New("the hook for starting sessions: " + problem)
		}
		return stage.Arrive()
	}
	feeds := []feed{
		{name: "nobody at the terminal", input: stage.input(session, e.At, nil), silent: true},
		{name: "a new handoff", input: stage.input(session, e.At, nil), attended: "1", before: arrive},
	}
	if !a.has("attended") {
		return feeds[1:]
	}
	return feeds
}

// kept returns what is wrong with what was kept of a session after an event, or "".
func (s Stage) kept(session, at string) string {
	drafts, _ := s.Store.Sessions().Drafts() // that they cannot be read is the problem
	isKept := func(d handoff.Draft) bool {
		return d.Session == session && (strings.Contains(d.Text, s.Canary) || events[strings.ToLower(at)] == begins)
	}
	if !s.KeepsNone && !slices.ContainsFunc(drafts, isKept) {
		return "nothing is kept of a session"
	}
	return ""
}

// feeds returns the inputs of the self-test for the event of an entry.
func (e Entry) feeds(ctx context.Context, a Agent, stage Stage, session string) []feed {
	switch e.Event {
	case start:
		return []feed{{name: "source startup",
			input: stage.input(session, a.native(start), map[string]string{"source": "startup"})}}
	case idle:
		return e.wakingFeeds(ctx, a, stage, session)
	case Stop:
		return keepingFeeds(stage, session, e.At)
	}
	return runningFeeds(stage, e.Event, a.native(e.Event))
}

// Test runs an entry as its agent would, once or twice; standard input stays open, as some agents leave it. Each run
// must end in time with exit code 0. A hook for starting sessions must print the canary in the agent's envelope, within
// the agent's limit. A hook of a running session must print it once, and nothing when it runs again. A hook that keeps
// what a session leaves prints nothing; its draft must have the canary. After a run with a problem there is no other.
//
// Settings of a project can come from other people. Such an entry is run without a shell, and only if it is
// stage.Program with the arguments of Install.
func (e Entry) Test(ctx context.Context, stage Stage) SelfTest {
	r := SelfTest{Agent: e.Agent, Event: e.Event, At: e.At, Path: e.Path, Command: e.Words}
	if e.Off != "" {
		r.Problems = append(r.Problems, e.Off)
	}
	if e.Words != nil && filepath.IsAbs(e.Words[0]) && !exists(e.Words[0]) {
		r.Problems = append(r.Problems, fmt.Sprintf("%s is not there: run `handoff install %s` again",
			e.Words[0], e.Agent))
		return r
	}
	a, err := Find(e.Agent)
	switch {
	case err != nil:
	case e.Scope == Project:
		e, err = e.withoutShell(stage.Own)
	case e.Words == nil && runtime.GOOS == "windows":
		err = errors.New("a plugin's command needs a POSIX shell; it was not tested")
	}
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
		return r
	}
	session := stage.Canary + "-" + e.At
	var slowest time.Duration
	problem := ""
	for _, f := range e.feeds(ctx, a, stage, session) {
		var out []byte
		var took time.Duration
		out, took, problem = e.run(ctx, stage, f)
		r.Runs++
		slowest = max(slowest, took)
		switch {
		case problem != "":
		case !f.silent:
			r.Characters, problem = a.checkOutput(e.Event, out, stage.Canary)
		case len(out) > 0:
			problem = "output, but nothing has arrived"
		}
		if problem != "" {
			problem = f.name + ": " + problem
			break
		}
	}
	r.Slowest = slowest.Round(time.Millisecond).String()
	if e.Event == Stop && problem == "" {
		problem = stage.kept(session, e.At)
	}
	if problem != "" {
		r.Problems = append(r.Problems, problem)
	}
	return r
}

// withoutShell returns the entry to be started without a shell. It fails if the entry does not name our program.
func (e Entry) withoutShell(own string) (Entry, error) {
	words := e.Words
	if words == nil { // a plugin or an example
		words = Command{Program: "handoff"}.words(e.Agent, e.Event)
	}
	path, err := exec.LookPath(words[0])
	named, statErr := os.Stat(path)
	if err != nil || statErr != nil {
		return e, errors.New("the program in the project's settings does not exist; it was not run")
	}
	if info, err := os.Stat(own); err == nil && os.SameFile(info, named) && asInstalled(words) {
		e.Words, e.line = append([]string{own}, words[1:]...), ""
		return e, nil
	}
	return e, errors.New("the project's settings name another program, " +
		"or arguments that `handoff install` does not write; it was not run")
}

// asInstalled reports whether words are a command that Install registers for one of the agents.
func asInstalled(words []string) bool {
	c := Command{Program: words[0], To: Operator(words)}
	return slices.ContainsFunc(agents(), func(a Agent) bool {
		isOf := func(sl slot) bool { return slices.Equal(words, c.words(a.Name, sl.event)) }
		return a.has("user") && slices.ContainsFunc(a.slots(), isOf)
	})
}

// checkOutput checks the output of a run.
func (a Agent) checkOutput(e Event, out []byte, canary string) (characters int, problem string) {
	if len(bytes.TrimSpace(out)) == 0 {
		return 0, "no output, but a handoff is unread"
	}
	text, err := a.unwrap(e, out)
	characters = utf8.RuneCountInString(text)
	most, _ := strconv.Atoi(a.get("takes")) // 0 if unknown
	switch {
	case err != nil:
		return characters, err.Error()
	case !strings.Contains(text, canary):
		return characters, "the output does not name the unread handoff"
	case most > 0 && characters > most:
		return characters, fmt.Sprintf("%d characters; %s accepts %d", characters, a.Title, most)
	}
	return characters, ""
}

// run starts the entry once. The problem is "" if it ended well and in time.
func (e Entry) run(ctx context.Context, stage Stage, f feed) (out []byte, took time.Duration, problem string) {
	patience := max(patience, stage.Patience)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if f.before != nil {
		if err := f.before(); err != nil {
			return nil, 0, err.Error()
		}
	}
	var stdout, stderr bytes.Buffer
	cmd := e.command(ctx)
	cmd.Dir, cmd.Stdout, cmd.Stderr = stage.Root, &stdout, &stderr
	cmd.Env = slices.Concat(stage.Env, []string{"CLAUDE_PROJECT_DIR=" + stage.Root}, e.marks(f))
	cmd.WaitDelay = time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, 0, err.Error()
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, 0, "cannot be started: " + err.Error()
	}
	go func() { _, _ = io.WriteString(stdin, f.input) }() // the hook may close the pipe early
	err = cmd.Wait()
	took = time.Since(start)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, took, fmt.Sprintf("did not end within %v", patience)
	case errors.As(err, &exit) && e.Event == idle && exit.ExitCode() == wakes && !f.silent:
		return stderr.Bytes(), took, ""
	case errors.As(err, &exit):
		return nil, took, fmt.Sprintf("exit code %d: %s", exit.ExitCode(), firstLine(stderr.String()))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, took, err.Error()
	case took > cmp.Or(stage.Patience, slow):
		return nil, took, fmt.Sprintf("took %v", took.Round(time.Millisecond))
	case strings.Count(stderr.String(), "\n") > 1:
		return nil, took, "more than one line on standard error: " + firstLine(stderr.String())
	}
	return stdout.Bytes(), took, ""
}

// marks returns the environment in which the agent of the entry runs a hook.
func (e Entry) marks(f feed) (env []string) {
	for _, a := range agents() {
		if v := a.get("attended"); v != "" && a.Name == e.Agent {
			env = append(env, v+"="+f.attended)
		}
		switch {
		case a.has("marks") && a.Name == e.Agent:
			env = append(env, a.get("marks")+"=1")
		case a.has("marks"):
			env = append(env, a.get("marks")+"=")
		}
	}
	return env
}

// command returns how the agent would run an entry. A single line runs in a shell.
func (e Entry) command(ctx context.Context) *exec.Cmd {
	if e.line != "" && runtime.GOOS != "windows" {
		return exec.CommandContext(ctx, "/bin/sh", "-c", e.line)
	}
	return exec.CommandContext(ctx, e.Words[0], e.Words[1:]...)
}

// firstLine returns the first line of a hook's output.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
