package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// The moments in a session at which its agent runs a hook of ours.
const (
	Start  = "session-start"
	Prompt = "prompt" // a person sends a prompt
	Tool   = "tool"   // a tool has run
	End    = "session-end"
)

// A Hook is one run of a hook.
type Hook struct {
	memory.Hook                 // the command line
	Reading     *memory.Reading // its input

	Parent         int    // the process that runs it
	Cwd            string // its directory, "" if that is gone
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Flags          handoff.ProjectFlags
	Patience       time.Duration          // the time limit: after it the output so far is printed; 0 is a second
	Options        func(*handoff.Options) // edits the options of a project

	agent Agent        // the row of the agent that runs the hook
	in    memory.Input // what it says
	self  string       // the session
	until time.Time
}

// Run runs a hook. It prints what the session needs to hear, or nothing, and returns shortly after its patience. If
// something fails, it prints at most one line on Stderr. It changes nothing but leases, and the user's state.
func (h Hook) Run() {
	h.until = time.Now().Add(cmp.Or(h.Patience, memory.Patience))
	late := h.until.Add(100 * time.Millisecond)
	switch err, inTime := within(time.Until(late), h.run); {
	case h.Event != Start: // the start of the session reports what is wrong
	case !inTime:
		fmt.Fprintln(h.Stderr, "handoff: the handoffs could not be read in time")
	case err != nil:
		fmt.Fprintln(h.Stderr, "handoff: "+handoff.EscapeLine(fault.Plain(err)))
	}
	if h.Agent != plain.Name {
		h.Reading.Drain(h.until)
	}
}

// within calls do, and waits for it no longer than a time. A panic becomes its error: a hook never harms the session.
func within(wait time.Duration, do func() error) (err error, inTime bool) {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if bug := recover(); bug != nil {
				done <- fmt.Errorf("internal error: %v", bug)
			}
		}()
		done <- do()
	}()
	select {
	case err := <-done:
		return err, true
	case <-time.After(wait):
		return nil, false
	}
}

// run looks for what is new in each project of the session, and prints it.
func (h Hook) run() (err error) {
	if h.agent, err = running(h.Agent, h.Getenv); err != nil {
		return err
	}
	if h.Agent != plain.Name || h.Event != Start { // any program can run the plain script
		h.in = h.Reading.Input(time.Until(h.until) / 2)
	}
	n, unlock := h.remember()
	defer unlock()
	where := h.in.Where(h.Getenv, func() (string, error) { return h.Cwd, nil })
	if h.isLive() && (n.Path() == "" || !n.MustLook(where)) { // without a memory, every event would tell the same
		return nil
	}
	source := h.in.Text("source")
	if h.Event == Start && !slices.Contains(h.agent.Keeps, source) {
		n.Known, n.Told = "", time.Time{}
	}
	said, err := h.look(&n, where)
	if slices.Contains(h.agent.Drops, source) { // the text reaches no model: the next prompt tells
		n.Files, said = nil, report{text: form.NewBudget(0)}
	}
	if n.Learn(said.learn); said.text.String() != "" && h.isLive() {
		n.Told = time.Now()
	}
	if n.Write() != nil && h.isLive() { // what cannot be remembered would be told again and again
		return nil
	}
	return cmp.Or(h.print(said.text.String(), strings.Join(said.notices, ", ")), err)
}

// look does what is due in each project of the session, and returns what the session has to hear.
func (h Hook) look(n *memory.Note, where string) (said report, err error) {
	stores, why := h.stores()
	said = report{text: form.NewBudget(maxOutput)}
	mustTell := h.Event == Start || h.isLive() && !n.IsQuiet() && !n.IsUnchanged(where)
	n.Where, n.Renew = where, time.Time{}
	if mustTell {
		n.Files = make(map[string]string)
	}
	for _, s := range stores {
		s.hook, s.knows = h, setOf(strings.Fields(n.Known))
		s.renew(n)
		if mustTell {
			n.Stamp(filepath.Join(s.project.Options.StateDir, log.FileName))
			err = cmp.Or(err, s.tell(&said))
		}
		if h.Event == End {
			err = cmp.Or(err, s.leave(*n))
		}
	}
	return said, cmp.Or(err, why)
}

func (h Hook) isLive() bool { return h.Event == Prompt || h.Event == Tool }

// renew extends the leases of the session, and notes when that is due again.
func (o opened) renew(n *memory.Note) {
	next, _ := o.store.Lifecycle().Renew(context.Background(), o.operator, o.hook.self) // a busy store waits
	if !next.IsZero() && (n.Renew.IsZero() || next.Before(n.Renew)) {
		n.Renew = next
	}
}

// remember returns the memory of the session, locked: two hooks at once tell once. Another hook that is running now
// has its lock, and this one tells nothing.
func (h *Hook) remember() (n memory.Note, unlock func()) {
	unlock = func() {}
	state := memory.State(h.Getenv)
	id := h.in.Session()
	if state == "" || id == "" {
		return n, unlock
	}
	h.self = Identify(Caller{h.Getenv, h.Parent, id, h.in.Text("source") == "clear"}).Session
	n = memory.Read(state, id)
	d, err := disk.Make(filepath.Dir(n.Path()), disk.Modes{})
	if err != nil {
		return memory.Note{}, unlock
	}
	defer d.Close()
	if n.Began.IsZero() && n.Write() != nil {
		return memory.Note{}, unlock
	}
	if unlock, err = d.Lock(context.Background(), filepath.Base(n.Path()), 1); err != nil {
		return memory.Note{}, func() {}
	}
	return memory.Read(state, id), unlock
}

// print prints a text in the envelope of the agent, if there is one.
func (h Hook) print(text, notice string) error {
	if text == "" {
		return nil
	}
	if envelope := h.agent.Envelope; envelope != nil {
		var out bytes.Buffer
		_ = json.Compact(&out, fill(envelope, "EVENT", form.JSONLine(h.agent.event(h.Event)), "TEXT",
			form.JSONLine(text), "NOTICE", form.JSONLine(notice))) // a test fills every template
		text = out.String() + "\n"
	}
	if _, err := io.WriteString(h.Stdout, text); !errors.Is(err, syscall.EPIPE) { // an agent can leave
		return err
	}
	return nil
}

// stores opens the stores of the projects that the session works in. An error is about what cannot be used.
func (h Hook) stores() (all []opened, why error) {
	groups := h.in.Places(h.Getenv)
	var dirs []string
	for i, group := range groups {
		groups[i] = slices.DeleteFunc(group, func(dir string) bool {
			info, err := os.Stat(dir)
			isGone := err != nil || !info.IsDir()
			if isGone {
				why = cmp.Or(why, fault.Config("", "the directory %s, which the agent names, is gone", fault.Own(dir)))
			}
			return isGone
		})
		dirs = append(dirs, groups[i]...)
	}
	if dirs == nil {
		groups = [][]string{{h.Cwd}}
	}
	for _, group := range groups {
		for _, dir := range group {
			o, err := h.open(dir)
			isKnown := slices.ContainsFunc(all, func(s opened) bool { return s.project.Root == o.project.Root })
			switch {
			case err != nil:
				why = cmp.Or(why, err)
			case o.store != nil && !isKnown:
				all = append(all, o)
			}
		}
		if all != nil {
			break
		}
	}
	return all, why
}

// An opened project is one that the session works in.
type opened struct {
	hook     Hook
	project  handoff.Project
	store    *handoff.Store
	operator string          // "" if unknown
	warning  *string         // what is wrong with the store, as far as it was read, or ""
	knows    map[string]bool // what the session was told
}

// open opens the store of the project around a directory. Outside of a project there is none.
func (h Hook) open(dir string) (o opened, err error) {
	if dir == "" {
		return o, nil
	}
	if o.project, err = handoff.LoadProject(dir, h.Getenv, h.Flags); err != nil {
		return o, err
	}
	if o.project.Exists() != nil {
		return o, nil
	}
	if h.Options != nil {
		h.Options(&o.project.Options)
	}
	o.operator = cmp.Or(h.Operator, o.project.Me())
	o.warning = new(string)
	o.project.Options.Warn = func(text string) { *o.warning = text }
	o.store, err = handoff.Open(o.project.Options)
	return o, err
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
