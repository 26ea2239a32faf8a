package page

import (
	"cmp"
	_ "embed" // for the groups
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/palette"
)

// A group is a set of handoffs that people look for together. Each group is a list; the first four are the
// columns of the board.
type group struct {
	Key, Name string
	States    []string // the first has the sign and color of the group; none means any
	Oldest    string   // text before the age of the oldest; "" if no one waits for them
	Nothing   string   // text if the group is empty
	Empty     string   // text in a column without cards
	Most      int      // maximum number of cards in its column
}

//go:embed groups.json
var groupsFile []byte
var groups = form.Data[[]group](groupsFile)

// A tally holds the handoffs of a group, the newest first.
type tally struct {
	group
	Of   []*Handoff
	Note string // text that asks for action
	File string // the page that lists them all
}

// N returns the number of handoffs.
func (t tally) N() int { return len(t.Of) }

// First returns the handoffs that are shown next to the number.
func (t tally) First() []*Handoff { return t.Of[:min(len(t.Of), t.Most)] }

// tallies groups handoffs.
func (s *Site) tallies(handoffs []*Handoff, groups []group) []tally {
	all := make([]tally, len(groups))
	for i, g := range groups {
		of := chosen(handoffs, func(h *Handoff) bool { return slices.Contains(g.States, h.State) })
		all[i] = tally{group: g, Of: of, File: "list/" + g.Key + ".html"}
		switch {
		case len(of) == 0:
			all[i].Note = g.Nothing
		case g.Key == "awaiting" && len(s.Approvers) > 0:
			all[i].Note = "by " + anyOf(s.Approvers)
		case g.Oldest != "":
			m := s.At(of[len(of)-1].Since)
			age := " for " + strings.Replace(m.Age, "just now", "a moment", 1)
			if m.Age == m.Ago && m.Age != "just now" {
				age = " since " + m.Age // a day
			}
			all[i].Note = g.Oldest + age
		default:
			week := chosen(of, func(h *Handoff) bool {
				t, ok := form.Instant(h.Since)
				return ok && t.After(s.asOf.AddDate(0, 0, -7))
			})
			all[i].Note = number(len(week)) + " this week"
		}
	}
	return all
}

// anyOf joins the names of people, one of whom is enough.
func anyOf(names []string) string {
	const most = 3
	if n := len(names); n > most {
		return strings.Join(names[:most-1], ", ") + " or " + fmt.Sprint(n-most+1, " others")
	} else if n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}

// by returns who brought a handoff into its state, or "".
func (h *Handoff) by() string {
	who := ""
	for _, e := range h.Events {
		if e.Did == h.State || e.Did == "rejected" && h.State == "awaiting" {
			who = e.Operator
		}
	}
	return who
}

// StateText returns the state in words.
func (r row) StateText() string {
	by := r.H.by()
	switch {
	case r.H.State == "awaiting" && by != "":
		return "rejected by " + by
	case r.H.State == "awaiting":
		return "awaiting approval"
	case by != "":
		return r.H.State + " by " + by
	}
	return r.H.State
}

// Turn returns who has to act next, or "".
func (r row) Turn() string {
	h, by := r.H, r.H.by()
	switch {
	case h.State == "unread", h.State == "read":
		return h.To
	case h.State == "taken":
		return by + ", the holder"
	case h.State == "awaiting" && by == "":
		return cmp.Or(anyOf(r.deciders()), "an approver")
	}
	return ""
}

// deciders returns the operators who can approve a handoff. The sender cannot.
func (r row) deciders() []string {
	return slices.DeleteFunc(slices.Clone(r.Approvers), func(name string) bool { return name == r.H.From })
}

// Detail returns the short text of a card.
func (r row) Detail() string {
	h, by := r.H, r.H.by()
	switch {
	case h.State == "awaiting" && by == "" && len(r.deciders()) > 0:
		return "asks " + anyOf(r.deciders())
	case by != "" && by+h.State != h.To+"taken":
		return r.StateText()
	case h.thread != nil:
		return fmt.Sprint(len(h.thread.Nodes), " in thread")
	case len(h.Tags) > 0:
		return h.Tags[0]
	}
	return ""
}

// Expiring returns the time until a handoff expires, if that is soon and the handoff is open.
func (r row) Expiring() string {
	t, ok := form.Instant(r.H.Expires)
	isOpen := slices.Contains([]string{"unread", "taken", "awaiting"}, r.H.State)
	if left := t.Sub(r.asOf); !ok || !isOpen || left < 0 || left > 7*24*time.Hour {
		return ""
	}
	return strings.TrimSuffix(form.Ago(r.asOf, t), " ago")
}

// A board is the first page.
type board struct {
	Columns, Others []tally
	People          []personTally
	Threads         []*conversation // the newest ones
	AllThreads      int
	Days            []int // the number of new handoffs on each of the last days
	Busiest         int
	From            string // the first of these days
}

func (s *Site) board() page {
	if len(s.all) == 0 {
		return page{Name: "index.html", Template: "empty", Heading: "Nothing has been handed over yet"}
	}
	const days = 28
	today := s.asOf.Truncate(24 * time.Hour)
	b := board{Columns: s.tallies(s.all, groups()[:4]), Others: s.tallies(s.all, groups()[4:]), People: s.allPeople(),
		Threads: s.threads[:min(len(s.threads), 5)], Days: make([]int, days)}
	b.AllThreads = len(s.threads)
	b.From = today.AddDate(0, 0, 1-days).Format("2 Jan")
	for _, h := range s.all {
		if t, ok := form.Instant(h.Time); ok {
			if ago := int(today.Sub(t.Truncate(24*time.Hour)).Hours() / 24); ago >= 0 && ago < days {
				b.Days[days-1-ago]++
			}
		}
	}
	b.Busiest = slices.Max(b.Days)
	return page{Name: "index.html", Template: "board", Heading: "Board", Part: "Board", Content: b}
}

// Bar returns the position and height of a day's bar, in percent.
func (b board) Bar(i int) (bar struct{ Left, Top, High string }) {
	high := float64(b.Days[i]) / float64(max(b.Busiest, 1)) * 90
	bar.Left, bar.Top, bar.High = percent((float64(i)+.14)/float64(len(b.Days))*100), percent(100-high), percent(high)
	return bar
}

func percent(x float64) string { return fmt.Sprintf("%.2f%%", x) }

// Today returns the number of handoffs on the last day.
func (b board) Today() int { return b.Days[len(b.Days)-1] }

// A personTally is a person with their handoffs.
type personTally struct {
	palette.Person
	Columns []tally
	Sent    []*Handoff
}

// Waiting returns the number of handoffs that wait for the person.
func (s personTally) Waiting() int { return s.Columns[0].N() }

// allPeople returns all people, those with the most waiting handoffs first.
func (s *Site) allPeople() []personTally {
	to, from := make(map[string][]*Handoff), make(map[string][]*Handoff)
	for _, h := range s.all {
		to[h.To] = append(to[h.To], h)
		from[h.From] = append(from[h.From], h)
	}
	all := make([]personTally, len(s.people))
	for i, who := range s.people {
		all[i] = personTally{who, s.tallies(to[who.Name], groups()[:4]), from[who.Name]}
	}
	slices.SortStableFunc(all, func(a, b personTally) int { return cmp.Compare(b.Waiting(), a.Waiting()) })
	return all
}

// peoplePages returns a page of all people, and one for each person, with lists of further handoffs.
func (s *Site) peoplePages() []job {
	all := s.allPeople()
	jobs := []job{func() page {
		return page{Name: "people.html", Template: "people", Heading: "People", Part: "People", Content: all}
	}}
	for _, who := range all {
		file := personFile(who.Name)
		sent := tally{group: group{Key: "sent", Name: "Handed over", Most: 8}, Of: who.Sent}
		sections := append(slices.Clone(who.Columns), sent)
		for i := range sections {
			x := &sections[i]
			x.File = strings.TrimSuffix(file, ".html") + "." + x.Key + ".html"
			if x.N() > x.Most {
				jobs = append(jobs, s.pages(x.File, who.Name+": "+strings.ToLower(x.Name), "People", x.Of, nil)...)
			}
		}
		jobs = append(jobs, func() page {
			return page{Name: file, Template: "person", Heading: who.Name, Part: "People", Content: struct {
				Person   palette.Person
				Sections []tally
			}{who.Person, sections}}
		})
	}
	return jobs
}

// perPage is the number of handoffs on a page of a list.
const perPage = 100

// A list is a page of handoffs, with links to the pages before and after it.
type list struct {
	Rows          []*Handoff
	From, To, Of  int
	Before, After string
	Tabs          []tally
	Threads       []*conversation
	Flow          flow
	Months        []month
}

// numbered returns the name of the nth page of a list, counted from 0.
func numbered(file string, n int) string {
	if n == 0 {
		return file
	}
	return fmt.Sprintf("%s.%d.html", strings.TrimSuffix(file, ".html"), n+1)
}

// cut divides n entries into pages.
func cut(file string, n int, draw func(from, to int, l list) page) (jobs []job) {
	for i := 0; i == 0 || i*perPage < n; i++ {
		l := list{From: i*perPage + 1, To: min(n, (i+1)*perPage), Of: n}
		if i > 0 {
			l.Before = numbered(file, i-1)
		}
		if l.To < n {
			l.After = numbered(file, i+1)
		}
		jobs = append(jobs, func() page {
			p := draw(i*perPage, l.To, l)
			p.Name = numbered(file, i)
			return p
		})
	}
	return jobs
}

// pages returns the pages of a list of handoffs.
func (s *Site) pages(file, heading, part string, handoffs []*Handoff, tabs []tally) []job {
	return cut(file, len(handoffs), func(from, to int, l list) page {
		l.Rows, l.Tabs = handoffs[from:to], tabs
		return page{Template: "list", Heading: heading, Part: part, Content: l}
	})
}

// lists returns the pages of all handoffs, and those of each group.
func (s *Site) lists() (jobs []job) {
	all := tally{group: group{Key: "all", Name: "All"}, Of: s.all, File: "list/all.html"}
	tabs := append([]tally{all}, s.tallies(s.all, groups())...)
	tabs = slices.DeleteFunc(tabs, func(t tally) bool { return t.N() == 0 && t.Most == 0 })
	for _, t := range tabs {
		jobs = append(jobs, s.pages(t.File, t.Name, "All", t.Of, tabs)...)
	}
	return jobs
}
