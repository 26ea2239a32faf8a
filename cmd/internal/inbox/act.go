package inbox

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A storeChange is a change of one handoff in the store, with its messages.
type storeChange struct {
	doing, done string
	idle        string // the message if nothing changed
	do          changer
}

// A changer changes a handoff, and returns the status of the receipt.
type changer func(ctx context.Context, s *handoff.Store, me, id string) (status string, err error)

var (
	markRead   = storeChange{"marking as read", "marked as read", "was read before", marks((*handoff.Store).MarkRead)}
	markUnread = storeChange{"marking as unread", "unread again", "was not read", marks((*handoff.Store).MarkUnread)}
)

func marks(mark func(*handoff.Store, context.Context, string, ...string) ([]handoff.MarkReceipt, error)) changer {
	return func(ctx context.Context, s *handoff.Store, me, id string) (string, error) {
		got, err := mark(s, ctx, me, id)
		if err != nil {
			return "", err
		}
		return got[0].Status, nil
	}
}

func does(act handoff.Act) changer {
	return func(ctx context.Context, s *handoff.Store, me, id string) (string, error) {
		got, err := s.Act(ctx, act, id, handoff.Consumption{Operator: me})
		return got.Status, err
	}
}

var (
	take      = storeChange{"taking", "taken", "was yours before", does(handoff.ActTake)}
	release   = storeChange{"releasing", "released", "was not taken", does(handoff.ActRelease)}
	end       = storeChange{"finishing", "done", "was done before", does(handoff.ActDone)}
	archive   = storeChange{"archiving", "archived", "was archived before", does(handoff.ActArchive)}
	reopen    = storeChange{"reopening", "open again", "was not done", does(handoff.ActReopen)}
	unarchive = storeChange{"unarchiving", "unarchived", "was not archived", does(handoff.ActUnarchive)}
)

func archiveOrBack(m *model) tea.Cmd {
	if r := m.chosen(); r != nil && r.state == handoff.StateArchived {
		return act(unarchive)(m)
	}
	return act(archive)(m)
}

// An undo reverts the change of one key.
type undo struct {
	storeChange
	id, title string
}

// inverse returns the change that reverts d on a handoff that was in a state, or false.
func inverse(d storeChange, was handoff.State) (storeChange, bool) {
	back, ok := map[string]storeChange{
		take.done: release, release.done: take, end.done: reopen, archive.done: unarchive, unarchive.done: archive,
		markRead.done: markUnread,
	}[d.done]
	undo, again := back.do, map[handoff.State]storeChange{handoff.StateTaken: take, handoff.StateRead: markRead}[was].do
	if again != nil && (d.done == take.done || d.done == end.done) { // what is released or reopened is unread
		back.do = func(ctx context.Context, s *handoff.Store, me, id string) (string, error) {
			status, err := undo(ctx, s, me, id)
			if err == nil {
				_, err = again(ctx, s, me, id)
			}
			return status, err
		}
	}
	return back, ok
}

// actedMsg is the result of a change, or of a sync.
type actedMsg struct {
	said string
	err  error
	undo *undo // nil if nothing can be undone
}

// act returns the action of a key that changes the chosen handoff.
func act(d storeChange) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		r := m.chosen()
		switch {
		case r == nil:
			return nil
		case m.me == "":
			return m.fail("I don't know who you are: run `handoff init`, or set HANDOFF_OPERATOR")
		}
		id, title, was := r.ID, m.titleOf(r), r.state
		return m.inTurn(func() tea.Cmd { return m.do(d, id, title, was) })
	}
}

// inTurn runs a change, after those that are in progress: u and what follows see their results.
func (m *model) inTurn(change func() tea.Cmd) tea.Cmd {
	if m.working > 0 {
		m.queue = append(m.queue, change)
		return nil
	}
	return change()
}

// nextChange starts the change that waited longest.
func (m *model) nextChange() (cmd tea.Cmd) {
	for m.working == 0 && len(m.queue) > 0 {
		change := m.queue[0]
		m.queue = m.queue[1:]
		cmd = change()
	}
	if m.leaving && m.working == 0 {
		return tea.Quit
	}
	return cmd
}

// do changes a handoff. u brings it back to the state that it was in, unless was is "".
func (m *model) do(d storeChange, id, title string, was handoff.State) tea.Cmd {
	s, me := m.store, m.me
	m.working++
	m.say(d.doing + " " + title + "…")
	return func() tea.Msg {
		status, err := d.do(context.Background(), s, me, id)
		msg := actedMsg{said: "\"" + title + "\" is " + d.done, err: err}
		if err == nil && status == handoff.StatusExisting {
			msg.said = title + ": " + d.idle
		} else if inverse, ok := inverse(d, was); ok && was != "" && err == nil {
			msg.undo = &undo{inverse, id, title}
		}
		return msg
	}
}

// undo reverts the last change.
func (m *model) undo() tea.Cmd { return m.inTurn(m.undoLast) }

func (m *model) undoLast() tea.Cmd {
	n := len(m.undone)
	if n == 0 {
		return m.say("there is nothing to undo")
	}
	last := m.undone[n-1]
	m.undone = m.undone[:n-1]
	return m.do(last.storeChange, last.id, last.title, "")
}

// acted shows the result of a change, and reads the store again.
func (m *model) acted(msg actedMsg) tea.Cmd {
	m.working--
	if msg.err != nil {
		m.leaving, m.queue = false, nil
		return m.fail(fault.Sentence(msg.err))
	}
	m.changed()
	if msg.undo != nil {
		m.undone = append(m.undone, *msg.undo)
		msg.said += "; u takes that back"
	}
	m.say(msg.said)
	return m.nextChange()
}

// sync exchanges handoffs with the other clones, and shows what came.
func (m *model) sync() tea.Cmd {
	if m.compose == nil || m.working > 0 {
		return nil
	}
	m.working++
	m.say("syncing…")
	run, me := m.compose, m.me
	return func() tea.Msg {
		var said bytes.Buffer
		err := run(strings.NewReader(""), io.Discard, &said, me, "sync", "")
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		last := strings.TrimPrefix(lines[len(lines)-1], "handoff: ")
		return actedMsg{said: cmp.Or(last, "synced; nothing was new"), err: err}
	}
}

// foundMsg is the result of a search, or a thread.
type foundMsg struct {
	what  string
	whole bool           // among all handoffs, not only in the view
	ids   map[string]int // with their rank, if they have one
	err   error
}

// mostFound is the number of handoffs that a search lists, the best ones.
const mostFound = 200

// search searches all handoffs for a text.
func (m *model) search(text string) tea.Cmd {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	s := m.store
	m.say("searching for " + text + "…")
	return func() tea.Msg {
		found, err := s.Search(context.Background(), handoff.Query{Words: words, Limit: mostFound})
		ids := make(map[string]int, len(found.Matches))
		for i, match := range found.Matches {
			ids[match.ID] = i
		}
		return foundMsg{"about " + text, false, ids, err}
	}
}

// openThread lists the thread of the chosen handoff.
func (m *model) openThread() tea.Cmd {
	r := m.chosen()
	if r == nil {
		return nil
	}
	s, id, topic := m.store, r.ID, r.Topic
	return func() tea.Msg {
		thread, err := s.Thread(id)
		ids := make(map[string]int, len(thread.Nodes))
		for _, n := range thread.Nodes {
			ids[n.ID] = 0
		}
		return foundMsg{"in the thread of " + topic, true, ids, err}
	}
}

func (m *model) gotFound(msg foundMsg) {
	if msg.err != nil {
		m.fail(fault.Sentence(msg.err))
		return
	}
	id := m.id()
	m.found, m.what, m.filter = msg.ids, msg.what, ""
	if m.open_ = false; msg.whole {
		m.view = len(views) - 1
	} else {
		m.at, id = 0, "" // the best one
	}
	m.choose(id)
	m.say(handoff.Count(len(msg.ids), "handoff") + " " + msg.what + "; esc shows all")
}
