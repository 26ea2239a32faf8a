package operators_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

var carol = operators.Operator{ID: "carol", DisplayName: "Carol O'Neill", GitHubHandle: "carol", GitEmail: "carol@example.org",
	Capabilities: []string{"write", "human"}, ActiveSince: "2026-05-07"}

func TestAdd(t *testing.T) {
	for name, head := range map[string]string{
		"a new file":         "",
		"nobody":             "schema_version: '1.0'\noperators:\n",
		"more of them":       two,
		"another indent":     "operators:\n- id: ann\n- id: ben\nschema_version: '1.0'\n",
		"comments":           "operators:\n    # first\n    - id: ann # me\n# last\nschema_version: '1.0'\n",
		"a list in an entry": "schema_version: '1.0'\noperators:\n  - id: ann\n    capabilities:\n      - write\n",
	} {
		got, err := operators.Add(head, carol)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if all := mustParse(t, got).All(); all[len(all)-1].DisplayName != carol.DisplayName {
			t.Errorf("%s: %+v", name, all)
		}
		for line := range strings.Lines(head) {
			if !strings.Contains(got, line) {
				t.Errorf("%s: %q is gone", name, line)
			}
		}
		if _, err := operators.Add(got, carol); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: twice: %v", name, err)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	wrong := carol
	wrong.GitEmail = "nobody"
	for name, tt := range map[string]struct {
		head  string
		o     operators.Operator
		class error
	}{
		"a flow list":     {"schema_version: '1.0'\noperators: [{id: ann}]\n", carol, fault.ErrConfig},
		"a broken file":   {"operators:\n  - id: a b\n", carol, fault.ErrConfig},
		"a wrong address": {two, wrong, fault.ErrInvalid},
	} {
		if got, err := operators.Add(tt.head, tt.o); !errors.Is(err, tt.class) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}
