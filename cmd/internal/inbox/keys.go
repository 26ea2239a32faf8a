package inbox

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// A binding is a set of keys and their action.
type binding struct {
	keys  []string
	shown string // the keys in help; "" to leave them out
	does  string
	hint  string // one word for the bottom line; "" to leave it out
	do    func(*model) tea.Cmd
}

// bindings returns all keys except those of the prompt, in the order of help.
func bindings() []binding {
	return []binding{
		{[]string{"enter", "l", "right"}, "enter", "open; esc goes back", "open", (*model).open},
		{[]string{"t"}, "t", "take it: only you work on it", "take", act(take)},
		{[]string{"d"}, "d", "done: finish it", "done", ask(end, "Finish it?")},
		{[]string{"r"}, "r", "reply in your editor", "reply", write("reply", "answered")},
		{[]string{"s"}, "s", "supersede it: write its successor", "", write("supersede", "superseded")},
		{[]string{"m"}, "m", "mark as read", "", act(markRead)},
		{[]string{"a"}, "a", "archive it, or restore it", "archive", archiveOrBack},
		{[]string{"u"}, "u", "release: give it back", "", act(release)},
		{[]string{"T"}, "T", "thread: its replies and successors", "", (*model).openThread},
		{[]string{"y"}, "y", "copy the id to the clipboard", "", (*model).copyID},
		{[]string{"/"}, "/", "filter: words, from:ann, to:ben, is:unread", "filter", (*model).startFilter},
		{[]string{"f"}, "f", "search the bodies", "", (*model).startSearch},
		{[]string{"esc", "h", "left"}, "esc", "back; clears filter and search", "", (*model).back},
		{[]string{"tab"}, "tab", "Inbox, Sent, All", "", func(m *model) tea.Cmd { return m.turn(1) }},
		{[]string{"shift+tab"}, "", "", "", func(m *model) tea.Cmd { return m.turn(-1) }},
		{[]string{"j", "down"}, "j k", "down and up", "", func(m *model) tea.Cmd { return m.step(1) }},
		{[]string{"k", "up"}, "", "", "", func(m *model) tea.Cmd { return m.step(-1) }},
		{[]string{"space", "pgdown", "ctrl+f"}, "space b", "a page down and up", "", func(m *model) tea.Cmd { return m.page(1) }},
		{[]string{"b", "pgup", "ctrl+b"}, "", "", "", func(m *model) tea.Cmd { return m.page(-1) }},
		{[]string{"g", "home"}, "g G", "first and last", "", func(m *model) tea.Cmd { return m.step(-1 << 30) }},
		{[]string{"G", "end"}, "", "", "", func(m *model) tea.Cmd { return m.step(1 << 30) }},
		{[]string{"J", "ctrl+d"}, "J K", "scroll the preview", "", func(m *model) tea.Cmd { return m.scroll(5) }},
		{[]string{"K", "ctrl+u"}, "", "", "", func(m *model) tea.Cmd { return m.scroll(-5) }},
		{[]string{"n"}, "n p", "next and previous handoff, while one is open", "next", func(m *model) tea.Cmd { return m.next(1) }},
		{[]string{"p"}, "", "", "", func(m *model) tea.Cmd { return m.next(-1) }},
		{[]string{"?"}, "?", "this help", "help", (*model).showHelp},
		{[]string{"q", "ctrl+c"}, "q", "quit", "quit", (*model).quit},
		{[]string{"ctrl+z"}, "", "", "", func(m *model) tea.Cmd { return m.suspend }},
		{[]string{"ctrl+l"}, "", "", "", func(*model) tea.Cmd { return tea.ClearScreen }},
	}
}

// press runs the action of a key.
func (m *model) press(key string) tea.Cmd {
	for _, b := range m.bindings {
		if slices.Contains(b.keys, key) {
			return b.do(m)
		}
	}
	return nil
}
