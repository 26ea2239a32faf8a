// Package command has the commands of the program, a file each.
package command

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/mcp"
	"github.com/seed-78daf238/handoff/cmd/internal/tui"
)

// Program returns the program with all commands.
func Program() cli.Program {
	all := cli.Commands{
		"write":     writeCommand,
		"reply":     replyCommand,
		"supersede": supersedeCommand,

		"list":    listCommand,
		"read":    readCommand,
		"search":  searchCommand,
		"thread":  threadCommand,
		"status":  statusCommand,
		"surface": surfaceCommand,
		"log":     logCommand,
		"page":    pageCommand,
		"watch":   watchCommand,

		"next":      nextCommand,
		"take":      takeCommand,
		"release":   releaseCommand,
		"done":      doneCommand,
		"mark-read": markReadCommand,
		"withdraw":  withdrawCommand,
		"archive":   archiveCommand,

		"new":        newCommand,
		"show":       showCommand,
		"validate":   validateCommand,
		"create":     createCommand,
		"onboard":    onboardCommand,
		"compute-id": computeIDCommand,
		"check":      checkCommand,
		"resume":     resumeCommand,

		"init":               initCommand,
		"whoami":             whoamiCommand,
		"operators":          cli.Group("operators", "List, add, check and trust operators", operatorsHelp),
		"operators list":     operatorsListCommand,
		"operators verify":   operatorsVerifyCommand,
		"operators validate": operatorsValidateCommand,
		"operators add":      operatorsAddCommand,
		"operators trust":    operatorsTrustCommand,
		"sign":               signCommand,
		"sync":               syncCommand,
		"export":             exportCommand,
		"import":             importCommand,
		"verify":             verifyCommand,
		"doctor":             doctorCommand,
		"machine-fingerprint": cli.Group("machine-fingerprint",
			"Show the machine of the store, or move it to this one", ""),
		"machine-fingerprint show":       machineFingerprintShowCommand,
		"machine-fingerprint regenerate": machineFingerprintRegenerateCommand,

		"install":   installCommand,
		"uninstall": uninstallCommand,
		"hook":      cli.Group("hook", "Run by coding agents, not by you", ""),
	}
	for _, e := range events {
		all["hook "+e.name] = func(a *cli.App) *cobra.Command { return e.command(a) }
	}
	return cli.Program{Commands: []cli.Commands{all, tui.Commands, mcp.Commands}, Quick: QuickHook}
}
