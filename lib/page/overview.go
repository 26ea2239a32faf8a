package page

import (
	"cmp"
	"html/template"
	"slices"
	"strings"
)

// newest is how many handoffs the first page shows.
const newest = 100

// A row is a handoff in a list.
type row struct {
	*Handoff
	Base string
}

// rows are handoffs in a list of a page from which base leads to the directory of the site.
func rows(base string, handoffs []*Handoff) []row {
	all := make([]row, len(handoffs))
	for i, h := range handoffs {
		all[i] = row{h, base}
	}
	return all
}

// A list is a page with handoffs in sections.
type list struct {
	Name     string
	Lead     string
	People   *matrix
	Picture  template.HTML
	Sections []section
	Months   []month
}

// title is what the browser shows of the page.
func (l list) title() string { return l.Name }

// A section is a list with a heading.
type section struct {
	Name string
	Rows []row
	More string // where the rest stands, "" if this is all
}

// A month has a timeline with so many handoffs.
type month struct {
	Name string
	N    int
}

// A matrix says for each person how many handoffs to them are in which state.
type matrix struct {
	States []string
	People []person
}

// A person is a line of the matrix: how many handoffs to them are in each state, and how many they have
// sent.
type person struct {
	Slug   string
	Counts []int
	Sent   int
}

// A job makes a page: its name, what is in it, and the template that draws it.
type job = func() (name string, data any, tmpl string)

// overviews are the pages that list: the first one, everything, one a person, one a month.
func (s *Site) overviews() []job {
	all := make([]*Handoff, len(s.Handoffs))
	byMonth := make(map[string][]*Handoff)
	byPerson := make(map[string][]*Handoff)
	for i := range s.Handoffs {
		h := &s.Handoffs[i]
		all[i] = h
		m := h.Time[:min(len(h.Time), 7)]
		byMonth[m] = append(byMonth[m], h)
		byPerson[h.To] = append(byPerson[h.To], h)
		if h.From != h.To {
			byPerson[h.From] = append(byPerson[h.From], h)
		}
	}
	months := s.months(byMonth)
	jobs := []job{
		func() (string, any, string) {
			first := section{Name: "Newest", Rows: rows("", all[:min(len(all), newest)])}
			if len(all) > newest {
				first.More = "all.html"
			}
			return "index.html", list{Name: "Overview", People: s.matrix(byPerson), Sections: []section{first}, Months: months}, "list"
		},
		func() (string, any, string) {
			return "all.html", list{Name: "All handoffs", Sections: []section{{Name: "All handoffs, newest first", Rows: rows("", all)}}}, "list"
		},
	}
	for slug, theirs := range byPerson {
		jobs = append(jobs, func() (string, any, string) { return personFile(slug), s.personPage(slug, theirs), "list" })
	}
	for name, within := range byMonth {
		jobs = append(jobs, func() (string, any, string) {
			return "timeline/" + name + ".html", list{Name: "Timeline of " + name, Lead: "Who handed what to whom; time goes down.", Picture: timeline("../", within), Months: months}, "list"
		})
	}
	return jobs
}

// months are all months that have a timeline, the newest first.
func (s *Site) months(of map[string][]*Handoff) []month {
	var all []month
	for name, within := range of {
		all = append(all, month{name, len(within)})
	}
	slices.SortFunc(all, func(a, b month) int { return cmp.Compare(b.Name, a.Name) })
	return all
}

// matrix counts who has what in which state.
func (s *Site) matrix(of map[string][]*Handoff) *matrix {
	m := &matrix{States: s.states}
	for slug, theirs := range of {
		p := person{Slug: slug, Counts: make([]int, len(s.states))}
		for _, h := range theirs {
			if h.From == slug {
				p.Sent++
			}
			if at := slices.Index(s.states, h.State); h.To == slug && at >= 0 {
				p.Counts[at]++
			}
		}
		m.People = append(m.People, p)
	}
	slices.SortFunc(m.People, func(a, b person) int { return cmp.Compare(a.Slug, b.Slug) })
	return m
}

// personPage lists what went to somebody by state, and what they sent.
func (s *Site) personPage(slug string, theirs []*Handoff) list {
	l := list{Name: slug, Lead: "What was handed to " + slug + ", by state, and what they handed to others."}
	for _, state := range s.states {
		var of []*Handoff
		for _, h := range theirs {
			if h.To == slug && h.State == state {
				of = append(of, h)
			}
		}
		if len(of) > 0 {
			l.Sections = append(l.Sections, section{Name: state, Rows: rows("../", of)})
		}
	}
	var sent []*Handoff
	for _, h := range theirs {
		if h.From == slug {
			sent = append(sent, h)
		}
	}
	if len(sent) > 0 {
		l.Sections = append(l.Sections, section{Name: "sent", Rows: rows("../", sent)})
	}
	return l
}

// A view is the page of one handoff.
type view struct {
	*Handoff
	Base     string
	HTML     template.HTML
	Withheld string
	Thread   []row
	Others   []string // references that are no links here
	Links    []link
}

// A link leads to a handoff that a reference names.
type link struct {
	How string
	Row row
}

// title is what the browser shows of the page.
func (v view) title() string { return v.Topic + ", " + v.From + " to " + v.To }

// handoffPage is the page of one handoff: what is known of it, the body or why it is not shown, and the
// thread that it belongs to.
func (s *Site) handoffPage(h *Handoff) (string, any, string) {
	v := view{Handoff: h, Base: "../"}
	s.link(&v)
	if text, err := h.Body(); err != nil {
		v.Withheld = err.Error()
	} else {
		v.HTML = markdown(text)
	}
	if t, ok := s.thread[h.ID]; ok {
		for _, n := range t.Around(maxThread).Nodes {
			v.Thread = append(v.Thread, row{s.byID[n.ID], "../"})
		}
	}
	return fileOf(h.ID), v, "handoff"
}

// link divides the references of a handoff into those that lead to a page and the others.
func (s *Site) link(v *view) {
	for _, reference := range v.References {
		how, id, _ := strings.Cut(reference, ":")
		other := s.byID[id]
		if name := relations[how]; name != "" && other != nil {
			v.Links = append(v.Links, link{name, row{other, v.Base}})
		} else {
			v.Others = append(v.Others, reference)
		}
	}
}

var relations = map[string]string{"re": "Answers", "supersedes": "Instead of"}

// maxThread is how many handoffs of a thread a page shows.
const maxThread = 60
