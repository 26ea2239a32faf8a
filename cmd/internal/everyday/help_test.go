package everyday

import (
	"strings"
	"testing"
)

func TestGroupsHaveEachCommandOnce(t *testing.T) {
	in := map[string]string{}
	for _, g := range groups {
		for _, name := range g.commands {
			if in[name] != "" {
				t.Errorf("%s is in the groups %s and %s", name, in[name], g.title)
			}
			in[name] = g.title
		}
	}
	for _, c := range commands {
		if in[c.name] == "" {
			t.Errorf("%s is in no group", c.name)
		}
	}
	if len(daily) > 10 {
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
