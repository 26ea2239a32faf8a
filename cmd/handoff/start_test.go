package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// made are the packages whose initialization allocates more than 8,000 bytes, which takes about 0.05 ms. Of ours only
// the JSON Schema library is among them, which is carried.
var made = []string{"runtime", "unicode", "encoding/gob", "encoding/xml", "html/template",
	"github.com/google/jsonschema-go/jsonschema", "github.com/modelcontextprotocol/go-sdk/mcp",
	"github.com/seed-78daf238/handoff/schema/jsonschema",
	"gopkg.in/yaml%2ev2", "go.yaml.in/yaml/v3", "golang.org/x/crypto/ssh",
	"github.com/charmbracelet/ultraviolet", "github.com/charmbracelet/x/ansi"}

// TestStartBuildsNothing holds that package variables are made when they are needed: every command would wait for them.
func TestStartBuildsNothing(t *testing.T) {
	t.Parallel()
	if len(raceFlag) > 0 {
		t.Skip("the race detector allocates")
	}
	cmd := exec.Command(filepath.Join(released.in(t), "handoff"), "version")
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	trace, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, trace)
	}
	found := regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes`).FindAllStringSubmatch(string(trace), -1)
	if len(found) < 20 {
		t.Errorf("%d packages in\n%s", len(found), trace)
	}
	for _, one := range found {
		if n, err := strconv.Atoi(one[2]); err != nil || n > 8000 && !slices.Contains(made, one[1]) {
			t.Errorf("the initialization of %s allocates %s bytes", one[1], one[2])
		}
	}
}
