package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Recipients returns the operators that --to names, each once: names with commas between them, where a team means its
// members. from returns the sender, who is left out of a team of several. An empty to is one unknown recipient, "".
func (a *App) Recipients(from func() string, to string) ([]string, error) {
	if to == "" {
		return []string{""}, nil
	}
	var all []string
	list := a.listedOperators()
	for name := range strings.SplitSeq(to, ",") {
		name = Name(strings.TrimSpace(name))
		if name == "" {
			return nil, Invalid("put one comma between two names: --to ben,cy", "--to %q has an empty name", to)
		}
		members := []string{name}
		if slices.Contains(list.Teams(), name) {
			members = list.Recipients(name, from(), a.Now())
		}
		for _, one := range members {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	if len(all) == 0 {
		return nil, Invalid("change active_until in OPERATORS.md, or choose another recipient",
			"all members of the team %q have left", to)
	}
	return all, nil
}

// listedOperators returns the operators that handoffs can name, nil if there is no usable list: storing reports why.
func (a *App) listedOperators() *handoff.OperatorList {
	if s := a.Quietly(); s != nil {
		if list, err := s.Registry().Policy(); err == nil {
			return list
		}
	}
	return nil
}

// prepare completes the flags, and finds what the text is about, the recipients, and whether their names are right.
func (w *Writing) prepare() error {
	if err := cmp.Or(w.Relating.Apply(w.App, &w.Fields), w.open()); err != nil {
		return err
	}
	for i, id := range w.Related() {
		if e, err := w.store.Find(id); err == nil && w.about == nil {
			w.about, w.isReply = &e, i < len(w.Re)
		}
	}
	if me := w.self(); w.about != nil && !w.isReply && me != "" && me != w.about.From && !w.about.IsTo(me) {
		w.Note(Short(w.about.ID, Shortest) + " is not replaced: " + me + " is neither its sender nor its recipient")
	}
	return w.prepareNames()
}

// prepareNames finds the recipients.
func (w *Writing) prepareNames() (err error) {
	if w.to, err = w.Recipients(w.self, w.To); err != nil {
		return err
	}
	return w.CheckNames(w.store, w.to, w.From)
}

// CheckNames returns an error if a recipient or the sender that flags name is probably another one.
func (a *App) CheckNames(s *handoff.Store, to []string, from string) error {
	for i, name := range append(slices.Clone(to), from) {
		flag := "--to"
		if i == len(to) {
			flag = "--from"
		}
		if err := handoff.CheckOperator(name); name != "" && err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		if err := a.CheckName(s, name, "Store it for "+name+"?"); err != nil {
			return err
		}
	}
	return nil
}

// AnswerTo makes the text the answer to a handoff; "@" is the one that the operator holds.
func (w *Writing) AnswerTo(id string) error {
	w.IDs = []string{id}
	s, err := w.App.Store() // outside a project, there is nothing to answer
	if err = cmp.Or(err, w.open()); err == nil && id == "@" {
		id, err = w.Taken(s, w.self(), w.SessionID())
	}
	if err != nil {
		return err
	}
	e, err := s.Find(id)
	if err != nil {
		return err
	}
	w.Re, w.IDs = append([]string{e.ID}, w.Re...), []string{Short(e.ID, Shortest)}
	return nil
}
