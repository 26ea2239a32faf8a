// Package whole holds the commands that only the whole program has: those of records, those that look after
// a store, those that set up agents, and the server of the Model Context Protocol.
package whole

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/cmd/internal/markdown"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/signature"

	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

// An app is one run of the program.
type app struct{ *everyday.App }

// Program is what the whole program has beside the commands of a day.
func Program() *everyday.Whole {
	w := &everyday.Whole{
		Commands:  map[string]func(*everyday.App) *cobra.Command{},
		Words:     map[string][]string{"kind": record.Kinds(), "encoding": universal.Encodings()},
		Rules:     schema.Frontmatter(),
		CheckBody: record.CheckBody,

		VerifySignature: signature.Verify,
		Sign:            signText,

		Body: func(body string, columns int, colours bool) []string {
			return markdown.Lines(body, markdown.Options{Width: columns, Plain: !colours})
		},

		ManPages: printManPages,

		IsRecord: func(text []byte) bool { return record.Detect(text) != "" },
		Records:  records,
		Warnings: record.Shared,
		Compose: func(a *everyday.App, f everyday.Fields, at, start string) error {
			return (&app{a}).compose(f, at, start, everyday.Recording{})
		},
	}
	for name, build := range map[string]func(*app) *cobra.Command{
		"new": newCommand, "verify": verifyCommand, "doctor": doctorCommand, "log": logCommand, "record": recordCommand,
		"check": checkCommand, "resume": resumeCommand, "approve": approveCommand, "probes": probesCommand, "export": exportCommand, "prune": pruneCommand, "page": pageCommand, "import": importCommand, "sign": signCommand, "sync": syncCommand,
		"install": installCommand, "uninstall": uninstallCommand, "mcp": mcpCommand, "watch": watchCommand, "inbox": inboxCommand,
	} {
		w.Commands[name] = func(a *everyday.App) *cobra.Command { return build(&app{a}) }
	}
	return w
}

// records returns how the records of one run are stored.
func records(in everyday.Input) func(name string, text []byte) handoff.Source {
	o := record.Options{
		Kind: in.Kind, AllowEmpty: in.AllowEmpty, Rules: schema.Universal(),
		Head:   handoff.Document(in.Fields),
		Redact: in.Gate.Redact, Allow: in.Gate.Allow,
		Carried: record.Carried(func() (*handoff.Store, error) {
			_, s, err := in.NewStore()
			return s, err
		}), Project: in.ProjectName, Now: in.Now,
		Warn: func(text string) { in.Note("warning: " + text) },
	}
	return func(name string, text []byte) handoff.Source { return record.Source(name, text, o) }
}
