package site_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/seed-78daf238/handoff/lib/site"
)

// attacks are bodies that try to run a script, to load something, to change the page around them or to lead somewhere else.
var attacks = []string{
	`<script>document.title="pwned"</script>`,
	`<img src=x onerror="document.title='pwned'">`,
	`<svg onload="document.title='pwned'"><script>document.title="pwned"</script></svg>`,
	`<style>*{display:none}</style><link rel=stylesheet href=http://attack.test/a.css>`,
	`<iframe src="http://attack.test/"></iframe><object data="http://attack.test/"></object>`,
	`<form action="http://attack.test/"><input autofocus onfocus="document.title='pwned'"></form>`,
	`<base href="http://attack.test/"><meta http-equiv=refresh content="0;url=http://attack.test/">`,
	"text <b onclick=x>inline</b> <!-- comment --> <?php ?> <![CDATA[x]]>",
	"![pixel](http://attack.test/pixel.png) ![data](data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=)",
	"[click](javascript:document.title='pwned') [b](JaVaScRiPt:alert(1)) [c](vbscript:x) [d](data:text/html,x) [e](file:///etc/passwd)",
	"[tab](java\tscript:alert(1)) [entity](&#106;avascript:alert(1)) <javascript:alert(1)> [rel](//attack.test/) [up](../index.html)",
	"[x]: javascript:alert(1)\n\n[x] and ![i][x]",
	"</div></main></body></html><script>document.title='pwned'</script>",
	"```\"><script>document.title='pwned'</script>\ncode\n```",
	"~~~ html onload=x\n</code></pre><script>1</script>\n~~~",
	"# heading {#main onclick=x}\n\n###### deep\n\n<h1 id=main>x</h1>",
	"| <script>1</script> | b |\n|---|---|\n| [x](javascript:1) | ![y](http://attack.test/y) |",
	"https://attack.test/ <https://attack.test/?a=\"><script>1</script>> <ann@example.com>",
	"\u202ereversed \u200bhidden \x1b[31mred\x07 \x00nul",
	"[a](http://good.test@attack.test/ \"onmouseover=x\" ) [b](http://attack.test/'onclick='x)",
	"- [x] done <script>1</script>\n- [ ] open",
	strings.Repeat("[", 5000) + strings.Repeat("](", 5000),
	strings.Repeat("> ", 2000) + "deep",
	strings.Repeat("<div>\n", 2000),
	"{{.}} {{template \"head\"}} ${alert(1)} %s",
}

func id(n int) string { return fmt.Sprintf("sha256:%064x", n+1) }

func handoffs(bodies ...string) []site.Handoff {
	people := []string{"ann", "ben", "Ben", "cleo"}
	states := []string{"unread", "read", "taken", "done"}
	var all []site.Handoff
	for i, text := range bodies {
		h := site.Handoff{ID: id(i), From: people[i%4], To: people[(i/2+1)%4], Topic: fmt.Sprint("topic-", i), Time: fmt.Sprintf("2026-%02d-07T12:%02d:00Z", 5+i/50%7, i%60),
			State: states[i%4], Tags: []string{"one", "two"}, Body: text}
		if i%3 == 1 {
			h.Re = []string{id(i - 1), id(i + 100000)}
			h.References = []string{"re:" + h.Re[0], "re:" + h.Re[1], "https://example.com/<b>"}
		}
		all = append(all, h)
	}
	return all
}

func draw(t testing.TB, s site.Site) map[string]string {
	t.Helper()
	var mu sync.Mutex
	all := make(map[string]string)
	if err := s.Draw(func(name string, content []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if _, twice := all[name]; twice {
			t.Errorf("%s is drawn twice", name)
		}
		all[name] = string(content)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTheSameHandoffsGiveTheSameBytes(t *testing.T) {
	site := site.Site{Title: "project", Handoffs: handoffs(attacks...)}
	first := draw(t, site)
	for range map[bool]int{true: 1, false: 3}[testing.Short()] {
		if again := draw(t, site); !maps.Equal(first, again) {
			t.Fatal("the bytes differ")
		}
	}
	site.Handoffs = append(site.Handoffs, site.Handoffs[3])
	if again := draw(t, site); !maps.Equal(first, again) {
		t.Error("a handoff that is given twice changes the site")
	}
}

func TestEveryLinkLeadsToAPage(t *testing.T) {
	site := draw(t, site.Site{Title: "project", Handoffs: handoffs(attacks...)})
	lower := make(map[string]string)
	for name, content := range site {
		if other := lower[strings.ToLower(name)]; other != "" {
			t.Errorf("%s and %s are one file where case does not count", name, other)
		}
		lower[strings.ToLower(name)] = name
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		base := strings.Repeat("../", strings.Count(name, "/"))
		each(t, content, func(n *html.Node) {
			for _, a := range n.Attr {
				if a.Key != "href" && a.Key != "src" || isOutside(a.Val) || strings.HasPrefix(a.Val, "#") {
					continue
				}
				if target := strings.TrimPrefix(a.Val, base); site[target] == "" {
					t.Errorf("%s: %s leads nowhere", name, a.Val)
				}
			}
		})
	}
}

// isOutside ignores the case of a scheme, as RFC 3986, section 3.1 says.
func isOutside(link string) bool {
	link = strings.ToLower(link)
	return strings.HasPrefix(link, "http://") || strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "mailto:")
}

func each(t testing.TB, content string, do func(n *html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			do(n)
		}
	}
}

// inBodies are the elements that a body may have, with their attributes.
var inBodies = map[string][]string{
	"p": nil, "strong": nil, "em": nil, "bdi": nil, "blockquote": nil, "ul": nil, "li": {"class"}, "code": nil,
	"pre": {"tabindex"}, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "div": {"class", "tabindex", "role", "aria-label"},
	"table": nil, "tbody": nil, "tr": nil, "th": nil, "td": nil, "a": {"href", "rel"},
}

// checkBody says what a page has in its body that can do something.
func checkBody(t testing.TB, content string) {
	t.Helper()
	bodies := 0
	each(t, content, func(n *html.Node) {
		if !isBody(n) {
			return
		}
		bodies++
		for in := range n.Descendants() {
			if in.Type == html.TextNode {
				continue
			}
			allowed, ok := inBodies[in.Data]
			if in.Type != html.ElementNode || !ok {
				t.Fatalf("a body has <%s>", in.Data)
			}
			for _, a := range in.Attr {
				switch {
				case a.Key == "dir" && a.Val == "auto":
				case !slices.Contains(allowed, a.Key), a.Key == "class" && a.Val != "scroll" && a.Val != "number":
					t.Fatalf("a body has <%s %s=%q>", in.Data, a.Key, a.Val)
				case a.Key == "href" && !isOutside(a.Val):
					t.Fatalf("a body leads to %q", a.Val)
				case a.Key == "style":
					t.Fatalf("a body has the style %q", a.Val)
				}
			}
		}
	})
	if bodies != 1 {
		t.Fatalf("%d bodies in one page", bodies)
	}
}

func isBody(n *html.Node) bool {
	return n.Data == "section" && slices.Contains(n.Attr, html.Attribute{Key: "class", Val: "body"})
}

func TestBodiesCanDoNothing(t *testing.T) {
	for _, attack := range attacks {
		site := draw(t, site.Site{Title: "project", Handoffs: handoffs(attack)})
		checkBody(t, site["h/"+strings.TrimPrefix(id(0), "sha256:")+".html"])
		for name, content := range site {
			if strings.ContainsAny(content, "\x00\x07\x1b\u202e\u200b") {
				t.Errorf("%s has a character that shows nothing or steers", name)
			}
		}
	}
}

func FuzzBody(f *testing.F) {
	for _, attack := range attacks {
		f.Add(attack)
	}
	f.Fuzz(func(t *testing.T, text string) {
		site := draw(t, site.Site{Title: "project", Handoffs: handoffs(text)})
		checkBody(t, site["h/"+strings.TrimPrefix(id(0), "sha256:")+".html"])
	})
}

// What a parser of tables drops is there for people as it is for agents.
func TestTablesLoseNoCell(t *testing.T) {
	for text, want := range map[string]string{
		"| a |\n|---|\n| 1 |\n": ">1</td>", "| a |\n|---|\n| 1 | do this |\n": "| 1 | do this |</code></pre>", "> | a |\n> |---|\n> | 1 | do this |\n": "do this |",
		"| a | b |\n|---|---|\n| 1 |\n": ">1</td>", "a\n|-|\n| | x\n": "| | x</code></pre>",
	} {
		content := draw(t, site.Site{Title: "project", Handoffs: handoffs(text)})["h/"+strings.TrimPrefix(id(0), "sha256:")+".html"]
		if !strings.Contains(content, want) {
			t.Errorf("%q: %q is not there", text, want)
		}
	}
}

func TestWhatIsNotProvenIsNotShown(t *testing.T) {
	all := handoffs("one")
	all[0].Body, all[0].Withheld = "secret text", "it <b>is not</b> proven"
	content := draw(t, site.Site{Title: "project", Handoffs: all})["h/"+strings.TrimPrefix(id(0), "sha256:")+".html"]
	if strings.Contains(content, "secret text") || !strings.Contains(content, "it &lt;b&gt;is not&lt;/b&gt; proven") {
		t.Error(content)
	}
}

// With many handoffs the first page stays small, and each handoff is in a list.
func TestManyHandoffs(t *testing.T) {
	site := draw(t, site.Site{Title: "project", Handoffs: handoffs(slices.Repeat([]string{"x"}, 1234)...)})
	if n := strings.Count(site["index.html"], `<li class="card`); n > 30 {
		t.Errorf("the first page has %d cards", n)
	}
	listed := make(map[string]bool)
	for name, content := range site {
		if n := strings.Count(content, "<li>"); n > 200 {
			t.Errorf("%s has %d rows", name, n)
		}
		if strings.HasPrefix(name, "list/") {
			each(t, content, func(n *html.Node) {
				for _, a := range n.Attr {
					listed[a.Val] = listed[a.Val] || strings.HasPrefix(a.Val, "../h/")
				}
			})
		}
	}
	for i := range 1234 {
		if !listed["../h/"+strings.TrimPrefix(id(i), "sha256:")+".html"] {
			t.Fatalf("%d is in no list", i)
		}
	}
}

func TestAnEmptyStoreHasASite(t *testing.T) {
	site := draw(t, site.Site{Title: "project"})
	if !strings.Contains(site["index.html"], "Nothing is handed over yet") {
		t.Error(site["index.html"])
	}
}

func TestEveryPageIsStrict(t *testing.T) {
	for name, content := range draw(t, site.Site{Title: "a <b>\"project\"", Handoffs: handoffs(attacks...)}) {
		if strings.HasSuffix(name, ".html") && !strings.Contains(content, `content="default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'"`) {
			t.Errorf("%s has another policy", name)
		}
		if strings.Contains(content, "a <b>") {
			t.Errorf("%s has the title as it is", name)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	text := "# Where it stands\n\n" + strings.Repeat("Some *text* with `code` and [a link](https://example.com/).\n\n- one\n- two\n\n", 10)
	bodies := slices.Repeat([]string{text}, 5000)
	for b.Loop() {
		if err := (site.Site{Title: "project", Handoffs: handoffs(bodies...)}).Draw(func(string, []byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func TestThePagesShowTheHarbour(t *testing.T) {
	harbour := harbourSite()
	site := draw(t, harbour)
	for name, want := range map[string][]string{
		"index.html":         {"All 8 unread", "<b>4</b>", "superseded.html", "people/to-ben.html", ">2 unread"},
		"list/unread.html":   {"岸壁クレーンの予約画面", `<span class="quiet">8</span>`},
		"people/to-ben.html": {"Sent", "Unread 2"},
		harbourPage(harbour, "Booking"): {"taken: ", `aria-current="true"`, `<td>140</td>`, `<h2 dir="auto">Where it stands</h2>`, "<strong>500</strong>",
			"took it", "Split the berth planner"},
	} {
		for _, text := range want {
			if !strings.Contains(site[name], text) {
				t.Errorf("%s does not say %q", name, text)
			}
		}
	}
	if unread := site["index.html"]; strings.Index(unread, "Where the night shift left") > strings.Index(unread, "Pilot roster") {
		t.Error("the oldest unread handoff is not the first")
	}
	if booking := site[harbourPage(harbour, "Booking")]; strings.Count(booking, "Booking screen works") != 3 { // title, h1, thread
		t.Error("the title is repeated in the body")
	}
	for name, content := range site {
		if strings.Contains(content, " style=") || strings.Contains(content, "<script") || strings.Contains(content, "ZgotmplZ") {
			t.Errorf("%s has a style of its own, a script, or text that was refused", name)
		}
		if strings.HasSuffix(name, ".html") && strings.Count(content, "<ul") != strings.Count(content, "</ul>") {
			t.Errorf("%s has lists that do not end", name)
		}
	}
}

func TestCyclesEnd(t *testing.T) {
	var all []site.Handoff
	for i := range 300 {
		all = append(all, site.Handoff{ID: id(i), From: "ann", To: "ben", Topic: "long", Time: "2026-05-07T12:00:00Z", State: "read",
			Re: []string{id((i + 1) % 300)}, Supersedes: []string{id(i)}, Body: "x"})
	}
	for name, content := range draw(t, site.Site{Title: "project", Handoffs: all}) {
		if n := strings.Count(content, "<li>"); strings.HasPrefix(name, "h/") && n != 31 { // one event
			t.Errorf("%d handoffs of a long thread are shown", n)
		}
	}
}
