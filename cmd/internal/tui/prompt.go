package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A prompt is a line for input.
type prompt struct {
	label string
	text  []rune
	live  bool // each letter takes effect at once
}

const maxPrompt = 200 // characters

func (p *prompt) add(text string) {
	text = strings.Map(func(c rune) rune {
		if c == '\n' || c == '\r' || c == '\t' {
			return ' '
		}
		return c
	}, text)
	p.text = append(p.text, []rune(text)...)
	p.text = p.text[:min(len(p.text), maxPrompt)]
}

func (m *model) startFilter() tea.Cmd {
	m.prompt = &prompt{"/", []rune(m.filter), true}
	m.open_ = false
	return nil
}

func (m *model) startSearch() tea.Cmd {
	m.prompt = &prompt{"search bodies: ", nil, false}
	m.open_ = false
	return nil
}

// type_ handles a key in the prompt.
func (m *model) type_(key string, msg tea.KeyPressMsg) tea.Cmd {
	p := m.prompt
	switch key {
	case "enter":
		if m.prompt = nil; !p.live {
			return m.search(string(p.text))
		}
		return nil
	case "esc", "ctrl+c":
		if m.prompt = nil; p.live {
			m.narrow("")
		}
		return nil
	case "up", "down", "pgup", "pgdown":
		return m.press(key)
	case "backspace", "ctrl+h":
		p.text = p.text[:max(0, len(p.text)-1)]
	case "ctrl+w":
		p.text = []rune(strings.TrimRight(string(p.text), " "))
		p.text = p.text[:strings.LastIndex(string(p.text), " ")+1]
	case "ctrl+u":
		p.text = nil
	default:
		p.add(msg.Text)
	}
	m.typed()
	return nil
}

// typed applies the filter while the user types.
func (m *model) typed() {
	if m.prompt.live {
		m.narrow(string(m.prompt.text))
	}
}
