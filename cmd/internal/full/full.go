// Package full assembles the full program: the commands of the fast program, those for records, and packages that start
// slowly.
package full

import (
	"context"

	"github.com/aymanbagabas/go-udiff"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
	"github.com/seed-78daf238/handoff/cmd/internal/command/agents"
	"github.com/seed-78daf238/handoff/cmd/internal/command/read"
	"github.com/seed-78daf238/handoff/cmd/internal/command/records"
	"github.com/seed-78daf238/handoff/cmd/internal/command/store"
	"github.com/seed-78daf238/handoff/cmd/internal/command/work"
	"github.com/seed-78daf238/handoff/cmd/internal/inbox"
	"github.com/seed-78daf238/handoff/cmd/internal/markdown"
	"github.com/seed-78daf238/handoff/cmd/internal/mcp"
	"github.com/seed-78daf238/handoff/cmd/internal/site"
	"github.com/seed-78daf238/handoff/cmd/internal/sshkey"
	"github.com/seed-78daf238/handoff/lib/exchange/bucket"
	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/signature"
	"github.com/seed-78daf238/handoff/lib/thread"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// Program returns the full program.
func Program() cli.Program {
	p := command.Program()
	p.Commands = append(p.Commands, read.FullCommands(), work.FullCommands(), agents.FullCommands(),
		store.FullCommands(), records.Commands, site.Commands, inbox.Commands, mcp.Commands)
	p.Full = &cli.Full{
		Words:     words,
		CheckBody: record.CheckBody,

		VerifySignature: signature.Verify,
		Sign:            sshkey.SignText,

		Body: func(body, title string, columns int, colors bool) []string {
			return markdown.Lines(body, markdown.Options{Width: columns, Title: title, Plain: !colors})
		},

		Diff:        udiff.Unified,
		Picture:     thread.Thread.As,
		ManPages:    writeManPages,
		ObjectStore: objectStore,

		IsRecord: func(text []byte) bool { return record.Detect(text) != "" },
		Records:  records.Stored,
		Warnings: record.WarnShared,
		Compose:  records.Compose,
	}
	return p
}

// words returns the values of a flag.
func words(a *cli.App, flag string) []string {
	switch flag {
	case "kind":
		return record.Kinds()
	case "encoding":
		return universal.Encodings()
	case "template":
		return records.Templates(a)
	}
	return nil
}

// objectStore returns the bucket of a remote. Its URL names the endpoint too: another server may have a bucket of this
// name.
func objectStore(ctx context.Context, r *handoff.UserRemote, getenv func(string) string) (objects.Store, string,
	error) {
	b, err := bucket.Open(ctx, bucket.Config{URL: r.URL.Value, Endpoint: r.Endpoint.Value, Region: r.Region.Value,
		Profile: r.Profile.Value, Insecure: r.Insecure.Value, Getenv: getenv})
	if err != nil {
		return nil, "", err
	}
	return b, b.URL(), nil
}
