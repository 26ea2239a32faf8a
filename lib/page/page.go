// Package page draws the handoffs of a store as a static site. The pages need no server, and no JavaScript to be
// read. The same handoffs give the same bytes. The package reads and writes no files.
//
// The first page is a board with counts and four columns: waiting, taken, awaiting approval, and done. Each
// handoff has a page; each thread has a page and a picture. People, months and states have lists with a hundred
// handoffs on a page. Ages count from the newest event. Events later than [Site.Now] come from a clock that runs
// ahead and do not count.
//
// Content of handoffs is shown as data. Bodies are rendered as Markdown from escaped text: raw HTML is text,
// pictures are named and not loaded, and a link shows its target. A strict Content-Security-Policy enforces that
// too.
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

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/palette"
)

// A Handoff is a handoff of the site.
type Handoff struct {
	ID, From, To, Topic, Time string // from its frontmatter
	Title                     string // "" means the topic
	State                     string
	Tags, References          []string
	Signed                    string // the verified signer, or ""
	Expires                   string // the time, or ""
	Events                    []Event

	Re, Supersedes []string // ids

	// Body returns the body, or why it is not shown. It is called once; the result is not kept.
	Body func() (text string, withheld error)

	drawn
	thread *conversation
}

// A drawn is what many pages show of a handoff.
type drawn struct {
	Since     string // the time at which it reached its state
	Who, Line any    // the people, and the entry in lists, drawn once for all pages
}

// An Event is an event of a handoff. Did is told, read, taken, done, archived, approved or rejected. Note is the reason
// that the operator gave, or "".
type Event struct{ Did, Operator, Time, Note string }

// A Site is the input of Draw.
type Site struct {
	Title     string
	Handoffs  []Handoff // in the order of writing
	Approvers []string  // the operators who can approve
	Now       time.Time // later events do not count for ages; the zero time is after all events
	Live      bool      // the pages reload when the server tells them to

	all     []*Handoff // the newest first, by the time of their state
	byID    map[string]*Handoff
	people  []palette.Person
	person  map[string]palette.Person
	threads []*conversation // the newest first
	newest  string          // the file of the last month's timeline
	asOf    time.Time
	frames  *sync.Map // the HTML that pages share, drawn once, by what it depends on
}

//go:embed site
var files embed.FS

// templates parses the templates for the first page.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"short":  func(id string) string { return strings.TrimPrefix(id, prefix)[:8] },
		"line":   form.EscapeLine,
		"file":   fileOf,
		"person": personFile,
		"number": number,
		"at":     at,
		"mark":   mark,
	}).ParseFS(files, "site/*.html"))
})

const prefix = "sha256:"

// fileOf returns the file of a handoff's page.
func fileOf(id string) string { return "h/" + strings.TrimPrefix(id, prefix) + ".html" }

// personFile returns the file of a person's page. Names that differ only in case have files that differ in more
// than case.
func personFile(slug string) string {
	if lower := strings.ToLower(slug); lower != slug {
		slug = lower + "-" + jsontree.SHA256Hex([]byte(slug))[:8]
	}
	return "people/to-" + slug + ".html"
}

// number formats a number for people: 5,000.
func number(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return number(n/1000) + "," + strconv.Itoa(1000 + n%1000)[1:]
}

// mark returns the sign of a state, as HTML.
func mark(state string) template.HTML {
	state = template.HTMLEscapeString(state)
	return template.HTML(`<svg class="mark s-` + state + `" aria-hidden="true"><use href="#m-` + state + `"/></svg>`)
}

// at formats an instant in UTC.
func at(instant, layout string) string {
	t, ok := form.Instant(instant)
	if !ok {
		return instant
	}
	return t.Format(layout)
}

// Draw calls write with each file of the site, concurrently, until a call fails. Names are relative, with
// slashes. A duplicate handoff is drawn once.
func (s Site) Draw(write func(name string, content []byte) error) error {
	s.prepare()
	if err := s.drawAssets(write); err != nil {
		return err
	}
	var once sync.Once
	var failed error
	fail := func(err error) {
		if err != nil {
			once.Do(func() { failed = err })
		}
	}
	parallel.Each(len(s.all), runtime.GOMAXPROCS(0), func(i int) { fail(s.drawLine(s.all[i])) })
	jobs := []job{s.board}
	if len(s.all) > 0 {
		jobs = slices.Concat(jobs, s.lists(), s.timelines(), s.peoplePages(), s.threadPages())
	}
	for _, h := range s.all {
		jobs = append(jobs, func() page { return s.handoffPage(h) })
	}
	parallel.Each(len(jobs), runtime.GOMAXPROCS(0), func(i int) {
		p := jobs[i]()
		content, err := p.draw(&s)
		if err == nil {
			err = write(p.Name, content)
		}
		fail(err)
	})
	return failed
}

// A job makes a page.
type job = func() page

// prepare sorts the handoffs and finds their relations.
func (s *Site) prepare() {
	s.byID = make(map[string]*Handoff, len(s.Handoffs))
	s.frames = new(sync.Map)
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
		h.Since = heard(h.Time)
		h.Events = slices.Clone(h.Events)
		slices.SortStableFunc(h.Events, func(a, b Event) int { return index.CompareTimes(a.Time, b.Time) })
		for _, e := range h.Events {
			if heard(e.Time); e.Did != "told" && (e.Did != "read" || document.IsTo(h.To, e.Operator)) {
				h.Since = e.Time
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
	slices.Reverse(s.all) // at equal times, the later written one comes first
	slices.SortStableFunc(s.all, func(a, b *Handoff) int { return index.CompareTimes(b.Since, a.Since) })
}

// distinct returns the texts without duplicates.
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

// chosen returns the handoffs that satisfy a condition.
func chosen(handoffs []*Handoff, is func(*Handoff) bool) (all []*Handoff) {
	for _, h := range handoffs {
		if is(h) {
			all = append(all, h)
		}
	}
	return all
}

// drawAssets writes the files that all pages share.
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

// A page is a file of the site: the data for its template, and the frame.
type page struct {
	*Site
	Name, Heading string
	Part          string // the entry of the navigation
	Template      string // "" for a picture, which is the content itself
	Content       any
}

// drawLine draws what many pages show of a handoff. Those pages are in a directory of the site.
func (s *Site) drawLine(h *Handoff) (err error) {
	r := page{Site: s, Name: fileOf(h.ID)}.Row(h)
	if h.Who, err = part("who", r); err == nil {
		h.Line, err = part("line", r)
	}
	return err
}

// part executes a template and returns HTML.
func part(name string, data any) (any, error) {
	var b bytes.Buffer
	err := templates().ExecuteTemplate(&b, name, data)
	return template.HTML(b.Bytes()), err
}

// Frame returns what is between the title and the content, as HTML.
func (p page) Frame() (drawn any, err error) {
	key := [...]string{p.Base(), p.Template, p.Part}
	drawn, ok := p.frames.Load(key)
	if !ok {
		drawn, err = part("frame", p)
		p.frames.Store(key, drawn)
	}
	return drawn, err
}

// Base returns the relative path to the directory of the site, which can be moved and opened from a disk.
func (p page) Base() string { return strings.Repeat("../", strings.Count(path.Clean(p.Name), "/")) }

// A row is a handoff on a page.
type row struct {
	page
	H *Handoff
}

// Row returns the data for templates of one handoff.
func (p page) Row(h *Handoff) row { return row{p, h} }

// A with is another value on a page.
type with struct {
	Page page
	X    any
}

// With returns the data for templates of another value.
func (p page) With(x any) with { return with{p, x} }

// N returns the number of handoffs.
func (s *Site) N() int { return len(s.all) }

// Who returns how to show a person. All others share one disc.
func (s *Site) Who(name string) palette.Person {
	if who, ok := s.person[name]; ok {
		return who
	}
	return palette.Person{Name: name}
}

// A moment is an instant in several forms for people.
type moment struct{ Instant, Full, Ago, Age string }

const full = "Mon 2 Jan 2006, 15:04 UTC"

// At returns an instant with its age, relative to the newest event.
func (s *Site) At(instant string) moment {
	m := moment{instant, at(instant, full), instant, instant}
	if t, ok := form.Instant(instant); ok {
		m.Ago = form.Ago(t, s.asOf)
		m.Age = strings.TrimSuffix(m.Ago, " ago")
	}
	return m
}

// AsOf returns the moment from which ages count.
func (s *Site) AsOf() string { return s.asOf.Format("Mon 2 Jan, 15:04 UTC") }

// draw executes the template of a page.
func (p page) draw(s *Site) ([]byte, error) {
	if p.Template == "" {
		return []byte(marks[".svg"] + p.Content.(string)), nil
	}
	p.Site = s
	drawn, err := part(p.Template, p)
	return []byte(drawn.(template.HTML)), err
}
