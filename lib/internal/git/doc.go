// Package git is what is known of git: where a work tree has its repository, and what git's
// configuration says. No other package runs git. What a repository says about itself is not trusted: a
// clone carries it.
package git

import (
	"cmp"
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Config returns what git says about a key of its configuration in dir, "" if it says nothing within
// half a second. It asks at the top of the work tree: below it, a branch may have put what looks like a bare
// repository.
func Config(dir, key string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(slices.Clone(safely), "config", "--get", key)...)
	out := &capped{max: maxPointer}
	cmd.Dir, cmd.Stdout, cmd.WaitDelay = cmp.Or(Top(dir), dir), out, time.Second
	inGroup(cmd)
	if cmd.Run() != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}
