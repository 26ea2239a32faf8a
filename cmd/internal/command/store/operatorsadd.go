package store

import (
	"cmp"
	"os"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type addFlags struct {
	Name, Email string
	GitHub      string `flag:"github"`
	Capability  []string
	Key         string
}

func addOperator(a *cli.App, f *addFlags, ops []string) error {
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	o := handoff.Operator{ID: ops[0], DisplayName: cmp.Or(f.Name, ops[0]), GitEmail: f.Email, GitHubHandle: f.GitHub,
		Capabilities: f.Capability, ActiveSince: a.Now().UTC().Format(time.DateOnly)}
	if len(o.Capabilities) == 0 {
		o.Capabilities = []string{"write"}
	}
	key := f.Key
	if key != "" {
		if _, err := os.Stat(key); err == nil {
			text, err := cli.ReadInput(key)
			if err != nil {
				return err
			}
			key = string(text)
		}
		o.SSHKeys = []handoff.SSHKey{{Key: strings.TrimSpace(key)}}
	}
	if err := s.Registry().Add(o); err != nil {
		return err
	}
	if me := p.Me(); me != "" && s.Registry().Check(me) != nil {
		a.Note("you are not in " + p.Options.OperatorsFile + ": run `handoff operators add " + me + "`")
	}
	return a.Did(o, "added "+o.ID+" to "+p.Options.OperatorsFile)
}
