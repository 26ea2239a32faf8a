package store

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func whoami(a *cli.App, _ *cli.None, _ []string) error {
	p, err := a.Project()
	if err != nil {
		return err
	}
	me := p.Identity()
	if me.Operator == "" {
		return cli.UnknownOperator("")
	}
	if s, err := handoff.Open(p.Options); err == nil {
		a.NoteSlips(s, me.Operator)
	}
	return a.Show(me, me.Operator+" ("+handoff.EscapeLine(me.Source)+")\n")
}
