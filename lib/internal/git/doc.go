// Package git is what is known of git: where a work tree has its repository, and what git's
// configuration says. No other package runs git. What a repository says about itself is not trusted: a
// clone carries it.
package git

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Config returns what git says about a key of its configuration in dir, "" if it says nothing within
// half a second.
func Config(dir, key string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(slices.Clone(safely), "config", "--get", key)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
