package cli

import (
	"strings"
	"testing"
)

// Help has 27 commands, the first screen nine and all topics.
func TestCommandsOfHelp(t *testing.T) {
	var shown []string
	for _, g := range groups {
		shown = append(shown, strings.Fields(g.commands)...)
	}
	if len(shown) != 27 || strings.Count(firstScreen, "\n  ") != 9+4 {
		t.Errorf("%d commands in help all, %d lines in the first screen", len(shown), strings.Count(firstScreen, "\n  "))
	}
	if len(topicNames()) != 7 {
		t.Errorf("the topics are %v", topicNames())
	}
	for _, name := range topicNames() {
		text, err := topics.ReadFile("topics/" + name + ".md")
		if err != nil || !strings.HasPrefix(string(text), "# ") || !strings.Contains(firstScreen, name) {
			t.Errorf("the topic %s has no heading, or is not on the first screen: %v", name, err)
		}
	}
}
