package whole

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

// sayings are what the flags about a record say, by their names.
type sayings map[string]*[]string

// register adds a flag; isList says that it may be given several times.
func (s sayings) register(flags *pflag.FlagSet, name, usage string, isList bool) {
	said := new([]string)
	s[name] = said
	if isList {
		everyday.Texts(flags, said, name, usage)
		return
	}
	flags.Func(name, usage, func(text string) error {
		*said = append(*said, text)
		return nil
	})
}

// texts returns what is said.
func (s sayings) texts() map[string][]string {
	texts := map[string][]string{}
	for name, said := range s {
		texts[name] = *said
	}
	return texts
}

// fill turns what the flags say into the lists of the record. Numbers stand for what is carried into it.
func (c *creation) fill(d *runs.Draft, carried runs.Carried) error {
	said, open := c.said.texts(), carried.Open()
	for _, f := range runs.Table().Fields {
		for _, flag := range f.Flags {
			for i, text := range said[flag.Name] {
				name, state := runs.Table().Cut(f, flag, text)
				switch number, _, _ := strings.Cut(text, "="); {
				case flag.Open == "":
					continue
				case flag.State == "":
					state = ""
				case name != text:
					state = "=" + state
				case isNumber(number): // of one that is open, and no text of a new one
					return everyday.Invalid("run `handoff onboard --markdown` to see their numbers",
						"--%s %s: a number is followed by = and open, promoted, refuted or carried_forward", flag.Name, text)
				default:
					continue
				}
				named, err := c.named("--"+flag.Name, name, open[flag.Open])
				if err != nil {
					return err
				}
				said[flag.Name][i] = named + state
			}
		}
	}
	if err := d.Say(said); err != nil {
		return err
	}
	for i, who := range c.who {
		d.Record.NextSteps[i].Who = who
	}
	for i, first := range c.verifyFirst {
		d.Record.NextSteps[i].VerifyFirst = first
	}
	d.Record.SelfAudit.Notes = said["note"]
	return nil
}

// named replaces the number of an open item by its text, and says which that is. Any other text stays, so that it can be the
// item's own.
func (c *creation) named(flag, text string, open []string) (string, error) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil, slices.Contains(open, text):
		return text, nil
	case n < 1 || n > len(open):
		return "", everyday.Invalid("run `handoff onboard --markdown` to see their numbers", "%s %s: of the %d that are open, none has this number", flag, text, len(open))
	}
	c.Note(fmt.Sprintf("%s %s is %q", flag, text, open[n-1]))
	return open[n-1], nil
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}
