package records

import (
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/universal"
)

type hopFlags struct {
	cli.Fields
	*cli.Gate
	Record   hopRecord
	Approved bool
}

// A hopRecord has the flags of a universal handoff.
type hopRecord struct{ newRecord }

// Declare adds the flags.
func (r *hopRecord) Declare(flags *pflag.FlagSet) { r.declareKind(flags, universal.Kind, "") }

func hop(a *cli.App, f *hopFlags, names []string) error {
	if f.From != "" {
		return cli.Invalid("remove it", "--from: the sender is the skill that received the record")
	}
	p, err := a.Project()
	if err != nil {
		return err
	}
	got, err := recordOf(a, names[0])
	if err != nil {
		return err
	}
	if kind := record.Detect(got.text); kind != universal.Kind {
		return cli.Invalid("use a universal handoff", "%s is not a universal handoff", got.name)
	}
	r := &f.Record
	r.Kind = universal.Kind
	if err := r.prepare(a, p, f.Fields, false); err != nil {
		return err
	}
	source, err := record.Hop(r.Making, got.text, got.id, f.Approved)
	if err != nil {
		return err
	}
	return a.Write([]handoff.Source{source}, false, nil)
}
