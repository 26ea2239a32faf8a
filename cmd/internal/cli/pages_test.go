package cli

import (
	"testing"
)

// An argument of a usage line may be optional, repeat, or be one of two.
func TestArguments(t *testing.T) {
	for usage, want := range map[string][]argument{
		"list":                                   nil,
		"take ID…":                               {{"ID…", false, true}},
		"reply ID [FILE|-]":                      {{"ID", false, false}, {"FILE|-", true, false}},
		"log ID | --head | --sign":               {{"ID", true, false}},
		"verify [ID… | --log]":                   {{"ID…", true, true}},
		"watch [--exec COMMAND]":                 nil,
		"create TASK_ID --summary TEXT":          {{"TASK_ID", false, false}},
		"install AGENT [--user | --project]":     {{"AGENT", false, false}},
		"prune [ID…] --archived-for 90d --out F": {{"ID…", true, true}},
	} {
		got := argumentsOf(usage)
		if len(got) != len(want) {
			t.Errorf("%s has %v", usage, got)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s has %v, not %v", usage, got[i], want[i])
			}
		}
	}
}
