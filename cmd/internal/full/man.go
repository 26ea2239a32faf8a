package full

import (
	"bytes"
	"embed"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// man holds the man page of each command. A test makes them from the pages of the commands.
//
//go:embed man/*.1
var man embed.FS

// manMark is the first line of each page.
const manMark = `.\" handoff man`

// writeManPages writes the man pages to a directory, also over older ones. If one of them would replace another kind
// of file, it changes nothing.
func writeManPages(a *cli.App, dir string) error {
	if err := cli.CheckOutput(dir); err != nil {
		return err
	}
	pages, _ := fs.Sub(man, "man") // embedded
	names, _ := fs.Glob(pages, "*")
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && !(info.Mode().IsRegular() && isManPage(path)) {
			return cli.Invalid("move it away, or choose another directory",
				"%s was not made by `handoff help man`; nothing was changed", path)
		}
	}
	for _, name := range names {
		_ = os.Remove(filepath.Join(dir, name)) // on failure, CopyFS reports that the file exists
	}
	if err := os.CopyFS(dir, pages); err != nil {
		return cli.OutputError(dir, err)
	}
	return a.Show(map[string]any{"directory": dir, "files": len(names)}, "")
}

// isManPage reports whether a file is a page of this program, or empty, as after an interruption.
func isManPage(path string) bool {
	text, err := cli.ReadInput(path)
	return err == nil && (len(text) == 0 || bytes.HasPrefix(text, []byte(manMark)))
}
