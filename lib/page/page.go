// Package page draws the handoffs of a store as a static site: pages that need no server and no JavaScript to read,
// the same bytes for the same handoffs. It reads and writes no files.
//
// The first page is a board: counts, and columns of what waits, is taken, awaits approval and is done. Each handoff
// has a page, and each thread a page and a picture; people, months and states have lists of a hundred a page. Ages
// count from the newest event. Where the time is not known to be later, what a clock says that runs ahead does not
// count.
//
// What handoffs say is shown as data. Bodies are Markdown from escaped text: raw HTML is text, pictures are named and
// not loaded, a link shows where it leads. A strict Content-Security-Policy stands behind that.
package page

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/palette"
)

// A Handoff is what the site shows of one.
type Handoff struct {
	ID, From, To, Topic, Time string // as in its frontmatter
	Title                     string // what people read; "" for the topic
	State                     string
	Tags, References          []string
	Signed                    string // by whom, if that was verified
	Expires                   string // when, "" for never
	Events                    []Event

	Re, Supersedes []string // ids

	// Body returns the body, or why it is not shown. It is asked once, and not kept.
	Body func() (text string, withheld error)

	since  string // when it came into its state
	thread *conversation
}

// An Event says what somebody did with a handoff, and when: told, read, taken, done, archived, approved or rejected.
type Event struct{ Did, Operator, Time string }

// A Site is what is to be drawn.
type Site struct {
	Title     string
	Handoffs  []Handoff // in the order in which they were written
	Approvers []string  // who may approve
	Now       time.Time // later events are those of a clock that runs ahead; the zero time is after all events
	Live      bool      // the pages reload themselves when the server says so

	all     []*Handoff // the newest first, by when they came into their state
	byID    map[string]*Handoff
	people  []palette.Person
	person  map[string]palette.Person
	threads []*conversation // the newest first
	newest  string          // the timeline of the last month
	asOf    time.Time
}

//go:embed site
var files embed.FS

// templates are parsed when the first page is drawn.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"short":  func(id string) string { return strings.TrimPrefix(id, prefix)[:8] },
		"line":   form.EscapeLine,
		"file":   fileOf,
		"person": personFile,
		"number": number,
		"clock":  func(instant string) string { return at(instant, "15:04") },
		"stamp":  func(instant string) string { return at(instant, "2 Jan 15:04") },
	}).ParseFS(files, "site/*.html"))
})

const prefix = "sha256:"

// fileOf is where the page of a handoff stands.
func fileOf(id string) string { return "h/" + strings.TrimPrefix(id, prefix) + ".html" }

// personFile is where the page of a person stands. Where case does not tell files apart, names that differ in it have
// different files all the same.
func personFile(slug string) string {
	if lower := strings.ToLower(slug); lower != slug {
		slug = lower + "-" + jsontree.SHA256Hex([]byte(slug))[:8]
	}
	return "people/to-" + slug + ".html"
}

// number writes a number as people read it: 5,000.
func number(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return number(n/1000) + "," + strconv.Itoa(1000 + n%1000)[1:]
}

// at writes an instant in UTC.
func at(instant, layout string) string {
	t, ok := form.Instant(instant)
	if !ok {
		return instant
	}
	return t.Format(layout)
}

// Draw calls write with each file of the site, several at once, until one fails. Names are relative, with slashes. A
// handoff that is given twice is drawn once.
func (s Site) Draw(write func(name string, content []byte) error) error {
	s.prepare()
	if err := s.drawAssets(write); err != nil {
		return err
	}
	jobs := []job{s.board}
	if len(s.all) > 0 {
		jobs = slices.Concat(jobs, s.lists(), s.timelines(), s.peoplePages(), s.threadPages())
	}
	for _, h := range s.all {
		jobs = append(jobs, func() page { return s.handoffPage(h) })
	}
	var once sync.Once
	var failed error
	parallel.Each(len(jobs), runtime.GOMAXPROCS(0), func(i int) {
		p := jobs[i]()
		content, err := p.draw(&s)
		if err == nil {
			err = write(p.Name, content)
		}
		if err != nil {
			once.Do(func() { failed = err })
		}
	})
	return failed
}

// A job makes a page.
type job = func() page

// prepare puts the handoffs into order, and finds what belongs together.
func (s *Site) prepare() {
	s.byID = make(map[string]*Handoff, len(s.Handoffs))
	s.Handoffs = slices.Clone(s.Handoffs)
	newest := ""
	heard := func(instant string) string {
		t, ok := form.Instant(instant)
		if isPast := s.Now.IsZero() || !t.After(s.Now); ok && isPast && index.CompareTimes(instant, newest) > 0 {
			newest = instant
		}
		return instant
	}
	var names []string
	for i := range s.Handoffs {
		h := &s.Handoffs[i]
		if s.byID[h.ID] != nil {
			continue
		}
		s.byID[h.ID] = h
		s.all = append(s.all, h)
		h.Title = cmp.Or(h.Title, h.Topic)
		h.since = heard(h.Time)
		h.Events = slices.Clone(h.Events)
		slices.SortStableFunc(h.Events, func(a, b Event) int { return index.CompareTimes(a.Time, b.Time) })
		for _, e := range h.Events {
			if heard(e.Time); e.Did != "told" && (e.Did != "read" || e.Operator == h.To) {
				h.since = e.Time
			}
		}
	}
	s.asOf, _ = form.Instant(newest)
	slices.SortStableFunc(s.all, func(a, b *Handoff) int { return index.CompareTimes(a.Time, b.Time) })
	for _, h := range s.all {
		names = append(names, h.From, h.To)
		s.newest = monthFile(h.Time)
	}
	s.people = palette.People(distinct(names))
	s.person = make(map[string]palette.Person)
	for _, who := range s.people {
		s.person[who.Name] = who
	}
	s.findThreads()
	slices.Reverse(s.all) // of the same time, those that were written later come first
	slices.SortStableFunc(s.all, func(a, b *Handoff) int { return index.CompareTimes(b.since, a.since) })
}

// distinct returns each text once.
func distinct(texts []string) (all []string) {
	seen := make(map[string]bool)
	for _, text := range texts {
		if !seen[text] {
			all = append(all, text)
		}
		seen[text] = true
	}
	return all
}

// chosen returns those of the handoffs that a condition chooses.
func chosen(handoffs []*Handoff, is func(*Handoff) bool) (all []*Handoff) {
	for _, h := range handoffs {
		if is(h) {
			all = append(all, h)
		}
	}
	return all
}

// drawAssets writes what the pages have in common.
func (s *Site) drawAssets(write func(name string, content []byte) error) error {
	for _, name := range []string{"style.css", "filter.js", "live.js"} {
		content, err := fs.ReadFile(files, "site/"+name)
		if err != nil || name == "live.js" && !s.Live {
			continue
		}
		if name == "style.css" {
			content = []byte(marks[".css"] + "\n" + palette.CSS() + string(content))
		}
		if err := write(name, content); err != nil {
			return err
		}
	}
	return nil
}

// A page is a file of the site: what its template gets, and the frame around that.
type page struct {
	*Site
	Name, Heading string
	Part          string // of the site, as the navigation calls it
	Template      string // or "" for a picture, which is the content
	Content       any
}

// Base leads to the directory of the site: a site may be moved, and opened from a disk.
func (p page) Base() string { return strings.Repeat("../", strings.Count(path.Clean(p.Name), "/")) }

// A row is a handoff on a page.
type row struct {
	page
	H *Handoff
}

// Row is what templates of one handoff get.
func (p page) Row(h *Handoff) row { return row{p, h} }

// With is what templates of something else get.
func (p page) With(x any) struct {
	Page page
	X    any
} {
	return struct {
		Page page
		X    any
	}{p, x}
}

// N is how many handoffs there are.
func (s *Site) N() int { return len(s.all) }

// Since is when a handoff came into its state.
func (h *Handoff) Since() string { return h.since }

// Who is how somebody is shown. Others share a disc that is nobody's.
func (s *Site) Who(name string) palette.Person {
	if who, ok := s.person[name]; ok {
		return who
	}
	return palette.Person{Name: name}
}

// A moment is an instant as people read it.
type moment struct{ Instant, Full, Ago, Age string }

const full = "Mon 2 Jan 2006, 15:04 UTC"

// At says how long before the newest event an instant was.
func (s *Site) At(instant string) moment {
	m := moment{instant, at(instant, full), instant, instant}
	if t, ok := form.Instant(instant); ok {
		m.Ago = form.Ago(t, s.asOf)
		m.Age = strings.TrimSuffix(m.Ago, " ago")
	}
	return m
}

// AsOf is the moment from which ages count.
func (s *Site) AsOf() string { return s.asOf.Format("Mon 2 Jan, 15:04 UTC") }

// draw fills the template of a page.
func (p page) draw(s *Site) ([]byte, error) {
	if p.Template == "" {
		return []byte(marks[".svg"] + p.Content.(string)), nil
	}
	p.Site = s
	var b bytes.Buffer
	err := templates().ExecuteTemplate(&b, p.Template, p)
	return b.Bytes(), err
}
