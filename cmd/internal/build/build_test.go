package build_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/cmd/internal/build"
)

func TestString(t *testing.T) {
	t.Parallel()
	commit := strings.Repeat("0123456789abcdef", 3)[:40]
	if got := (build.Info{Version: "v1.2.3", Commit: commit}).String(); got != "v1.2.3 (commit 0123456789ab)" {
		t.Error(got)
	}
	if got := build.Read(); got.Version == "" || got.Commit == "" {
		t.Errorf("%+v", got)
	}
}
