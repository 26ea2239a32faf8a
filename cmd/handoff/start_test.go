package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// slowStarts are the packages whose initialization may take more than 0.05 ms. None is ours.
var slowStarts = []string{"runtime", "unicode",
	"encoding/gob", "github.com/google/jsonschema-go/jsonschema", "github.com/modelcontextprotocol/go-sdk/mcp",
	"github.com/dlclark/regexp2/v2/syntax",
	"github.com/klauspost/compress/s2", "github.com/klauspost/cpuid/v2", "github.com/minio/minio-go/v7",
	"github.com/minio/minio-go/v7/pkg/s3utils", "github.com/rs/xid",
	"github.com/BurntSushi/toml/internal", "go.yaml.in/yaml/v3",
	"github.com/charmbracelet/x/ansi", "golang.org/x/crypto/ssh", "html/template", "internal/godebug"}

// TestStartBuildsNothing holds that package variables are made when they are needed: every command would wait for them.
func TestStartBuildsNothing(t *testing.T) {
	t.Parallel()
	if len(raceFlag) > 0 {
		t.Skip("the race detector takes time of its own")
	}
	line := regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock`)
	least := map[string]float64{}
	for range 20 {
		cmd := exec.Command(filepath.Join(released.in(t), "handoff"), "version")
		cmd.Env = []string{"GODEBUG=inittrace=1"}
		trace, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, trace)
		}
		for _, found := range line.FindAllStringSubmatch(string(trace), -1) {
			took, err := strconv.ParseFloat(found[2], 64)
			if before, is := least[found[1]]; err != nil || !is || took < before {
				least[found[1]] = took
			}
		}
	}
	if len(least) < 20 {
		t.Errorf("%d packages", len(least))
	}
	for pkg, took := range least {
		if took > 0.05 && !slices.Contains(slowStarts, pkg) {
			t.Errorf("the initialization of %s takes %g ms", pkg, took)
		}
	}
}
