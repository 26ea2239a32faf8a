// Package build identifies the sources of the program.
package build

import (
	"cmp"
	_ "embed"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"strings"
)

// released is the version of a release, set by the linker.
var released string

// archived is the commit of the sources: `git archive` writes it to commit.txt.
//
//go:embed commit.txt
var archived string

// Info identifies the sources of the program.
type Info struct {
	Version  string // "(devel)" for a build of a work tree, as in Go
	Commit   string // "unknown" for sources without git
	Modified bool   // Go found uncommitted changes in the work tree
}

// Read returns the information about this program. The commit comes from the archive of the sources or from Go.
func Read() Info {
	b := Info{Version: "(devel)", Commit: "unknown"}
	stamped := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(info.Main.Version, b.Version)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				stamped = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	ofPseudoVersion := b.Version[strings.LastIndexByte(b.Version, '-')+1:] // from `go install …@main`
	for _, commit := range []string{strings.TrimSpace(archived), stamped, ofPseudoVersion} {
		if _, err := hex.DecodeString(commit); err == nil && len(commit) >= 12 {
			b.Commit = commit
			break
		}
	}
	b.Version = cmp.Or(released, b.Version)
	return b
}

// String returns version and commit for people and MCP clients.
func (b Info) String() string {
	return fmt.Sprintf("%s (commit %s)", b.Version, b.Commit[:min(12, len(b.Commit))])
}
