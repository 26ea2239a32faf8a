package cli

import (
	"strings"
	"testing"
)

// Help has 27 commands, the first screen nine.
func TestCommandsOfHelp(t *testing.T) {
	var shown []string
	for _, g := range groups[:len(groups)-1] {
		shown = append(shown, strings.Fields(g.commands)...)
	}
	if len(shown) != 27 {
		t.Errorf("help all has %d commands", len(shown))
	}
	if len(daily) != 9 {
		t.Errorf("the first screen of help has %d commands", len(daily))
	}
}

func TestTopicsSayWhatTheyAreAbout(t *testing.T) {
	for _, name := range topicNames() {
		text, err := topics.ReadFile("topics/" + name + ".md")
		if err != nil || !strings.HasPrefix(string(text), "# ") {
			t.Errorf("the topic %s begins with no heading: %v", name, err)
		}
	}
}
