// Package build identifies the sources of the program.
package build

import (
	"cmp"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
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
// Otherwise it is the commit that was checked out at build time, since `go run` records none.
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
	for _, commit := range []string{strings.TrimSpace(archived), stamped, ofPseudoVersion, checkedOut()} {
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

// checkedOut returns the commit that was checked out at build time. It returns "" if the directory of the
// sources, or its history at that time, is unknown.
func checkedOut() string {
	_, source, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(source) {
		return "" // built with -trimpath
	}
	git := filepath.Join(filepath.Dir(source), "../../../.git")
	if link, err := os.ReadFile(git); err == nil { // a work tree that `git worktree` added, or a submodule
		to := strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir:"))
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(git), to)
		}
		git = to
	}
	history, err := os.ReadFile(filepath.Join(git, "logs", "HEAD"))
	if err != nil {
		return ""
	}
	commit, built := "", builtAt()
	for line := range strings.Lines(string(history)) { // OLD NEW NAME <EMAIL> SECONDS ZONE, a tab, the operation
		head, _, _ := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if len(fields) < 5 {
			continue
		}
		seconds, err := strconv.ParseInt(fields[len(fields)-2], 10, 64)
		if err == nil && seconds <= built.Unix() {
			commit = fields[1]
		}
	}
	return commit
}

// builtAt returns the build time of the program. `go run` always builds the sources as they are.
func builtAt() time.Time {
	program, err := os.Executable()
	if err != nil || strings.Contains(program, "go-build") || strings.HasSuffix(filepath.Dir(program), "-d") {
		return time.Now()
	}
	info, err := os.Stat(program)
	if err != nil {
		return time.Now()
	}
	return info.ModTime()
}
