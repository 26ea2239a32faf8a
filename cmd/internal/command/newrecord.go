package command

import (
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A newRecord holds the flags of new about a record. Said has the values of the flags of all kinds.
type newRecord struct{ record.Making }

// declare adds the flags of every kind. Two kinds can share a flag.
func (r *newRecord) declare(flags *pflag.FlagSet) {
	flags.StringVar(&r.Kind, "kind", "", "make a record of this `kind`: packet or universal")
	r.Said = map[string][]string{}
	for _, kind := range record.Makes() {
		for _, f := range record.Flags(kind) {
			usage := kind + ": " + f.Usage
			if f.Name == recordedFile {
				usage = "record the file `path` as it is, for check to compare; " + usage
			}
			if _, shared := r.Said[f.Name]; !shared {
				addSaying(flags, r.Said, f.Name, usage, f.List)
			}
		}
	}
	flags.StringArrayVar(&r.AllowEmpty, "allow-empty", nil,
		"accept an empty body, or this empty `field` of a packet; can be repeated")
}

// recordedFile is the flag for files to record. In a universal handoff it means files to read.
const recordedFile = "file"

// recorded returns the files to record. work reports whether the commit is recorded too.
func (r *newRecord) recorded(work bool) []string {
	if r.Kind == universal.Kind && !work {
		return nil
	}
	return r.Said[recordedFile]
}

// check returns an error if a flag does not belong to the kind.
func (r *newRecord) check() error {
	flags := record.Flags(r.Kind)
	for name, said := range r.Said {
		i := slices.IndexFunc(flags, func(f record.Flag) bool { return f.Name == name })
		switch {
		case len(said) == 0, i < 0 && name == recordedFile:
		case i < 0 && r.Kind == "":
			return cli.Invalid("add --kind", "--%s is a flag for records", name)
		case i < 0:
			return cli.Invalid("remove it", "--%s is not a flag for a %s", name, r.Kind)
		case len(said) > 1 && !flags[i].List:
			return cli.Invalid("give it once", "--%s is given %d times", name, len(said))
		}
	}
	if r.Kind == "" && len(r.AllowEmpty) > 0 && r.AllowEmpty[0] != cli.Body {
		return cli.Invalid("add --kind", "--allow-empty %s is for records", r.AllowEmpty[0])
	}
	return nil
}

// store creates and stores the record.
func (r *newRecord) store(a *cli.App, p handoff.Project, f cli.Fields) error {
	kind, allowed := r.Kind, r.AllowEmpty
	r.Options, r.Root, r.At = a.RecordOptions(f), p.Root, a.Now()
	r.Kind, r.AllowEmpty = kind, allowed
	if err := r.readFiles(); err != nil {
		return err
	}
	all, err := a.Recipients(func() string { return f.From }, r.Head.To)
	if err != nil {
		return err
	}
	sources := make([]handoff.Source, len(all))
	for i, to := range all {
		one := r.Making
		one.Head.To, one.Said = to, maps.Clone(r.Said)
		if sources[i], err = record.New(one); err != nil {
			return err
		}
	}
	return a.Write(sources)
}

// readFiles replaces the names of files by their contents.
func (r *newRecord) readFiles() error {
	for _, f := range record.Flags(r.Kind) {
		for i, name := range r.Said[f.Name] {
			if !f.File {
				break
			}
			content, err := cli.ReadInput(name)
			if err != nil {
				return err
			}
			r.Said[f.Name][i] = string(content)
		}
	}
	return nil
}
