package cli

import (
	"cmp"
	_ "embed" // for the commit
	"encoding/hex"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// released is the version of a release, set by the linker.
var released string

// archived is the commit of the sources: `git archive` writes it to commit.txt.
//
//go:embed commit.txt
var archived string

func versionCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  handoff version --json",
		RunE:    func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

// printVersion prints version, commit, Go version and system.
func (a *App) printVersion() error {
	version, commit, isModified := source()
	row := map[string]string{
		"version": version, "commit": commit, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
	}
	if isModified {
		row["modified"] = "true"
	}
	return a.Show(row, fmt.Sprintf("handoff %s %s %s/%s\n", Version(), row["go"], row["os"], row["arch"]))
}

// Version returns version and commit for people and MCP clients.
func Version() string {
	version, commit, _ := source()
	return fmt.Sprintf("%s (commit %s)", version, commit[:min(12, len(commit))])
}

// source identifies the sources of the program: a version, "(devel)" for a build of a work tree, as in Go; a commit,
// "unknown" for sources without git; and whether Go found uncommitted changes. The commit comes from the archive of the
// sources or from Go.
func source() (version, commit string, isModified bool) {
	version, commit = "(devel)", "unknown"
	stamped := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(info.Main.Version, version)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				stamped = s.Value
			case "vcs.modified":
				isModified = s.Value == "true"
			}
		}
	}
	ofPseudoVersion := version[strings.LastIndexByte(version, '-')+1:] // from `go install …@main`
	for _, known := range []string{strings.TrimSpace(archived), stamped, ofPseudoVersion} {
		if _, err := hex.DecodeString(known); err == nil && len(known) >= 12 {
			commit = known
			break
		}
	}
	return cmp.Or(released, version), commit, isModified
}
