package tui

import (
	"cmp"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

// A model is the state of the screen.
type model struct {
	store   *handoff.Store
	work    *work.Tree // what texts say about files is compared with it; nil for nothing
	project string
	said    *notes
	run     runner
	now     func() time.Time
	colors  bool

	list
	preview preview
	titles  map[string]string // by id; "" while it is read
	undone  []undo            // reverts the changes of keys, the last one last
	follow  string            // the handoff to choose at the next read, or ""
	stamp   string            // of the store at the last read
	there   bool              // its directory exists or existed
	loaded  bool              // reading all handoffs has ended
	early   []tea.Msg         // the keys pressed before that

	width, height int
	measure       ansi.Method // the method for character widths on this terminal

	open_   bool // one handoff fills the screen
	helping bool
	helpTop int    // the first line of help on the screen
	typing  bool   // keys go into the query
	stop    func() // ends the search that runs
	asking  bool   // the next key answers the question of undo

	message  string           // shown until the next key
	trouble  string           // shown while it lasts
	bad      bool             // the message is an error
	working  int              // the number of changes in progress
	patience time.Duration    // how long each waits for the lock
	queue    []func() tea.Cmd // the changes that wait for them
	leaving  bool
}

func newModel(s *handoff.Store, o handoff.Options, me string) *model {
	m := &model{titles: make(map[string]string), store: s, said: &notes{}, now: o.Now, width: 80, height: 24}
	if m.now == nil {
		m.now = time.Now
	}
	m.part, m.me = true, me
	if me == "" {
		m.view = len(views) - 1
	}
	return m
}

func (m *model) Init() tea.Cmd { return m.begin() }

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.isEarly(msg) {
		m.early = append(m.early, msg)
		return m, nil
	}
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && msg.Value != ansi.ModeNotRecognized {
			m.measure = ansi.GraphemeWidth
		}
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
	return m, tea.Batch(cmd, m.settle())
}

// isEarly reports whether to keep a message until all handoffs are read: a key that does not leave at once.
func (m *model) isEarly(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return !m.loaded
	case tea.KeyPressMsg:
		key := msg.String()
		return !m.loaded && key != "ctrl+c" && (key != "q" || len(m.early) > 0)
	}
	return false
}

// take shows the rows that were read, handles early keys, and schedules the next look.
func (m *model) take(msg loadedMsg) tea.Cmd {
	isGone := msg.stamp == gone && m.there
	m.there = m.there || msg.stamp != gone
	if msg.rest != nil {
		m.set(msg.rows, m.id())
		return msg.rest
	}
	cmds := []tea.Cmd{}
	switch {
	case isGone:
		m.trouble, m.stamp = "the handoffs directory is gone; this is its last content", gone
		if m.part {
			m.trouble = "the handoffs directory is gone; some handoffs were not read"
		}
	case msg.err != nil:
		m.trouble, m.stamp = fault.Sentence(msg.err), ""
	case msg.stamp != m.stamp || !m.loaded:
		m.trouble, m.stamp, m.part = msg.note, msg.stamp, false
		m.set(msg.rows, cmp.Or(m.follow, m.id()))
		m.follow, m.preview.stale = "", true
		cmds = append(cmds, m.find())
	}
	cmds = append(cmds, m.look())
	m.loaded = true
	for _, msg := range m.early {
		_, cmd := m.Update(msg)
		cmds = append(cmds, cmd)
	}
	m.early = nil
	return tea.Batch(cmds...)
}

// settle updates the place in the list and the preview after a change.
func (m *model) settle() tea.Cmd {
	if room := m.layout().listHeight; room > 0 {
		m.scrollTo(room)
	}
	m.hold()
	return tea.Batch(m.want(), m.wantTitles())
}

func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.message, m.bad = "", false
	key := msg.String()
	switch {
	case m.asking:
		return m.answer(key)
	case m.typing:
		return m.edit(key, msg.Text)
	case m.helping && key != "ctrl+c":
		more := len(m.help()) > m.helpRoom()
		if m.helpTop += m.helpRoom(); key != "space" || !more {
			m.helping = false
		}
		return nil
	}
	return m.press(key)
}

// say shows a line until the next key.
func (m *model) say(text string) tea.Cmd {
	m.message, m.bad = text, false
	return nil
}

func (m *model) fail(text string) tea.Cmd {
	m.message, m.bad = text, true
	return nil
}

func (m *model) showHelp() tea.Cmd {
	m.helping, m.helpTop = true, 0
	return nil
}

// quit waits for changes in progress. A second request leaves at once.
func (m *model) quit() tea.Cmd {
	if m.open_ && !m.leaving {
		return m.back()
	}
	if m.working > 0 && !m.leaving {
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
	id := m.id()
	cmd := m.search("")
	m.choose(id)
	return cmd
}

func (m *model) nextView(by int) tea.Cmd {
	if m.me == "" {
		return m.say("I don't know who you are, so there is only All: run `handoff init`, or set HANDOFF_OPERATOR")
	}
	id := m.id()
	m.view = (m.view + by + len(views)) % len(views)
	m.at, m.turn, m.first = [sectionCount]int{}, 0, 0
	m.choose(id)
	return nil
}

// step moves in the list, or in the open handoff.
func (m *model) step(by int) tea.Cmd {
	if m.open_ {
		return m.scroll(by)
	}
	m.move(by)
	return nil
}

func (m *model) page(by int) tea.Cmd {
	if m.open_ {
		return m.scroll(by * max(1, m.layout().previewHeight-1))
	}
	return m.step(by * m.layout().rows())
}
