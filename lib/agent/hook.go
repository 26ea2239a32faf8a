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
	Event, Agent, Operator string
	Bodies                 bool // at the start, bodies are shown in frames

	Parent         int    // the process that runs it
	Cwd            string // its directory, "" if that is gone
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Flags          handoff.ProjectFlags
	Patience       time.Duration          // the time limit: after it the output so far is printed; 0 is a second
	Options        func(*handoff.Options) // edits the options of a project
	Started        func(root string)      // is called for each project in which a session starts

	agent Agent  // the row of the agent that runs the hook
	in    input  // what it says
	self  string // the session
	until time.Time
}

// Run runs a hook. It prints what the session needs to hear, or nothing, and returns shortly after its patience. If
// something fails, it prints at most one line on Stderr. It changes nothing but leases, and the user's state.
func (h Hook) Run() {
	h.until = time.Now().Add(cmp.Or(h.Patience, time.Second))
	said, ended, done := make(chan input, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(ended)
		said <- decode(h.Stdin)
		_, _ = io.Copy(io.Discard, h.Stdin) // some agents fail if their hook stops reading
	}()
	go func() {
		defer func() {
			if bug := recover(); bug != nil { // a hook never harms the session
				done <- fmt.Errorf("internal error: %v", bug)
			}
		}()
		select {
		case h.in = <-said:
		case <-time.After(time.Until(h.until) / 2):
		}
		done <- h.run()
	}()
	err := errors.New("the handoffs could not be read in time")
	select {
	case err = <-done:
	case <-time.After(time.Until(h.until) + 100*time.Millisecond):
	}
	if err != nil && h.Event == Start { // the start of the session reports what is wrong
		fmt.Fprintln(h.Stderr, "handoff: "+handoff.EscapeLine(fault.Plain(err)))
	}
	select {
	case <-ended:
	case <-time.After(time.Until(h.until)):
	}
}

// run looks for what is new in each project of the session, and prints it.
func (h Hook) run() (err error) {
	if h.agent, err = running(h.Agent, h.Getenv); err != nil {
		return err
	}
	n, unlock := h.remember()
	defer unlock()
	places, source := h.in.places(h.Getenv), h.in.text("source")
	if places == nil {
		places = [][]string{{h.Cwd}}
	}
	where := strings.ReplaceAll(strings.Join(slices.Concat(places...), "\x00"), "\n", "\x01")
	mustTell := h.Event == Start || h.isLive() && n.MustTell(where)
	switch {
	case h.isLive() && (n.Path() == "" || !mustTell && !n.MustRenew()): // every event would tell the same
		return nil
	case h.Event == Start && !slices.Contains(h.agent.Keeps, source):
		n.Known, n.Told = "", 0
	}
	n.Where, n.Renew = where, 0
	stores, why := h.stores(places)
	r, err := h.look(&n, stores, mustTell)
	err = cmp.Or(why, err)
	if slices.Contains(h.agent.Drops, source) { // the text reaches no model: the next prompt tells
		n.Files, r = nil, report{text: form.NewBudget(0)}
	}
	text := r.text.String()
	n.Known = strings.Join(append(r.learn, strings.Fields(n.Known)...), " ")
	if text != "" && h.isLive() {
		n.Told, text = time.Now().Unix(), strings.ReplaceAll(strings.TrimSpace(text), "\n", " ")+"\n"
	}
	if n.Write() != nil && h.isLive() { // what cannot be remembered would be told again and again
		return nil
	}
	err = cmp.Or(h.print(text, strings.Join(r.notices, ", ")), err)
	for _, s := range stores {
		if h.Event == Start && h.Started != nil {
			h.Started(s.project.Root)
		}
	}
	return err
}

// look does what is due in each project of the session, and returns what the session has to hear.
func (h Hook) look(n *memory.Note, stores []opened, mustTell bool) (r report, err error) {
	r = report{text: form.NewBudget(maxOutput)}
	if mustTell {
		n.Files = make(map[string]string)
	}
	for _, s := range stores {
		s.renew(n)
		s.knows = strings.Fields(n.Known)
		if mustTell {
			n.Stamp(filepath.Join(s.project.Options.StateDir, log.FileName))
			err = cmp.Or(s.tell(&r), err)
		}
		if h.Event == End {
			err = cmp.Or(s.leave(*n), err)
		}
	}
	return r, err
}

func (h Hook) isLive() bool { return h.Event == Prompt || h.Event == Tool }

// renew extends the leases of the session, and notes when that is due again.
func (o opened) renew(n *memory.Note) {
	next, _ := o.store.Lifecycle().Renew(context.Background(), o.operator, o.hook.self) // a busy store waits
	if at := next.Unix(); !next.IsZero() && (n.Renew == 0 || at < n.Renew) {
		n.Renew = at
	}
}

// remember returns the memory of the session, locked: two hooks at once tell once. Another hook that is running now
// has its lock, and this one tells nothing.
func (h *Hook) remember() (n memory.Note, unlock func()) {
	unlock = func() {}
	state, id := memory.State(h.Getenv), h.in.session()
	if state == "" || id == "" {
		return n, unlock
	}
	h.self = Identify(Caller{h.Getenv, h.Parent, id, h.in.text("source") == "clear"}).Session
	n = memory.Read(state, id)
	d, err := disk.Make(filepath.Dir(n.Path()), disk.Modes{})
	if err != nil {
		return memory.Note{}, unlock
	}
	defer d.Close()
	if n.Began == 0 && n.Write() != nil {
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
		_ = json.Compact(&out, []byte(fill(envelope, "EVENT", form.JSONLine(h.agent.event(h.Event)), "TEXT",
			form.JSONLine(text), "NOTICE", form.JSONLine(notice)))) // a test fills every template
		text = out.String() + "\n"
	}
	if _, err := io.WriteString(h.Stdout, text); !errors.Is(err, syscall.EPIPE) { // an agent can leave
		return err
	}
	return nil
}

// An opened project is one that the session works in.
type opened struct {
	hook     Hook
	project  handoff.Project
	store    *handoff.Store
	operator string   // "" if unknown
	warning  *string  // what is wrong with the store, as far as it was read, or ""
	knows    []string // what the session was told
}

// stores opens the stores of the projects that the session works in: those of the first of some places in which there
// is one. If none of the places exists, it is the directory of the process. An error is about what cannot be used.
func (h Hook) stores(places [][]string) (all []opened, why error) {
	exists := false
	for i, group := range append(places, []string{h.Cwd}) {
		if all != nil || i == len(places) && exists {
			break
		}
		for _, dir := range group {
			info, err := os.Stat(dir)
			isGone := err != nil || !info.IsDir()
			if isGone && dir != h.Cwd {
				err = fault.Config("", "the directory %s, which the agent names, is gone", fault.Own(dir))
				why = cmp.Or(why, err)
			}
			if isGone {
				continue
			}
			exists = true
			o, err := h.open(dir)
			why = cmp.Or(why, err)
			isKnown := slices.ContainsFunc(all, func(s opened) bool { return s.project.Root == o.project.Root })
			if err == nil && o.store != nil && !isKnown {
				all = append(all, o)
			}
		}
	}
	return all, why
}

// open opens the store of the project around a directory. Outside of a project there is none.
func (h Hook) open(dir string) (o opened, err error) {
	if o.project, err = handoff.LoadProject(dir, h.Getenv, h.Flags); err != nil || o.project.Exists() != nil {
		return o, err
	}
	if h.Options != nil {
		h.Options(&o.project.Options)
	}
	o.hook, o.operator, o.warning = h, cmp.Or(h.Operator, o.project.Me()), new(string)
	o.project.Options.Warn = func(text string) { *o.warning = text }
	o.store, err = handoff.Open(o.project.Options)
	return o, err
}
