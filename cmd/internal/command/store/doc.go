// Package store has the commands of the group Store of `handoff help all`.
package store

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"init":   initCommand,
	"whoami": whoamiCommand,
	"operators": cli.Group("operators", "List, add, check and trust operators",
		operatorsHelp),
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
}

const operatorsHelp = `List, add and check the operators that handoffs can name. They are listed in
OPERATORS.md in the project root. Its frontmatter:

  ---
  schema_version: '1.0'
  operators:
    - id: ann
      display_name: Ann Example
      github_handle: ann-example
      git_email: ann@example.org
      capabilities: [human]
      active_since: 2026-01-01
      # active_until
      # require_signature: none or refuse
      # ssh_keys: [{key}]
  teams:
    web: [ann, ben]
  ---

Two capabilities have a meaning. With archive you can archive handoffs of
others. With human you can release what others hold.

--to web stores a handoff for each member of the team web, but not for you. A
member that has left gets none.`
