package tui

import (
	"cmp"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

// A model is the state of the screen.
type model struct {
	store   *handoff.Store
	work    *work.Tree // what texts say about files is compared with it; nil for nothing
	project string
	run     runner
	now     func() time.Time
	colors  bool

	list
	preview  preview
	titles   map[string]string        // by id; "" while it is read
	untitled map[string]handoff.Entry // those on the screen that are not in titles
	undone   []undo                   // reverts the changes of keys, the last one last
	follow   string                   // the handoff to choose at the next read, or ""
	stamp    string                   // of the store at the last read
	loaded   bool                     // reading all handoffs has ended

	width, height int

	open_   bool // one handoff fills the screen
	helping bool
	typing  bool   // keys go into the query
	stop    func() // ends the search that runs
	asking  bool   // the next key answers the question of undo

	message string           // shown until the next key
	trouble string           // shown while it lasts
	working bool             // a change is in progress
	queue   []func() tea.Cmd // the changes that wait for it
	leaving bool
}

func newModel(s *handoff.Store, o handoff.Options, me string) *model {
	m := &model{titles: make(map[string]string), untitled: make(map[string]handoff.Entry), store: s, now: o.Now,
		width: 80, height: 24, trouble: faint.paint("reading all handoffs…")}
	if m.now == nil {
		m.now = time.Now
	}
	if m.me = me; me == "" {
		m.view = len(views) - 1
	}
	return m
}

func (m *model) Init() tea.Cmd { return tea.Sequence(m.begin()) }

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		cmd = m.key(msg)
	case tea.PasteMsg:
		if m.typing {
			cmd = m.add(msg.Content)
		}
	case loadedMsg:
		cmd = m.take(msg)
	case bodyMsg:
		m.show(msg)
	case actedMsg:
		cmd = m.acted(msg)
	case foundMsg:
		m.gotFound(msg)
	case titlesMsg:
		maps.Copy(m.titles, msg)
	}
	return m, tea.Batch(cmd, m.want(), m.wantTitles())
}

// take shows the rows that were read, and schedules the next look.
func (m *model) take(msg loadedMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.trouble, m.stamp = wrong.paint(escape(fault.Sentence(msg.err))), ""
		return m.look()
	case msg.stamp == m.stamp && m.loaded:
		return m.look()
	}
	id := cmp.Or(m.follow, m.id())
	m.rows, m.follow = msg.rows, ""
	m.choose(id)
	if msg.isFirst {
		return nil
	}
	m.trouble, m.stamp, m.loaded = "", msg.stamp, true
	return tea.Batch(m.find(), m.look())
}

func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.message = ""
	key := msg.String()
	switch {
	case m.asking:
		return m.answer(key)
	case m.typing:
		return m.edit(key, msg.Text)
	case m.helping && key != "ctrl+c":
		m.helping = false
		return nil
	}
	return m.press(key)
}

// say shows a line until the next key.
func (m *model) say(text string) tea.Cmd {
	m.message = escape(text)
	return nil
}

func (m *model) fail(text string) tea.Cmd {
	m.message = wrong.paint(escape(text))
	return nil
}

func (m *model) showHelp() tea.Cmd {
	m.helping = true
	return nil
}

// quit waits for changes in progress. A second request leaves at once.
func (m *model) quit() tea.Cmd {
	if m.open_ && !m.leaving {
		return m.back()
	}
	if m.working && !m.leaving {
		m.leaving = true
		return m.say("a change is being written; q again leaves at once")
	}
	return tea.Quit
}

// open shows the chosen handoff on the whole screen. It marks one to the operator as read.
func (m *model) open() tea.Cmd {
	r := m.chosen()
	if r == nil || m.open_ {
		return nil
	}
	m.open_, m.preview.top = true, 0
	if r.state == handoff.StateUnread && r.IsTo(m.me) {
		return act("mark-read")(m)
	}
	return nil
}

// back goes back one step: it closes the open handoff, or ends the search.
func (m *model) back() tea.Cmd {
	if m.open_ {
		m.open_ = false
		return nil
	}
	return m.search("")
}

func (m *model) nextView() tea.Cmd {
	if m.me == "" {
		return m.say("I don't know who you are, so there is only All: run `handoff init`, or set HANDOFF_OPERATOR")
	}
	id := m.id()
	m.view = (m.view + 1) % len(views)
	m.at = 0
	m.choose(id)
	return nil
}

// step moves in the list, or in the open handoff.
func (m *model) step(by int) tea.Cmd {
	if m.open_ {
		m.preview.top += by
	} else {
		m.move(by)
	}
	return nil
}

func (m *model) page(by int) tea.Cmd {
	at := m.layout()
	return m.step(by * max(1, cmp.Or(at.listHeight, at.previewHeight)-1))
}
