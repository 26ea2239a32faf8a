package work

import (
	"errors"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// actFlags are the flags of actions that ask the remote.
type actFlags struct {
	*cli.Who
	*cli.Session
	cli.Offline
}

type takeFlags struct {
	actFlags
	For    *time.Duration
	Steal  bool
	Reason string `needs:"steal"`
}

func take(a *cli.App, f *takeFlags, ids []string) error {
	act, who := handoff.ActTake, handoff.Consumption{Session: a.SessionID(), Reason: f.Reason}
	if f.For != nil {
		who.For = *f.For
	}
	switch {
	case f.For != nil && who.For <= 0:
		return cli.Invalid("use a duration such as 30m or 2h", "--for needs a duration longer than 0")
	case f.Steal && strings.TrimSpace(who.Reason) == "":
		return cli.Invalid("add --reason TEXT", "--steal needs a reason: the holder will read it")
	case f.Steal && !a.CanAsk():
		return cli.Invalid("run it at a terminal", "--steal is for people at a terminal")
	case f.Steal:
		act = handoff.ActRevoke
	}
	return perform(a, f.Offline, act, ids, who, nil)
}

type notedFlags struct {
	actFlags
	Note string
}

// noted returns the function of a command that performs an action with a note.
func noted(act handoff.Act) func(*cli.App, *notedFlags, []string) error {
	return func(a *cli.App, f *notedFlags, ids []string) error {
		return perform(a, f.Offline, act, ids, handoff.Consumption{Session: a.SessionID(), Reason: f.Note}, nil)
	}
}

type doneFlags struct {
	actFlags
	Note  string `not:"reply"`
	Reply string
	Undo  bool `not:"reply"`
}

func done(a *cli.App, f *doneFlags, ids []string) error {
	act, who := handoff.ActDone, handoff.Consumption{Session: a.SessionID(), Reason: f.Note}
	if f.Undo {
		act = handoff.ActReopen
	}
	if f.Reply == "" {
		return perform(a, f.Offline, act, ids, who, nil)
	}
	in := cli.Input{App: a}
	name, text, err := in.ReadNamed(f.Reply) // before anything is finished
	if err != nil {
		return err
	}
	return in.Kept(perform(a, f.Offline, act, ids, who, func(operator string) (func(*handoff.ActReceipt) error, error) {
		if len(ids) > 1 {
			return nil, cli.Invalid("finish each with its own --reply", "--reply answers one handoff, not %d", len(ids))
		}
		return replyTo(&in, ids[0], operator, name, text)
	}))
}

// sentBy returns the id of the newest handoff that an operator has sent and nobody has read.
func sentBy(s *handoff.Store, operator string) (string, error) {
	sent, err := s.List(handoff.Filter{From: operator, Unread: true})
	if err == nil && len(sent) == 0 {
		err = cli.Invalid("run `handoff list --from "+operator+"`",
			"@ is the newest handoff that you have sent and nobody has read; %s has none", fault.Own(operator))
	}
	if err != nil {
		return "", err
	}
	return handoff.NewestFirst(sent)[0].ID, nil
}

// replyTo returns a function that stores a text as the answer to a handoff, once the operator has finished it. A text
// that cannot be stored is refused here, before the handoff is finished.
func replyTo(in *cli.Input, id, operator, name string, text []byte) (then func(*handoff.ActReceipt) error, err error) {
	_, s, err := in.NewStore()
	if err != nil {
		return nil, err
	}
	e, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	doc := handoff.Reply(e, operator)
	in.Fields = cli.Fields{From: doc.From, To: doc.To, Topic: doc.Topic, References: doc.References}
	before := *in
	before.At = e.Time // it is not finished yet
	return func(done *handoff.ActReceipt) error {
		in.Ending, in.At = done, done.Time // so that a repeated command stores the same handoff
		sources, err := in.Text(name, text)
		if err != nil {
			return err
		}
		return in.Write(sources)
	}, in.Try(before.Text(name, text))
}

// perform performs an action on handoffs. first checks the request of the operator and may return a function to run
// after the action; nil does neither.
func perform(a *cli.App, offline cli.Offline, act handoff.Act, ids []string, who handoff.Consumption,
	first func(operator string) (then func(*handoff.ActReceipt) error, err error)) error {
	p, s, err := a.OnceStore(offline)
	if err != nil {
		return err
	}
	if who.Operator, err = a.Acting(p, s, a.Who.Operator, ids...); err != nil {
		return err
	}
	for i := range ids {
		if ids[i], err = meant(a, s, ids[i], who.Operator, act); err != nil {
			return err
		}
	}
	var then func(*handoff.ActReceipt) error
	if first != nil {
		if then, err = first(who.Operator); err != nil {
			return err
		}
	}
	ctx, stop := a.Stoppable()
	defer stop()
	return s.Lifecycle().ActAll(ctx, act, ids, who, func(got handoff.ActReceipt) error {
		var failed error
		if then != nil {
			failed = then(&got)
		}
		return errors.Join(printAct(a, s, got), failed)
	})
}

// meant returns the handoff that @ means for an act: to end it or give it back the one that the operator has taken, to
// undo that the one that the operator ended last, to withdraw the one that the operator sent last. Any other name, and
// @ for another act, is returned as it is.
func meant(a *cli.App, s *handoff.Store, name, operator string, act handoff.Act) (string, error) {
	undoes := map[handoff.Act]handoff.Act{handoff.ActReopen: handoff.ActDone,
		handoff.ActUnarchive: handoff.ActArchive}[act]
	switch {
	case name != "@":
		return name, nil
	case act == handoff.ActDone || act == handoff.ActRelease:
		return a.Taken(s, operator, a.SessionID())
	case act == handoff.ActWithdraw:
		return sentBy(s, operator)
	case undoes == "":
		return name, nil
	}
	id := s.Lifecycle().Last(operator, undoes)
	if id == "" {
		did := "finished"
		if undoes == handoff.ActArchive {
			did = "archived"
		}
		return "", cli.Invalid("name the handoff", "@ is the handoff that you have %s last, but %s has %s none", did,
			fault.Own(operator), did)
	}
	return id, nil
}
