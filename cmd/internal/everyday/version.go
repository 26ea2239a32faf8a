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

// Version returns the version of the program; "(devel)" is a build of a work tree, as Go calls it.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// printVersion prints what the build says of itself. A build of a work tree has no version but that of its commit.
func (a *App) printVersion() error {
	built := map[string]string{"version": Version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				built["commit"] = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				built["modified"] = s.Value
			}
		}
	}
	commit := ""
	if built["commit"] != "" {
		commit = " (commit " + built["commit"][:min(12, len(built["commit"]))] + ")"
	}
	return a.Show(built, fmt.Sprintf("handoff %s%s %s %s/%s\n", built["version"], commit, built["go"], built["os"], built["arch"]))
}
