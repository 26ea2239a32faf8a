package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// The delivery matrix: agent × state of its session × 20 handoffs.
//
// The 20 handoffs of a cell arrive in batches of 1, 2 or 3, and none of them is read. After each batch the session gets
// into the state once, and each handoff of the batch must be named, by its id, in a request to the model that follows. So
// a cell is 10 trials of the real agent, and 20 handoffs that must be told, each when it is news. A batch is as small as
// an announcement has room for (3); the report of a starting session names the newest 10, so at its last trial 10 of 20
// are named, 10 are counted, and all of this is compared.
//
// A session gets at most one announcement in a minute. So that a cell takes seconds, each arrival puts the time of the last
// announcement in the note of the session back, as if a minute had passed.
//
// Beside that, a cell fails if the note of a session lacks what its requests named, if a handoff is announced twice to a
// session, if a hook marks as read, or if even the fastest run of a hook takes 2 s.
//
// Tokens are a quarter of the characters of the texts of the hook.

// batches are the handoffs that arrive together; 20 in all.
var batches = []int{1, 2, 3, 1, 2, 3, 1, 2, 3, 2}

// A state is one in which a handoff finds a session.
type state struct {
	name string
	play func(*cell)
}

// states are those of the matrix.
var states = []state{
	{"start", (*cell).start},
	{"prompt", (*cell).prompt},
	{"tool", (*cell).tool},
	{"resume", (*cell).resume},
	{"after compaction", (*cell).compact},
	{"clear", (*cell).clear},
	{"headless", (*cell).headless},
}

// A cell is one of the matrix: trials with one agent in one state.
type cell struct {
	*desk
	a       coder
	state   string
	batches []int
	mu      sync.Mutex
	written []string // the short ids of what has arrived
	reached int
	roles   map[string]bool
	seen    map[string]map[string]bool // by session: the ids in its requests
	from    int                        // the requests from here on must name the batch
	faults  []string
}

// newCell returns a cell whose agent has the hooks as `handoff install` leaves them, and runs the wrapper.
func newCell(t *testing.T, a coder, s state, mutation string, batches []int) *cell {
	t.Helper()
	c := &cell{desk: newDesk(t, a), a: a, state: s.name, batches: batches, roles: map[string]bool{}, seen: map[string]map[string]bool{}}
	c.sh("handoff mark-read " + c.id + " ben && handoff install " + a.name + " --operator ben")
	c.wrap(a, mutation)
	return c
}

// fault notes what is wrong in a cell.
func (c *cell) fault(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// arrive writes n handoffs to ben, and lets a minute pass.
func (c *cell) arrive(n int) (ids []string) {
	for range n {
		k := len(c.written)
		at := time.Now().Add(time.Duration(k)*time.Second - time.Hour).UTC().Format(time.RFC3339)
		cmd := c.command(bin+"/handoff", "write", "-", "--from", "ann", "--to", "ben", "--topic", fmt.Sprintf("work-%02d", k+1), "--ts", at)
		cmd.Stdin = strings.NewReader(fmt.Sprintf("Plan %d.\n", k+1))
		out, err := cmd.Output()
		var row struct {
			ID string `json:"handoff_id"`
		}
		if err != nil || json.Unmarshal(out, &row) != nil {
			c.fault("write: %v, %s", err, out)
			return ids
		}
		id := strings.TrimPrefix(row.ID, "sha256:")[:12]
		ids, c.written = append(ids, id), append(c.written, id)
	}
	c.minutePasses()
	return ids
}

var toldAt = regexp.MustCompile(`^(.*\n).*`) // the directory, and when the session was told last

// notes returns the files in which the hooks remember the sessions.
func (c *cell) notes() []string {
	notes, _ := filepath.Glob(filepath.Join(c.home, ".local/state/handoff/heard/*/note")) // a good pattern
	return notes
}

// minutePasses makes the last announcement of each session an old one.
func (c *cell) minutePasses() {
	for _, note := range c.notes() {
		text, err := os.ReadFile(note)
		if err == nil {
			err = os.WriteFile(note, toldAt.ReplaceAll(text, []byte("${1}2001-01-01T00:00:00Z")), 0o600)
		}
		if err != nil {
			c.fault("%v", err)
		}
	}
}

// session returns the session of the last hook.
func (c *cell) session() string {
	all := c.records()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].stdin("session_id", "sessionId")
}

// look notes which handoffs are in requests of the session.
func (c *cell) look(requests []any) {
	session := c.session()
	if c.seen[session] == nil {
		c.seen[session] = map[string]bool{}
	}
	for _, r := range requests {
		whole := text(r)
		for _, id := range c.written {
			if strings.Contains(whole, id) {
				c.seen[session][id] = true
			}
		}
	}
}

// expect notes which handoffs of a batch are in a request to the model.
func (c *cell) expect(ids []string, requests []any) {
	for _, id := range ids {
		var found sighting
		for _, r := range requests {
			look(r, "", id, &found)
		}
		if found.count == 0 {
			c.fault("%s is in no request", id)
			continue
		}
		c.reached++
		c.roles[found.role] = true
	}
}

// trials has the session hear of each batch: happen brings it into the state and has the model asked.
func (c *cell) trials(happen func(n int)) {
	c.Helper()
	for n, size := range c.batches {
		ids := c.arrive(size)
		c.from = c.model.count()
		before := c.from
		happen(n)
		c.look(c.model.since(before))
		c.expect(ids, c.model.since(c.from))
	}
}

func (c *cell) start() {
	c.trials(func(n int) {
		t := c.a.open(c.desk)
		t.asks(fmt.Sprint("begin ", n), "begin")
		t.ends()
	})
}

func (c *cell) headless() {
	c.trials(func(int) { c.agent(c.a.turn("begin")...) })
	var last string
	for _, r := range c.records() {
		if text := r.output(); text != "" {
			last = text
		}
	}
	all, more := len(c.written), len(c.written)-10
	if !strings.Contains(last, fmt.Sprint(all, " unread handoffs for ben")) || more > 0 && !strings.Contains(last, fmt.Sprintf("and %d more: `handoff list --unread --to ben`", more)) {
		c.fault("the report of the last session does not count all %d: %q", all, last)
	}
}

func (c *cell) resume() {
	c.agent(c.a.turn("begin")...)
	c.trials(func(int) { c.agent(c.a.resume("go on")...) })
}

// clear has each batch arrive before the session is cleared.
func (c *cell) clear() {
	t := c.a.open(c.desk)
	t.asks("begin", "begin")
	c.trials(func(n int) {
		before := len(c.records())
		t.types("/clear")
		until(func() bool { return len(c.records()) > before })
		time.Sleep(2 * time.Second) // it draws itself again, and loses what is typed
		t.asks(fmt.Sprint("again ", n), "again")
	})
	t.ends()
}

// compact has the session told of each batch, compacts it, and asks it again: what it was told is there once more. An
// agent that runs no hook after a compaction forgets what its session was told before; there each batch arrives before
// the compaction, untold.
func (c *cell) compact() {
	t := c.a.open(c.desk)
	t.asks("begin", "begin")
	long := strings.Repeat("This is said at length. ", 150) + "\n\n" // Qwen Code drops a summary that saves nothing
	c.model.claims(40_000)
	c.trials(func(n int) {
		if !c.a.forgets {
			t.hears(fmt.Sprint("hear ", n), "hear", long)
		}
		from := c.model.count()
		t.types(c.a.compacts)
		until(func() bool { return c.model.count() > from })
		time.Sleep(2 * time.Second)
		c.from = c.model.count()
		t.asks(fmt.Sprint("after ", n), "after")
		if requests := c.model.since(c.from); !c.a.forgets && len(requests) > 0 && strings.Contains(text(requests[0]), long[:23]) {
			c.fault("the session was not compacted:\n%s", t.screen())
		}
	})
	t.ends()
}

// until waits for at most 30 s until something is so; the trial then shows whether it is.
func until(isSo func() bool) {
	for range 300 {
		if isSo() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// tool has each batch arrive while the model thinks, before it runs a tool.
func (c *cell) tool() {
	var arrived [][]string
	var at []int
	var script []step
	for n, size := range c.batches {
		s := c.a.shell(fmt.Sprint("echo ", n)) // the same call again and again ends a turn of Gemini CLI
		s.before = func() {
			at = append(at, c.model.count())
			arrived = append(arrived, c.arrive(size))
		}
		script = append(script, s)
	}
	c.model.reset(append(script, c.a.shell("echo end"))...)
	c.agent(c.a.turn("begin")...)
	c.look(c.model.since(0))
	if len(at) != len(c.batches) {
		c.fault("the agent ran %d tools", len(at))
	}
	for n, ids := range arrived {
		if next := c.model.since(at[n]); len(next) > 0 {
			c.expect(ids, next[:1])
		}
	}
}

// prompt has a session hear at the next prompt.
func (c *cell) prompt() {
	t := c.a.open(c.desk)
	t.asks("begin", "begin")
	c.trials(func(n int) { t.asks(fmt.Sprint("and now ", n), "and now") })
	t.ends()
}

// finish compares what the session was told with what is remembered.
func (c *cell) finish() {
	known := c.known()
	for session, seen := range c.seen {
		for id := range seen {
			if !known[session][id] {
				c.fault("session %s was told %s, and its note lacks it", session, id)
			}
		}
	}
	if unread := strings.Fields(c.sh(bin + "/handoff list --unread --to ben --format ids")); len(unread) != len(c.written) {
		c.fault("%d of %d are still unread", len(unread), len(c.written))
	}
	c.checkHooks()
}

// checkHooks compares the runs of hooks with what they promise.
func (c *cell) checkHooks() {
	announced := map[string]bool{}
	fastest := time.Hour
	for _, r := range c.records() {
		fastest = min(fastest, r.Duration)
		text := r.output()
		for _, id := range digits.FindAllString(text, -1) {
			key := r.stdin("session_id", "sessionId") + id
			if running := r.Args[1] != "session-start"; running && announced[key] && strings.Count(text, id) == 1 {
				c.fault("%s is announced twice", id)
			}
			announced[key] = true
		}
	}
	if fastest >= 2*time.Second {
		c.fault("the fastest run of a hook took %v", fastest)
	}
}

// known returns the short ids in the notes, by session.
func (c *cell) known() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, note := range c.notes() {
		text, err := os.ReadFile(note)
		fields := strings.Split(string(text), "\n")
		if err != nil || len(fields) < 5 {
			c.fault("%s: %v, %q", note, err, text)
			continue
		}
		all[fields[4]] = map[string]bool{}
		for _, id := range strings.Fields(fields[3]) {
			all[fields[4]][id] = true
		}
	}
	return all
}

func keys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// tokens returns the number of tokens of the shortest and the longest text.
func (c *cell) tokens() string {
	var all []int
	for _, r := range c.records() {
		if text := r.output(); text != "" {
			all = append(all, tokens(text))
		}
	}
	if all == nil {
		return "0"
	}
	least, most := slices.Min(all), slices.Max(all)
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func tokens(text string) int { return utf8.RuneCountInString(text) / 4 }

// row returns the cell as a row of the table.
func (c *cell) row() string {
	all := 0
	for _, n := range c.batches {
		all += n
	}
	return fmt.Sprintf("| %s | %s | %d %% | %s | %s |", c.a.title, c.state, 100*c.reached/all, strings.Join(keys(c.roles), ", "), c.tokens())
}

var table []string

// TestMatrix plays each cell, and prints the table.
func TestMatrix(t *testing.T) {
	for _, a := range coders {
		t.Run(a.name, func(t *testing.T) {
			for _, s := range states {
				t.Run(s.name, func(t *testing.T) {
					c := newCell(t, a, s, "", batches)
					defer func() { table = append(table, c.row()) }()
					s.play(c)
					c.finish()
					for _, f := range c.faults {
						t.Error(f)
					}
				})
			}
		})
	}
	if len(table) > 0 {
		fmt.Println("| agent | a handoff finds the session | told | role | tokens |\n|---|---|---|---|---|")
		fmt.Println(strings.Join(table, "\n"))
	}
}

// A work is what one agent does with the tools of MCP, and with the commands in its shell.
type work struct{ *cell }

// newWork returns a desk whose agent has the server, or the commands, of the wrapper.
func newWork(t *testing.T, a coder, mutation string) work {
	t.Helper()
	c := newCell(t, a, state{name: "work"}, mutation, nil)
	c.a.mcp(c.desk)
	return work{c}
}

// stateOf returns the state of a handoff, as the store has it.
func (w work) stateOf(id string) string {
	var row struct{ State string }
	for line := range strings.Lines(w.sh(bin + "/handoff list --all --json")) {
		if strings.Contains(line, `"handoff_id":"sha256:`+id) {
			_ = json.Unmarshal([]byte(line), &row)
		}
	}
	return row.State
}

// play has one session read, take, answer and finish a handoff, and notes what did not happen: in the store, whatever the
// agent was told.
func (w work) play(way string) {
	id := w.arrive(1)[0]
	tool := func(name string, args map[string]any) step {
		args["id"] = id
		return step{tool: "handoff_" + name, args: args}
	}
	calls := []step{tool("read", map[string]any{}), tool("take", map[string]any{"operator": "ben"}), tool("reply", map[string]any{"body": "Fine."}),
		tool("done", map[string]any{"operator": "ben"}), {tool: "handoff_read", args: map[string]any{"id": "ffffffffffff"}}}
	if way == "shell" {
		program := filepath.Join(w.home, "rec/handoff")
		calls = []step{w.a.shell(program + " read " + id + " --agent"), w.a.shell(program + " take " + id + " --operator ben"),
			w.a.shell("echo Fine | " + program + " reply " + id + " -"), w.a.shell(program + " done " + id + " --operator ben"), w.a.shell("echo end")}
	}
	states := map[int]string{2: "taken", 4: "done"}
	for i := range calls { // a call is made when the result of the one before is there
		calls[i].before = func() {
			if want := states[i]; want != "" && w.stateOf(id) != want {
				w.fault("%s: before call %d the handoff is %s, not %s", way, i+1, w.stateOf(id), want)
			}
		}
	}
	w.model.reset(calls...)
	w.agent(w.a.turn("begin")...)
	read := strings.Join(answers(w.model.last(), nil), "\n")
	if !strings.Contains(read, "| Plan") || !strings.Contains(read, "<untrusted-content") {
		w.fault("%s: read without a frame: %.300q", way, read)
	}
	if answered := strings.Fields(w.sh(bin + "/handoff list --all --to ann --format ids")); len(answered) != 1 {
		w.fault("%s: %d answers after reply: %.2000q", way, len(answered), read)
	}
	if n := strings.Count(w.read("rec/mcp.jsonl"), `"isError":true`); way == "MCP" && n != 1 {
		w.fault("the server has sent %d errors, not 1", n)
	}
}

// answers returns the results of tools in a request, in the forms of all interfaces.
func answers(v any, all []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"functionResponse", "output", "content"} {
			isResult := v["type"] == "tool_result" || v["type"] == "function_call_output" || v["role"] == "tool"
			if v[key] != nil && (isResult || key == "functionResponse") {
				return append(all, words(v[key]))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = answers(v[key], all)
		}
	case []any:
		for _, inner := range v {
			all = answers(inner, all)
		}
	}
	return all
}

// words returns the strings in a value, as a model reads them.
func words(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var all []string
		for _, inner := range v {
			all = append(all, words(inner))
		}
		return strings.Join(all, "\n")
	case map[string]any:
		var all []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "type" && key != "id" && key != "name" && key != "cache_control" {
				all = append(all, words(v[key]))
			}
		}
		return strings.Join(all, "\n")
	}
	return ""
}

// TestMatrixWork has each agent read, take, answer and finish, by its tools and in its shell.
func TestMatrixWork(t *testing.T) {
	each(t, func(d *desk, a coder) {
		for _, way := range []string{"MCP", "shell"} {
			w := newWork(d.T, a, "")
			w.play(way)
			for _, f := range w.faults {
				d.Errorf("%s", f)
			}
		}
	})
}

// TestMatrixMutations spoils what the agent gets, in seven ways, and expects that each is noticed.
func TestMatrixMutations(t *testing.T) {
	hooks := []string{slower, noIDs, marksRead}
	each(t, func(d *desk, a coder) {
		for _, mutation := range mutations {
			d.Run(mutation, func(t *testing.T) {
				var faults []string
				if slices.Contains(hooks, mutation) {
					c := newCell(t, a, state{name: "headless"}, mutation, []int{1, 2})
					c.headless()
					c.finish()
					faults = c.faults
				} else {
					w := newWork(t, a, mutation)
					w.play("MCP")
					faults = w.faults
				}
				if len(faults) == 0 {
					t.Fatal("nobody noticed")
				}
				fmt.Printf("| %s | %s | %s |\n", a.title, mutation, strings.ReplaceAll(faults[0][:min(len(faults[0]), 90)], "\n", " "))
			})
		}
	})
}

// TestMatrixTokens takes over a packet and finishes it, in two calls, and counts what the model has to read and write for it:
// the calls and their results. What the hook says is counted apart, and so are the words that Qwen Code adds to the output
// of a shell.
func TestMatrixTokens(t *testing.T) {
	const most = 500
	each(t, func(d *desk, a coder) {
		for _, way := range []string{"MCP", "shell", "shell with --reply"} {
			w := newWork(d.T, a, "")
			w.sh(bin + "/handoff create --kind packet --from ann --to ben --topic parser --objective 'The parser refuses what RFC 8259 refuses' " +
				"--completed 'Wrote the tokenizer in lib/parse/token.go; go test ./lib/parse passes' --unresolved 'FuzzParse fails on lone surrogates' " +
				"--assumption 'Input is UTF-8' --next-action 'Handle lone surrogates in lib/parse/text.go, then run FuzzParse for a minute' --risk 'Files written before version 2 may be refused'")
			id := strings.TrimPrefix(strings.TrimSpace(w.sh(bin+"/handoff list --topic parser --format ids")), "sha256:")[:12]
			calls := []step{
				{tool: "handoff_resume", args: map[string]any{"id": id, "operator": "ben"}},
				{tool: "handoff_done", args: map[string]any{"id": id, "operator": "ben", "note": "Lone surrogates are refused now."}},
			}
			finish := map[string]string{"shell": "handoff done " + id + " --operator ben --note 'Lone surrogates are refused now.'",
				"shell with --reply": "echo 'Lone surrogates are refused now.' | handoff done " + id + " --operator ben --reply -"}[way]
			if finish != "" {
				calls = []step{a.shell("handoff resume " + id + " --operator ben"), a.shell(finish)}
			}
			n := 0
			for i, call := range calls {
				n += tokens(text(call.args))
				if finish != "" {
					for key, v := range call.args {
						call.args[key] = strings.ReplaceAll(text(v), "handoff ", filepath.Join(w.home, "rec/handoff")+" ")
					}
				}
				calls[i] = call
			}
			w.model.reset(calls...)
			w.agent(a.turn("begin")...)
			added := 0
			for _, answer := range answers(w.model.last(), nil) {
				if strings.HasPrefix(answer, "<functions>") { // what a search has found is no answer of ours
					continue
				}
				answer = strings.ReplaceAll(answer, filepath.Join(w.home, "rec/handoff"), "handoff")
				n += tokens(answer)
				if a.adds != "" {
					added += tokens(answer) - tokens(regexp.MustCompile(a.adds).ReplaceAllString(answer, ""))
				}
			}
			hook := 0
			for _, r := range w.records() {
				hook += tokens(r.output())
			}
			if w.stateOf(id) != "done" || n-added > most {
				d.Errorf("%s, %s: the packet is %q after 2 calls of %d tokens; want done, at most %d", a.name, way, w.stateOf(id), n-added, most)
			}
			fmt.Printf("| %s | %s | 2 calls | %d tokens | %d of them added by the shell | %d of the hook |\n", a.title, way, n, added, hook)
		}
	})
}
