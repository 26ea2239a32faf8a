package everyday

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Duration adds a flag for a duration, which takes days and weeks too.
func Duration(f *pflag.FlagSet, value *time.Duration, name, usage string) {
	f.Var((*duration)(value), name, usage)
}

type duration time.Duration

// String is "" for none, so that help names no default of its own.
func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *duration) Set(text string) error {
	value, err := handoff.ParseDuration(text)
	*d = duration(value)
	return err
}

func (d *duration) Type() string { return "duration" }
