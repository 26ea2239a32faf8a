package work

import (
	"cmp"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command/read"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type nextFlags struct {
	*cli.Who
	To string `not:"operator take"` // --operator says who takes it
	cli.Origin
	Take    bool
	Session string `needs:"take"`
	Offline bool   `needs:"take"`
	Format  string `one:"table,rows,jsonl,ids,json"`
}

func next(a *cli.App, f *nextFlags, _ []string) error {
	cli.CollectOften()
	p, s, err := a.OnceStore(cli.Offline{Offline: f.Offline})
	if err != nil {
		return err
	}
	chosen, err := (&cli.Filter{To: f.To, Origin: f.Origin}).Chosen(a)
	if err != nil {
		return err
	}
	if chosen.To, err = a.Acting(p, s, cmp.Or(f.Operator, chosen.To)); err != nil {
		return err
	}
	if f.Take {
		who := handoff.Consumption{Operator: chosen.To, Session: cmp.Or(f.Session, a.SessionID())}
		return takeNext(a, s, chosen, who)
	}
	e, ok, err := s.Next(chosen, a.SessionID(), nil)
	if err == nil && !ok {
		a.NoteNothing(p, s, "nothing to do for "+chosen.To)
	}
	if err != nil || !ok {
		return err
	}
	return read.PrintList(a, s, []handoff.Entry{e}, read.FormatOf(a, f.Format))
}

func takeNext(a *cli.App, s *handoff.Store, chosen handoff.Filter, who handoff.Consumption) error {
	ctx, stop := a.Stoppable()
	defer stop()
	got, ok, err := s.Lifecycle().TakeNext(ctx, chosen, who)
	if err != nil || !ok {
		return err
	}
	return printAct(a, s, got)
}
