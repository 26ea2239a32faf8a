// Package git runs git, and reads the layout of repositories and git's configuration. No other package runs git. The
// content of a repository is not trusted: a clone contains what others put there.
package git

import (
	"cmp"
	"context"
	"os"
	"strings"
)

// Config returns a value of git's configuration in dir. It returns "" if git does not answer within ten seconds: a
// caller that cannot wait so long has its own time limit. It asks at the top of the work tree, since a branch could
// contain a bare repository below it.
func Config(dir, key string) string {
	args := []string{"config", "--get", key}
	out, err := Call{Dir: cmp.Or(Top(dir), dir), Args: args, Environ: os.Environ()}.Run(context.Background())
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
