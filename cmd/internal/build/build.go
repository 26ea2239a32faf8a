// Package build knows what the program was built from.
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

// released is the version of a release: the linker sets it.
var released string

// archived is the commit of the sources, once `git archive` has packed them: it fills commit.txt in.
//
//go:embed commit.txt
var archived string

// Info is what the program knows of where it comes from.
type Info struct {
	Version  string // "(devel)" is a build of a work tree, as Go calls it
	Commit   string // "unknown" where the sources came without git
	Modified bool   // whether Go found changes in the work tree that no commit has
}

// Read returns what this program knows. Its commit is the one that the archive of the sources or Go recorded, else the one
// that was checked out when the program was built: `go run` records none.
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
	ofPseudoVersion := b.Version[strings.LastIndexByte(b.Version, '-')+1:] // what `go install …@main` builds
	for _, commit := range []string{strings.TrimSpace(archived), stamped, ofPseudoVersion, checkedOut()} {
		if _, err := hex.DecodeString(commit); err == nil && len(commit) >= 12 {
			b.Commit = commit
			break
		}
	}
	b.Version = cmp.Or(released, b.Version)
	return b
}

// String returns the version and the commit, as people see them and MCP clients too.
func (b Info) String() string {
	return fmt.Sprintf("%s (commit %s)", b.Version, b.Commit[:min(12, len(b.Commit))])
}

// checkedOut returns the commit that was checked out when the program was built, "" where the program does not know the
// directory of its sources, or where that has no history of what was checked out.
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
	for line := range strings.Lines(string(history)) { // OLD NEW NAME <EMAIL> SECONDS ZONE, a tab, what was done
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

// builtAt returns when the program was built. What `go run` made, now or earlier, was made from the sources as they are.
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
