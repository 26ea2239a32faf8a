// Package git is what is known of git: where a work tree has its repository, and what git's
// configuration says. No other package runs git. What a repository says about itself is not trusted: a
// clone carries it.
package git

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"
)

// Config returns what git says about a key of its configuration in dir, "" if it says nothing within
// half a second. It asks at the top of the work tree: below it, a branch may have put what looks like a bare
// repository.
func Config(dir, key string) string {
	args := []string{"config", "--get", key}
	call := Call{Args: args, Limit: 500 * time.Millisecond, Max: maxPointer}
	out, err := Runner{Environ: os.Environ()}.run(context.Background(), cmp.Or(Top(dir), dir), args, call)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
