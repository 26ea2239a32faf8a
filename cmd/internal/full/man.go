package full

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
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

// writeManPages writes the man pages to a directory. If one of them would replace another kind of file, it writes
// nothing.
func writeManPages(a *cli.App, dir string) error {
	if err := cli.CheckOutput(dir); err != nil {
		return err
	}
	pages, err := man.ReadDir("man")
	err = cmp.Or(err, os.MkdirAll(dir, 0o755))
	for _, p := range pages {
		path := filepath.Join(dir, p.Name())
		if info, statErr := os.Lstat(path); err == nil && statErr == nil &&
			!(info.Mode().IsRegular() && isManPage(path)) {
			return cli.Invalid("move it away, or choose another directory",
				"%s was not made by `handoff help man`; nothing was changed", path)
		} else if statErr != nil && !errors.Is(statErr, fs.ErrNotExist) {
			err = cmp.Or(err, statErr)
		}
	}
	for _, p := range pages {
		text, _ := man.ReadFile("man/" + p.Name()) // embedded
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, p.Name()), text, 0o644)
		}
	}
	if err != nil {
		return cli.OutputError(dir, err)
	}
	return a.Show(map[string]any{"directory": dir, "files": len(pages)}, "")
}

// isManPage reports whether a file is a page of this program, or empty, as after an interruption.
func isManPage(path string) bool {
	text, err := cli.ReadInput(path)
	return err == nil && (len(text) == 0 || bytes.HasPrefix(text, []byte(manMark)))
}
