package operators

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
)

// A Team is a name for several recipients. A handoff to a team is stored once for each of them.
type Team struct {
	ID      string
	Members []string // ids of operators, each once
}

// Team returns the team with an id, and whether there is one.
func (l *List) Team(id string) (Team, bool) {
	i := slices.IndexFunc(l.teams, func(t Team) bool { return t.ID == id })
	if i < 0 {
		return Team{}, false
	}
	return Team{id, slices.Clone(l.teams[i].Members)}, true
}

// Teams returns the ids of the teams in the order of the file.
func (l *List) Teams() (ids []string) {
	if l == nil {
		return nil
	}
	for _, t := range l.teams {
		ids = append(ids, t.ID)
	}
	return ids
}

// Recipients returns the operators to whom a handoff from a sender to a team goes: the members that have not left,
// without the sender. A team of the sender alone returns the sender. If id is no team, it is returned alone.
func (l *List) Recipients(id, from string, now time.Time) []string {
	t, isTeam := l.Team(id)
	if !isTeam {
		return []string{id}
	}
	active := slices.DeleteFunc(t.Members, func(member string) bool {
		o, _ := l.of(member)
		return o.Offboarded(now)
	})
	others := slices.DeleteFunc(slices.Clone(active), func(member string) bool { return member == from })
	if len(others) == 0 {
		return active
	}
	return others
}

// teamsOf parses the teams. Their members must be operators of l.
func teamsOf(root document.Entries, l *List) (teams []Team) {
	lines := map[string]int{}
	for i, n := range root.List("teams") {
		team := root.Entries(n, fmt.Sprintf("teams[%d]", i), teamKeys...)
		t := Team{ID: team.Text("id", slug)}
		switch first, repeated := lines[t.ID]; {
		case t.ID == "":
		case t.ID == document.Next:
			root.Fault(team.Values["id"], "%q means whoever works here next; choose another id", t.ID)
		case repeated:
			root.Fault(n, "team %q is already on line %d; ids must differ", t.ID, first)
		case l.Has(t.ID):
			root.Fault(team.Values["id"], "team %q is an operator too; rename one of them", t.ID)
		}
		lines[t.ID] = n.Line
		if t.Members = membersOf(team, l); team.Values["members"] != nil && len(t.Members) == 0 {
			root.Fault(team.Values["members"], "%s has no members; add one", team.Name)
		}
		teams = append(teams, t)
	}
	return teams
}

// membersOf returns the members of a team, each once.
func membersOf(team document.Entries, l *List) (ids []string) {
	for i, n := range team.List("members") {
		id := team.Scalar(n, fmt.Sprintf("%s: members[%d]", team.Name, i), slug)
		if id != "" && !l.Has(id) {
			team.Fault(n, "%s: members[%d]: %s is not an operator of this file%s", team.Name, i, fault.Quote(id),
				l.suggestion(id))
		}
		if id == "" || !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
