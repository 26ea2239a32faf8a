package everyday

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  Args(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

// printVersion prints what the build says of itself. A build of a work tree has no version but that of its commit.
func (a *App) printVersion() error {
	built := map[string]string{"version": "unknown", "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				built["commit"] = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				built["modified"] = s.Value
			}
		}
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			built["version"] = info.Main.Version
		}
	}
	commit := ""
	if built["commit"] != "" {
		commit = " (commit " + built["commit"][:min(12, len(built["commit"]))] + ")"
	}
	return a.Show(built, fmt.Sprintf("handoff %s%s %s %s/%s\n", built["version"], commit, built["go"], built["os"], built["arch"]))
}
