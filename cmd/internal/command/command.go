// Package command has the commands of the program, a file each.
package command

import (
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

		"demo":   demoCommand,
		"init":   initCommand,
		"whoami": whoamiCommand,
		"operators": cli.Group("operators", "List, add, check and trust operators", operatorsHelp, operatorsListCommand,
			operatorsAddCommand, operatorsVerifyCommand, operatorsValidateCommand, operatorsTrustCommand),
		"sync":   syncCommand,
		"export": exportCommand,
		"import": importCommand,
		"verify": verifyCommand,
		"doctor": doctorCommand,
		"machine-fingerprint": cli.Group("machine-fingerprint",
			"Show the machine of the project, or move it to this one", "",
			machineFingerprintShowCommand, machineFingerprintRegenerateCommand),

		"install": installCommand,
		"hook":    hookCommand,
	}
	return cli.Program{Commands: []cli.Commands{all, tui.Commands, mcp.Commands}}
}
