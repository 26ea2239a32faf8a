package records

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

// sayings are what the flags about a record say, by their names.
type sayings map[string]*[]string

// register adds a flag; isList says that it may be given several times.
func (s sayings) register(flags *pflag.FlagSet, name, usage string, isList bool) {
	said := new([]string)
	s[name] = said
	if isList {
		cli.Texts(flags, said, name, usage)
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

// fill turns what the flags say into the lists of the record. Keys stand for what is carried into it.
func (c *creation) fill(d *runs.Draft, carried runs.Carried) error {
	said, open := c.said.texts(), carried.Open()
	for _, f := range runs.Table().Fields {
		for _, flag := range f.Flags {
			for i, text := range said[flag.Name] {
				if flag.Open == "" {
					break
				}
				named, err := c.named(f, flag, text, open[flag.Open])
				if err != nil {
					return err
				}
				said[flag.Name][i] = named
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

// named replaces the key of an open item by its text, and says which that is. Any other text stays, so that it can be
// the item's own.
func (c *creation) named(f runs.Field, flag runs.Flag, said string, open map[string]string) (string, error) {
	key, state := said, ""
	if flag.State != "" {
		key, _ = runs.Table().Cut(f, flag, said)
		state = said[len(key):]
	}
	text, isOpen := open[key]
	switch before, _, _ := strings.Cut(said, "="); {
	case flag.State != "" && state == "" && isKey(before): // of one that is open, and no text of a new one
		return "", cli.Invalid("run `handoff onboard --markdown` to see their keys",
			"--%s %s: a key is followed by = and open, promoted, refuted or carried_forward", flag.Name, said)
	case isOpen:
		c.Note(fmt.Sprintf("--%s %s is %q", flag.Name, key, text))
		return text + state, nil
	case isKey(key):
		return "", cli.Invalid("run `handoff onboard --markdown` to see their keys", "--%s %s: of the %d that are open, none has this key", flag.Name, key, len(open))
	case flag.Open == "steps" && open[runs.Key(key)] == "":
		c.Note(fmt.Sprintf("warning: no open next step of the project is called %q, so nothing is closed by it", key))
	}
	return said, nil
}

// isKey reports whether a text can only be meant for the key of an open item, or for its place in a list.
func isKey(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil || len(text) == 6 && strings.Trim(text, "0123456789abcdef") == ""
}
