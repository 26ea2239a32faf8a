// Package site draws the handoffs of a store as a static site. The pages need no server and no JavaScript. The same
// handoffs give the same bytes. The package reads and writes no files.
//
// The first page is a board with a column for each state that has handoffs to act on, and links to the lists of each
// state and person, which have a hundred handoffs on a page. Each handoff has a page, with its thread as a nested
// list.
//
// Content of handoffs is shown as data: all text is escaped, bodies are printed by package md, and a strict
// Content-Security-Policy enforces that too.
package site

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/lib/internal/md"
	"github.com/seed-78daf238/handoff/lib/relation"
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

	Body     string
	Withheld string // why the body is not shown, or ""

	Since string     // set by Draw: the time at which it reached its state
	near  []*Handoff // those that it answers or supersedes, or that answer or supersede it
	site  *Site
}

// An Event is an event of a handoff. Did is read, taken, done or archived. Note is the reason that the operator
// gave, or "".
type Event struct{ Did, Operator, Time, Note string }

// A Site is the input of Draw.
type Site struct {
	Title    string
	Handoffs []Handoff // in the order of writing

	all    []*Handoff // the newest first, by the time of their state
	byID   map[string]*Handoff
	colors map[string]int // of people, in the order in which they appear
	asOf   string         // the time of the newest event, from which ages count
}

//go:embed files
var texts embed.FS

// templates parses the templates for the first page.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"short":  func(id string) string { return strings.TrimPrefix(id, prefix)[:8] },
		"line":   form.EscapeLine,
		"file":   fileOf,
		"person": personFile,
		"at":     at,
		"sign":   func(state string) string { return LookOf(state).Sign },
		"state":  func(state string) string { return LookOf(state).State },
		"base":   func(name string) string { return strings.Repeat("../", strings.Count(path.Clean(name), "/")) },
	}).ParseFS(texts, "files/*.html"))
})

const prefix = "sha256:"

// fileOf returns the file of a handoff's page.
func fileOf(id string) string { return "h/" + strings.TrimPrefix(id, prefix) + ".html" }

// personFile returns the file of a person's page. Names that differ only in case have files that differ in more
// than case.
func personFile(slug string) string {
	if lower := strings.ToLower(slug); lower != slug {
		slug = lower + "-" + json.SHA256Hex([]byte(slug))[:8]
	}
	return "people/to-" + slug + ".html"
}

// at formats an instant in UTC.
func at(instant string) string {
	t, ok := form.Instant(instant)
	if !ok {
		return instant
	}
	return t.Format("2 Jan 2006 15:04 UTC")
}

// Dirs lists the directories of a site.
var Dirs = []string{"h", "list", "people"}

var ours = form.Pattern(`^(index\.html|style\.css|h/[0-9a-f]{64}\.html|` +
	`(list/[a-z]+|people/to-[0-9A-Za-z_-]+(\.[a-z]+)?)(\.[0-9]+)?\.html)$`)

// IsName reports whether a relative name, with slashes, can be a file of a site.
func IsName(name string) bool { return ours().MatchString(name) }

const generator = `<meta name="generator" content="handoff page">`

// IsMade reports whether a page with this text was made for a site. An empty one counts: drawing it was interrupted.
func IsMade(text []byte) bool { return len(text) == 0 || bytes.Contains(text, []byte(generator)) }

// Draw calls write with each file of the site, until a call fails. Names are relative, with slashes. A duplicate
// handoff is drawn once.
func (s Site) Draw(write func(name string, content []byte) error) error {
	s.prepare()
	for _, p := range s.pages() {
		p.Site, p.AsOf = s.Title, s.asOf
		var b strings.Builder
		if p.handoff != nil {
			p.Content = s.view(p.handoff)
		}
		if err := templates().ExecuteTemplate(&b, p.template, p); err != nil {
			return err
		}
		if err := write(p.Name, []byte(b.String())); err != nil {
			return err
		}
	}
	style, err := texts.ReadFile("files/style.css")
	if err != nil {
		return err
	}
	return write("style.css", []byte(css()+string(style)))
}

// A page is a file of the site.
type page struct {
	Site, Name, Heading string
	AsOf                string
	Content             any
	template            string
	handoff             *Handoff // whose page it is; its content is made when it is drawn
}

// prepare sorts the handoffs and finds their relations.
func (s *Site) prepare() {
	s.byID, s.colors, s.asOf = make(map[string]*Handoff, len(s.Handoffs)), make(map[string]int), ""
	s.Handoffs = slices.Clone(s.Handoffs)
	for i := range s.Handoffs {
		h := &s.Handoffs[i]
		if s.byID[h.ID] != nil {
			continue
		}
		s.byID[h.ID] = h
		s.all = append(s.all, h)
		h.Title, h.Since, h.site = cmp.Or(h.Title, h.Topic), h.Time, s
		for _, name := range []string{h.From, h.To} {
			if _, is := s.colors[name]; !is {
				s.colors[name] = len(s.colors)
			}
		}
		h.Events = slices.Clone(h.Events)
		slices.SortStableFunc(h.Events, func(a, b Event) int { return form.CompareInstants(a.Time, b.Time) })
		for _, e := range h.Events {
			if e.Did != "read" || document.IsTo(h.To, e.Operator) {
				h.Since = e.Time
			}
		}
	}
	for _, h := range s.all {
		for _, id := range slices.Concat(h.Re, h.Supersedes) {
			if other := s.byID[id]; other != nil {
				h.near, other.near = append(h.near, other), append(other.near, h)
			}
		}
	}
	slices.Reverse(s.all) // at equal times, the later written one comes first
	slices.SortStableFunc(s.all, func(a, b *Handoff) int { return form.CompareInstants(b.Since, a.Since) })
	if len(s.all) > 0 {
		s.asOf = s.all[0].Since
	}
}

// Age returns how long before the newest event of the site a handoff reached its state.
func (h *Handoff) Age() string {
	since, _ := form.Instant(h.Since)
	now, _ := form.Instant(h.site.asOf)
	return form.Ago(since, now)
}

// Disc returns the sign of a person: initials on a color. Names with a number are agents, next is anyone.
func (h *Handoff) Disc(name string) template.HTML {
	digit := strings.IndexAny(name, "0123456789")
	class, letters := fmt.Sprint("d", h.site.colors[name]%8+1), name[:min(2, len(name))]
	switch {
	case name == "next":
		class, letters = "anyone", ""
	case digit > 0:
		class, letters = class+" agent", name[:1]+name[digit:digit+1]
	}
	letters = strings.ToUpper(letters[:min(1, len(letters))]) + letters[min(1, len(letters)):]
	return template.HTML(fmt.Sprintf(`<span class="disc %s" aria-hidden="true">%s</span>`, class,
		template.HTMLEscapeString(letters)))
}

// A section is a list of handoffs, the first of which are shown on a page.
type section struct {
	Key, Name, File string
	Of              []*Handoff
}

// First returns the handoffs that are shown.
func (s section) First() []*Handoff { return s.Of[:min(len(s.Of), shown)] }

const (
	shown   = 8   // the number of handoffs of a section beside others
	perPage = 100 // the number of handoffs on a page of a list
)

// columns are the sections that are columns of the board.
var columns = []string{"unread", "taken", "done"}

// sections returns the handoffs by state: those to act on first, each state that has some.
func sections(handoffs []*Handoff, file string) (all []section) {
	for _, state := range strings.Fields("unread taken done superseded expired archived withdrawn") {
		x := section{Key: state, Name: strings.ToUpper(state[:1]) + state[1:], File: file + state + ".html"}
		for _, h := range handoffs {
			if h.State == state || state == "done" && h.State == "read" {
				x.Of = append(x.Of, h)
			}
		}
		if state == "unread" {
			slices.Reverse(x.Of) // who waits longest comes first
		}
		if len(x.Of) > 0 {
			all = append(all, x)
		}
	}
	return all
}

// pages returns the pages of the site.
func (s *Site) pages() (all []page) {
	board := sections(s.all, "list/")
	people, onBoard := s.people(), 0
	for onBoard < len(board) && slices.Contains(columns, board[onBoard].Key) {
		onBoard++
	}
	all = append(all, page{Name: "index.html", Heading: "Board", template: "index", Content: struct {
		Board, Lists []section
		People       []section
	}{board[:onBoard], board[onBoard:], people}})
	for _, x := range board {
		all = append(all, lists(x, x.Name)...)
	}
	for _, who := range people {
		to := func(h *Handoff) bool { return h.To != who.Name }
		parts := sections(slices.DeleteFunc(slices.Clone(who.Of), to), strings.TrimSuffix(who.File, "html"))
		from := section{"sent", "Sent", strings.TrimSuffix(who.File, "html") + "sent.html",
			slices.DeleteFunc(slices.Clone(who.Of), func(h *Handoff) bool { return h.From != who.Name })}
		if len(from.Of) > 0 {
			parts = append(parts, from)
		}
		all = append(all, page{Name: who.File, Heading: who.Name, template: "person", Content: parts})
		for _, x := range parts {
			if len(x.Of) > shown {
				all = append(all, lists(x, who.Name+": "+strings.ToLower(x.Name))...)
			}
		}
	}
	for i := range s.Handoffs {
		h := &s.Handoffs[i]
		if s.byID[h.ID] != h {
			continue
		}
		all = append(all, page{Name: fileOf(h.ID), Heading: h.Title, template: "handoff", handoff: h})
	}
	return all
}

// people returns the people, by name, with the handoffs from and to them.
func (s *Site) people() (all []section) {
	of := make(map[string][]*Handoff)
	for _, h := range s.all {
		of[h.To] = append(of[h.To], h)
		if h.From != h.To {
			of[h.From] = append(of[h.From], h)
		}
	}
	for name, handoffs := range of {
		all = append(all, section{Name: name, File: personFile(name), Of: handoffs})
	}
	slices.SortFunc(all, func(a, b section) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Unread returns the number of unread handoffs to a person.
func (s section) Unread() (n int) {
	for _, h := range s.Of {
		if h.State == "unread" && h.To == s.Name {
			n++
		}
	}
	return n
}

// lists returns the pages of a section.
func lists(x section, heading string) (all []page) {
	numbered := func(n int) string {
		if n == 0 {
			return x.File
		}
		return fmt.Sprintf("%s.%d.html", strings.TrimSuffix(x.File, ".html"), n+1)
	}
	last := (len(x.Of) - 1) / perPage
	n := 0
	for rows := range slices.Chunk(x.Of, perPage) {
		content := struct {
			Of            int
			Rows          []*Handoff
			Before, After string
		}{Of: len(x.Of), Rows: rows}
		if n > 0 {
			content.Before = numbered(n - 1)
		}
		if n < last {
			content.After = numbered(n + 1)
		}
		all = append(all, page{Name: numbered(n), Heading: heading, template: "list", Content: content})
		n++
	}
	return all
}

// A view is the content of the page of one handoff.
type view struct {
	H      *Handoff
	Next   [][]string // what can be done with it, each with its command
	HTML   template.HTML
	Thread []branch // empty if it is alone
	Others []string // references that are not in the thread
}

// A branch is a handoff of a thread, with the number of lists to open before it or to close after it.
type branch struct {
	*Handoff
	Opens  bool
	Closes []struct{}
}

// mostNear is the number of handoffs of a thread that the page of each shows: the nearest.
const mostNear = 30

// next lists what can be done with a handoff in each state, and how.
var next = map[string][][]string{
	"unread":   {{"Take it", "take"}, {"Answer it", "reply"}},
	"read":     {{"Take it", "take"}, {"Answer it", "reply"}},
	"taken":    {{"Finish it", "done"}, {"Answer it", "reply"}, {"Give it back", "take --undo"}},
	"done":     {{"Answer it", "reply"}, {"Open it again", "done --undo"}},
	"archived": {{"Show it again", "archive --undo"}},
}

// view returns the content of the page of a handoff: its body, or why it is not shown, and its thread.
func (s *Site) view(h *Handoff) view {
	v := view{H: h, Next: next[h.State]}
	if h.Withheld == "" {
		v.HTML = template.HTML(md.HTML(h.Body, h.Title))
	}
	near, seen := []*Handoff{h}, map[string]bool{h.ID: true}
	for i := 0; i < len(near); i++ {
		for _, other := range near[i].near {
			if !seen[other.ID] && len(near) < mostNear {
				seen[other.ID] = true
				near = append(near, other)
			}
		}
	}
	if len(near) > 1 {
		v.Thread = s.nested(near)
	}
	for _, reference := range h.References {
		if how, id, _ := strings.Cut(reference, ":"); how != "re" && how != "supersedes" || s.byID[id] == nil {
			v.Others = append(v.Others, reference)
		}
	}
	return v
}

// nested returns handoffs as a nested list.
func (s *Site) nested(handoffs []*Handoff) (all []branch) {
	nodes := make([]relation.Node, len(handoffs))
	for i, h := range handoffs {
		nodes[i] = relation.Node{ID: h.ID, Time: h.Time, Names: slices.Concat(h.Re, h.Supersedes)}
	}
	branches := relation.Tree(nodes)
	for i, b := range branches {
		next := 0
		if i+1 < len(branches) {
			next = branches[i+1].Depth
		}
		all = append(all, branch{handoffs[b.Node], next > b.Depth, make([]struct{}, max(0, b.Depth-next))})
	}
	return all
}
