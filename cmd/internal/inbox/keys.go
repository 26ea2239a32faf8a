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

// bindings are all keys except those of the prompt, in the order of help.
var bindings = []binding{
	{[]string{"enter"}, "enter", "open; esc goes back", "open", (*model).open},
	{[]string{"t"}, "t", "take it: only you work on it", "take", act(take)},
	{[]string{"d"}, "d", "done: finish it", "done", act(end)},
	{[]string{"p"}, "p", "release it for others", "", act(release)},
	{[]string{"r"}, "r", "reply in your editor", "reply", write("reply", "answered")},
	{[]string{"e"}, "e", "supersede it: write its successor", "", write("supersede", "superseded")},
	{[]string{"m"}, "m", "mark as read", "", act(markRead)},
	{[]string{"a"}, "a", "archive it, or unarchive it", "", archiveOrBack},
	{[]string{"u"}, "u", "undo the last change", "", (*model).undo},
	{[]string{"n"}, "n", "write a new one in your editor", "new", writeNew},
	{[]string{"s"}, "s", "sync with the other clones", "", (*model).sync},
	{[]string{"b"}, "b", "board or list", "board", (*model).toggleBoard},
	{[]string{"T"}, "T", "thread: its replies and successors", "", (*model).openThread},
	{[]string{"y"}, "y", "copy the id to the clipboard", "", (*model).copyID},
	{[]string{"/"}, "/", "filter: words, from:ann, to:ben, is:unread", "filter", (*model).startFilter},
	{[]string{"f"}, "f", "search the bodies", "", (*model).startSearch},
	{[]string{"esc"}, "esc", "back; clears filter and search", "", (*model).back},
	{[]string{"tab"}, "tab", "Inbox, Sent, All", "", func(m *model) tea.Cmd { return m.nextView(1) }},
	{[]string{"shift+tab"}, "", "", "", func(m *model) tea.Cmd { return m.nextView(-1) }},
	{[]string{"j", "down"}, "j k", "down and up", "", func(m *model) tea.Cmd { return m.step(1) }},
	{[]string{"k", "up"}, "", "", "", func(m *model) tea.Cmd { return m.step(-1) }},
	{[]string{"l", "right"}, "h l", "columns of the board; in the list, open and back", "",
		func(m *model) tea.Cmd { return m.aside(1, (*model).open) }},
	{[]string{"h", "left"}, "", "", "", func(m *model) tea.Cmd { return m.aside(-1, (*model).back) }},
	{[]string{"space", "pgdown", "ctrl+f"}, "space", "a page down", "", func(m *model) tea.Cmd { return m.page(1) }},
	{[]string{"pgup", "ctrl+b"}, "", "", "", func(m *model) tea.Cmd { return m.page(-1) }},
	{[]string{"g", "home"}, "g G", "first and last", "", func(m *model) tea.Cmd { return m.step(-1 << 30) }},
	{[]string{"G", "end"}, "", "", "", func(m *model) tea.Cmd { return m.step(1 << 30) }},
	{[]string{"J", "ctrl+d"}, "J K", "scroll the preview", "", func(m *model) tea.Cmd { return m.scroll(5) }},
	{[]string{"K", "ctrl+u"}, "", "", "", func(m *model) tea.Cmd { return m.scroll(-5) }},
	{[]string{"]"}, "[ ]", "previous and next one, while one is open", "next",
		func(m *model) tea.Cmd { return m.next(1) }},
	{[]string{"["}, "", "", "", func(m *model) tea.Cmd { return m.next(-1) }},
	{[]string{"?"}, "?", "this help", "help", (*model).showHelp},
	{[]string{"q", "ctrl+c"}, "q", "quit", "quit", (*model).quit},
	{[]string{"ctrl+z"}, "", "", "", func(m *model) tea.Cmd { return m.suspend }},
	{[]string{"ctrl+l"}, "", "", "", func(*model) tea.Cmd { return tea.ClearScreen }},
}

// aside selects another column of the board. Outside the board it runs elsewhere.
func (m *model) aside(by int, elsewhere func(*model) tea.Cmd) tea.Cmd {
	if m.on && !m.open_ {
		return m.sideways(by)
	}
	return elsewhere(m)
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
