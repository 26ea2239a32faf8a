package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/build"
)

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
	info := build.Read()
	row := map[string]string{
		"version": info.Version, "commit": info.Commit,
		"go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
	}
	if info.Modified {
		row["modified"] = "true"
	}
	return a.Show(row, fmt.Sprintf("handoff %s %s %s/%s\n", info, row["go"], row["os"], row["arch"]))
}
