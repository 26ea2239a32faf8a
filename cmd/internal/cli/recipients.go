package cli

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Recipients returns the operators that --to names, each once: names with commas between them, where a team means its
// members. from returns the sender, who is left out of a team of several. An empty to is one unknown recipient, "".
func (a *App) Recipients(from func() string, to string) ([]string, error) {
	var all []string
	for name := range strings.SplitSeq(to, ",") {
		if name = strings.TrimSpace(name); name == "" && to != "" {
			return nil, Invalid("put one comma between two names: --to ben,cy", "--to %q has an empty name", to)
		}
		for _, one := range a.membersOf(name, from) {
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

// membersOf returns the members of a team, or name alone. If the operators file cannot be used, storing reports it.
func (a *App) membersOf(name string, from func() string) []string {
	if name != "" {
		if list := a.listedOperators(); slices.Contains(list.Teams(), name) {
			return list.Recipients(name, from(), a.Now())
		}
	}
	return []string{name}
}

// listedOperators returns the operators that handoffs can name, nil if there is no usable list.
func (a *App) listedOperators() *handoff.OperatorList {
	a.look()
	if s := a.Quietly(); s != nil {
		if list, err := s.Registry().Policy(); err == nil {
			return list
		}
	}
	return nil
}

// forEach returns a source for each recipient of the fields. one makes it from the fields with a single recipient.
func (in *Input) forEach(one func(f Fields) (handoff.Source, error)) (sources []handoff.Source, err error) {
	if in.to == nil {
		if in.to, err = in.Recipients(in.sender, in.Fields.To); err != nil {
			return nil, err
		}
	}
	sources = make([]handoff.Source, len(in.to))
	for i, to := range in.to {
		f := in.Fields
		f.To = to
		if sources[i], err = one(f); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// sender returns the sender of documents that name none.
func (in *Input) sender() string {
	if in.Fields.From != "" {
		return in.Fields.From
	}
	return in.self()
}

// offerRecipients completes the last of the recipients in --to: operators and teams.
func (a *App) offerRecipients(typed string) []string {
	names := slices.Concat(a.KnownOperators(), []string{handoff.Next}, a.listedOperators().Teams())
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	for i := range names {
		names[i] = before + names[i]
	}
	return names
}
