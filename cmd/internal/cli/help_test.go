package cli

import (
	"slices"
	"strings"
	"testing"
)

// Help has at most 40 commands, the first screen ten, and each former name leads to one of them.
func TestCommandsOfHelp(t *testing.T) {
	var shown []string
	for _, g := range groups[:len(groups)-1] {
		shown = append(shown, strings.Fields(g.commands)...)
	}
	if len(shown) > 40 {
		t.Errorf("help all has %d commands", len(shown))
	}
	if len(daily) > 10 {
		t.Errorf("the first screen of help has %d commands", len(daily))
	}
	for line := range strings.Lines(renamed) {
		former, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name, _, _ := strings.Cut(words, " "); !slices.Contains(shown, name) {
			t.Errorf("%q stands for %q, which is no command", former, words)
		}
	}
}

func TestFormerNames(t *testing.T) {
	for line, want := range map[string]string{
		"show 134327a8 --json":              "record show 134327a8 --json",
		"--root /p audit verify --expect x": "--root /p verify --log --expect x",
		"audit head":                        "log --head",
		"help create":                       "help record create",
		"__complete reject 13":              "__complete approve --reject 13",
		"write show":                        "write show",
		"list":                              "list",
		"":                                  "",
	} {
		if got := strings.Join(inPresentWords(strings.Fields(line)), " "); got != want {
			t.Errorf("%q becomes %q, not %q", line, got, want)
		}
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
