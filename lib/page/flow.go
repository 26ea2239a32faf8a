package page

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/md"
	"github.com/seed-78daf238/handoff/lib/palette"
	"github.com/seed-78daf238/handoff/lib/thread"
)

// A flow shows who handed over to whom: a lane for each person, from left to right, and a row for each handoff.
type flow struct {
	People []palette.Person
	Days   []day
}

// A day is a group of consecutive rows.
type day struct {
	Name string
	Rows []arrow
}

// An arrow is the arrow of a handoff, from lane to lane.
type arrow struct {
	H              *Handoff
	How            string // its relations to other handoffs
	From, To       string // the middle of each lane, in percent
	IsBack, IsLoop bool
}

// IsMany reports whether a narrow screen has no room for the lanes next to the text.
func (f flow) IsMany() bool { return len(f.People) > 6 }

// flow returns the flow of handoffs, in their order.
func (s *Site) flow(handoffs []*Handoff) (f flow) {
	t := thread.Thread{}
	for _, h := range handoffs {
		t.Nodes = append(t.Nodes, h.node())
	}
	people := t.People()
	f.People = s.shown(t)
	for i, h := range handoffs {
		from, to := thread.Lane(people, h.From), thread.Lane(people, h.To)
		if name := at(h.Time, "Mon 2 Jan 2006"); len(f.Days) == 0 || f.Days[len(f.Days)-1].Name != name {
			f.Days = append(f.Days, day{Name: name})
		}
		last := &f.Days[len(f.Days)-1]
		x1, x2 := thread.Center(from, len(people)), thread.Center(to, len(people))
		last.Rows = append(last.Rows, arrow{h, t.Nodes[i].How(), x1, x2, to < from, to == from})
	}
	return f
}

// shown returns the people of a thread.
func (s *Site) shown(t thread.Thread) (all []palette.Person) {
	for _, name := range t.People() {
		all = append(all, s.Who(name))
	}
	return all
}

// node returns the handoff as a node of a thread.
func (h *Handoff) node() thread.Node {
	return thread.Node{ID: h.ID, From: h.From, To: h.To, Topic: h.Topic, Title: h.Title, Time: h.Time, State: h.State,
		Re: h.Re, Supersedes: h.Supersedes}
}

// A month is the timeline of one month.
type month struct {
	Name, File string
	Of         []*Handoff
}

// N returns the number of handoffs.
func (m month) N() int { return len(m.Of) }

// months groups the handoffs by the month in which they were written, the newest first.
func (s *Site) months() (all []month) {
	written := slices.Clone(s.all)
	slices.SortStableFunc(written, func(a, b *Handoff) int { return index.CompareTimes(b.Time, a.Time) })
	for _, h := range written {
		if file := monthFile(h.Time); len(all) == 0 || all[len(all)-1].File != file {
			all = append(all, month{Name: at(h.Time, "January 2006"), File: file})
		}
		last := &all[len(all)-1]
		last.Of = append(last.Of, h)
	}
	return all
}

// monthFile returns the file of the timeline of an instant's month.
func monthFile(instant string) string {
	return "timeline/" + instant[:min(len(instant), len("2006-01"))] + ".html"
}

// Newest returns the file of the last month's timeline.
func (s *Site) Newest() string { return s.newest }

func (s *Site) timelines() (jobs []job) {
	months := s.months()
	for _, m := range months {
		jobs = append(jobs, cut(m.File, m.N(), func(from, to int, l list) page {
			l.Flow, l.Months = s.flow(m.Of[from:to]), months
			return page{Template: "timeline", Heading: m.Name, Part: "Timeline", Content: l}
		})...)
	}
	return jobs
}

// A conversation is a thread on the site.
type conversation struct {
	thread.Thread
	People []palette.Person
	Last   *Handoff // the newest handoff
	File   string
}

// Title returns the title of the first handoff.
func (c *conversation) Title() string { return c.Nodes[0].Title }

// findThreads finds the threads of answers and successors. They are ordered by time.
func (s *Site) findThreads() {
	root := make(map[string]string)
	find := func(id string) string {
		for root[id] != "" && root[id] != id {
			if above := root[root[id]]; above != "" {
				root[id] = above
			}
			id = root[id]
		}
		return id
	}
	for _, h := range s.all {
		for _, other := range slices.Concat(h.Re, h.Supersedes) {
			if s.byID[other] != nil {
				root[find(h.ID)] = find(other)
			}
		}
	}
	nodes := make(map[string][]thread.Node)
	for _, h := range s.all {
		nodes[find(h.ID)] = append(nodes[find(h.ID)], h.node())
	}
	for _, together := range nodes {
		if len(together) == 1 {
			continue
		}
		c := &conversation{Thread: thread.New("", together)}
		c.File = "t/" + strings.TrimPrefix(c.Nodes[0].ID, prefix) + ".html"
		c.People = s.shown(c.Thread)
		for _, n := range c.Nodes {
			h := s.byID[n.ID]
			if h.thread = c; c.Last == nil || index.CompareTimes(h.Since, c.Last.Since) > 0 {
				c.Last = h
			}
		}
		s.threads = append(s.threads, c)
	}
	slices.SortFunc(s.threads, func(a, b *conversation) int {
		return cmp.Or(index.CompareTimes(b.Last.Since, a.Last.Since), cmp.Compare(a.File, b.File))
	})
}

// maxThread is the number of handoffs of a thread that are drawn, the newest.
const maxThread = 200

// handoffs returns the handoffs of a thread that are drawn.
func (s *Site) handoffs(t thread.Thread) (all []*Handoff) {
	for _, n := range t.Nodes {
		all = append(all, s.byID[n.ID])
	}
	return all
}

// threadPages returns the list of threads, and for each thread a page and a picture.
func (s *Site) threadPages() []job {
	jobs := cut("threads.html", len(s.threads), func(from, to int, l list) page {
		l.Threads = s.threads[from:to]
		return page{Template: "threads", Heading: "Threads", Part: "Threads", Content: l}
	})
	for _, c := range s.threads {
		t := c.Thread
		t.Asked = t.Nodes[len(t.Nodes)-1].ID
		t = t.Around(maxThread)
		t.Asked = ""
		picture := strings.TrimSuffix(c.File, ".html") + ".svg"
		jobs = append(jobs,
			func() page { return page{Name: picture, Content: t.Picture(s.shown(t))} },
			func() page {
				of := s.handoffs(t)
				return page{Name: c.File, Template: "thread", Heading: c.Title(), Part: "Threads", Content: struct {
					*conversation
					Picture string
					Left    int
					Flow    flow
					Tallies []tally
				}{c, picture, t.Left, s.flow(of), s.tallies(of, groups())}}
			})
	}
	return jobs
}

// A view is the page of one handoff.
type view struct {
	row
	HTML     template.HTML
	Withheld string
	Thread   []*Handoff // a part of the thread, including this handoff
	Whole    int        // the number of handoffs in the thread
	File     string     // the page of the thread
	Others   []string   // references that are not links
}

// handoffPage returns the page of one handoff: its body, or why it is not shown, and its facts.
func (s *Site) handoffPage(h *Handoff) page {
	const nearby = 5
	p := page{Site: s, Name: fileOf(h.ID), Template: "handoff", Heading: h.Title}
	v := view{row: p.Row(h)}
	if text, err := h.Body(); err != nil {
		v.Withheld = err.Error()
	} else {
		v.HTML = template.HTML(md.HTML(text, h.Title))
	}
	if h.thread != nil {
		t := h.thread.Thread
		t.Asked = h.ID
		v.Thread = s.handoffs(t.Around(nearby))
		v.Whole, v.File = len(t.Nodes), h.thread.File
	}
	for _, reference := range h.References {
		how, id, _ := strings.Cut(reference, ":")
		if how != "re" && how != "supersedes" || s.byID[id] == nil { // those are in the thread
			v.Others = append(v.Others, reference)
		}
	}
	p.Content = v
	return p
}
