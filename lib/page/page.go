// Package page draws the handoffs of a store as a static site: pages that need no server and no
// JavaScript to read, the same bytes for the same handoffs. It reads and writes no files.
//
// What handoffs say is shown as data. Bodies are Markdown from escaped text: raw HTML is text,
// pictures are named and not loaded, a link shows where it leads. A strict Content-Security-Policy
// stands behind that.
package page

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
	"github.com/seed-78daf238/handoff/lib/internal/render"
	"github.com/seed-78daf238/handoff/lib/thread"
)

// A Handoff is what the site shows of one.
type Handoff struct {
	ID, From, To, Topic, Time string // as in its frontmatter
	State                     string
	Tags, References          []string
	ReadBy                    []Mark
	Signed                    string // by whom, if that was verified

	Re, Supersedes []string // ids

	// Body returns the body, or why it is not shown. It is asked once, and not kept.
	Body func() (text string, withheld error)
}

// A Mark says who has read a handoff, and when.
type Mark struct{ Operator, Time string }

// A Site is what is to be drawn.
type Site struct {
	Title    string
	Handoffs []Handoff // in the order in which they were written
	Live     bool      // the pages reload themselves when the server says so

	states []string // in the order in which they are shown
	byID   map[string]*Handoff
	thread map[string]thread.Thread // by the id of each that is in it
}

// states is the order in which people want to see them: what waits for somebody first.
var states = []string{"unread", "awaiting", "taken", "read", "done", "superseded", "expired", "archived", "withdrawn"}

//go:embed site
var files embed.FS

// templates are parsed when the first page is drawn.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"short":   func(id string) string { return strings.TrimPrefix(id, prefix)[:8] },
		"when":    when,
		"line":    render.EscapeLine,
		"file":    fileOf,
		"picture": pictureOf,
		"person":  personFile,
	}).ParseFS(files, "site/*.html"))
})

const prefix = "sha256:"

// fileOf is where the page of a handoff stands.
func fileOf(id string) string { return "h/" + strings.TrimPrefix(id, prefix) + ".html" }

// pictureOf is where the picture of the thread of a handoff stands, in which that one is marked.
func pictureOf(id string) string { return "t/" + strings.TrimPrefix(id, prefix) + ".svg" }

// personFile is where the page of a person stands. Where case does not tell files apart, names that
// differ in it have different files all the same.
func personFile(slug string) string {
	if lower := strings.ToLower(slug); lower != slug {
		slug = lower + "-" + canon.SHA256Hex([]byte(slug))[:8]
	}
	return "people/to-" + slug + ".html"
}

// when writes an instant as people read it.
func when(instant string) string {
	if len(instant) < len("2006-01-02T15:04") {
		return instant
	}
	return instant[:10] + " " + instant[11:16] + " UTC"
}

// Draw calls write with each file of the site, several at once, until one fails. Names are relative,
// with slashes. A handoff that is given twice is drawn once.
func (s Site) Draw(write func(name string, content []byte) error) error {
	s.prepare()
	if err := s.drawAssets(write); err != nil {
		return err
	}
	jobs := s.overviews()
	for i := range s.Handoffs {
		jobs = append(jobs, func() (string, any, string) { return s.handoffPage(&s.Handoffs[i]) })
		if t, ok := s.thread[s.Handoffs[i].ID]; ok {
			jobs = append(jobs, func() (string, any, string) { return pictureOf(t.Asked), t.Around(maxThread).SVG(), "" })
		}
	}
	var once sync.Once
	var failed error
	parallel.Each(len(jobs), runtime.GOMAXPROCS(0), func(i int) {
		name, data, tmpl := jobs[i]()
		content, err := s.content(name, data, tmpl)
		if err == nil {
			err = write(name, content)
		}
		if err != nil {
			once.Do(func() { failed = err })
		}
	})
	return failed
}

// prepare puts the handoffs into order, newest first, and finds what belongs together.
func (s *Site) prepare() {
	given := make(map[string]bool, len(s.Handoffs))
	s.Handoffs = slices.DeleteFunc(slices.Clone(s.Handoffs), func(h Handoff) bool {
		again := given[h.ID]
		given[h.ID] = true
		return again
	})
	slices.Reverse(s.Handoffs) // of the same time, those that were written later come first
	slices.SortStableFunc(s.Handoffs, func(a, b Handoff) int { return index.CompareTimes(b.Time, a.Time) })
	s.byID = make(map[string]*Handoff, len(s.Handoffs))
	for i := range s.Handoffs {
		s.byID[s.Handoffs[i].ID] = &s.Handoffs[i]
	}
	there := make(map[string]bool)
	for _, h := range s.Handoffs {
		there[h.State] = true
	}
	s.states = slices.DeleteFunc(slices.Clone(states), func(state string) bool { return !there[state] })
	s.findThreads()
}

// findThreads finds the handoffs that are connected by answers and successors.
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
	for _, h := range s.Handoffs {
		for _, other := range slices.Concat(h.Re, h.Supersedes) {
			if s.byID[other] != nil {
				root[find(h.ID)] = find(other)
			}
		}
	}
	nodes := make(map[string][]thread.Node)
	for _, h := range slices.Backward(s.Handoffs) {
		id := find(h.ID)
		nodes[id] = append(nodes[id], thread.Node{ID: h.ID, From: h.From, To: h.To, Topic: h.Topic, Time: h.Time, State: h.State, Re: h.Re, Supersedes: h.Supersedes})
	}
	s.thread = make(map[string]thread.Thread)
	for _, together := range nodes {
		if len(together) == 1 {
			continue
		}
		t := thread.New("", together)
		for _, n := range together {
			t.Asked = n.ID
			s.thread[n.ID] = t
		}
	}
}

// drawAssets writes what the pages have in common.
func (s *Site) drawAssets(write func(name string, content []byte) error) error {
	for _, name := range []string{"style.css", "filter.js", "live.js"} {
		content, err := fs.ReadFile(files, "site/"+name)
		if err != nil || name == "live.js" && !s.Live {
			continue
		}
		if err := write(name, content); err != nil {
			return err
		}
	}
	return nil
}

// A frame is what every page has around its content.
type frame struct {
	Site, Title, Base string // Base leads to the directory of the site
	Live              bool
	Content           any
}

// content is a picture as it is, or a page.
func (s *Site) content(name string, data any, tmpl string) ([]byte, error) {
	if picture, ok := data.(string); ok {
		return []byte(pictureMark + picture), nil
	}
	return s.fill(name, data, tmpl)
}

// fill draws a page, with links that lead from it to the directory of the site: a site may be moved, and
// opened from a disk.
func (s *Site) fill(name string, data any, tmpl string) ([]byte, error) {
	title := s.Title
	if t, ok := data.(interface{ title() string }); ok {
		title = t.title() + " · " + s.Title
	}
	f := frame{Site: s.Title, Title: title, Base: strings.Repeat("../", strings.Count(path.Clean(name), "/")), Live: s.Live, Content: data}
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, tmpl, f); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
