package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

// addSaying adds a flag of a record, whose values go to said by its name. A list can be given several times.
func addSaying(flags *pflag.FlagSet, said map[string][]string, name, usage string, isList bool) {
	if isList {
		usage += "; can be repeated"
	}
	said[name] = nil
	flags.Func(name, usage, func(text string) error {
		said[name] = append(said[name], text)
		return nil
	})
}

// fill sets the lists of the record from the flags. It replaces the keys of open items by their texts.
func (c *creation) fill(d *runs.Draft, carried runs.Carried) error {
	said, open := c.Lists.said, carried.Open()
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
	for i, who := range c.Lists.who {
		d.Record.NextSteps[i].Who = who
	}
	for i, first := range c.Lists.verifyFirst {
		d.Record.NextSteps[i].VerifyFirst = first
	}
	d.Record.SelfAudit.Notes = said["note"]
	return nil
}

// named replaces the key of an open item by its text, and notes it. Any other text stays: it can be that of the item.
func (c *creation) named(f runs.Field, flag runs.Flag, said string, open map[string]string) (string, error) {
	key, state := said, ""
	if flag.State != "" {
		key, _ = runs.Table().Cut(f, flag, said)
		state = said[len(key):]
	}
	text, isOpen := open[key]
	switch before, _, _ := strings.Cut(said, "="); {
	case flag.State != "" && state == "" && isKey(before): // a key without a state
		return "", cli.Invalid("run `handoff onboard --markdown` to see their keys",
			"--%s %s: add = and open, promoted, refuted or carried_forward to the key", flag.Name, said)
	case isOpen:
		c.Note(fmt.Sprintf("--%s %s is %q", flag.Name, key, text))
		return text + state, nil
	case isKey(key):
		return "", cli.Invalid("run `handoff onboard --markdown` to see their keys",
			"--%s %s: none of the %d open items has this key", flag.Name, key, len(open))
	case flag.Open == "steps" && open[runs.Key(key)] == "":
		c.Note(fmt.Sprintf("warning: the project has no open next step %q; nothing is closed", key))
	}
	return said, nil
}

// isKey reports whether a text looks like the key of an open item or its number in a list.
func isKey(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil || len(text) == 6 && strings.Trim(text, "0123456789abcdef") == ""
}
