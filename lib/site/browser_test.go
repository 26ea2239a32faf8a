package site_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-78daf238/handoff/lib/site"
)

// A browser is a headless one that shows a site, and notes what it asks for.
type browser struct {
	context.Context
	base string

	mu    sync.Mutex
	asked []string
}

// chrome is the program, which all tests share: a start of it takes longer than most tests.
var chrome chromium

type chromium struct {
	sync.Once
	context.Context
	err   error
	stops []func()
}

func (c *chromium) start(program string) {
	ctx, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))...)
	c.stops = append(c.stops, stop)
	c.Context, stop = chromedp.NewContext(ctx)
	c.stops = append(c.stops, stop)
	_, c.err = chromedp.Run(c.Context, chromedp.Navigate("about:blank"))
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, stop := range slices.Backward(chrome.stops) {
		stop()
	}
	os.Exit(code)
}

func openBrowser(t *testing.T, bodies ...string) *browser {
	t.Helper()
	return openSite(t, site.Site{Title: "project", Handoffs: handoffs(bodies...)})
}

func openSite(t *testing.T, pages site.Site) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("the browser has no race detector")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("there is no chromium here")
	}
	dir := t.TempDir()
	for name, content := range draw(t, pages) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	chrome.Do(func() { chrome.start(program) })
	if chrome.err != nil {
		t.Fatal(chrome.err)
	}
	b := &browser{base: "file://" + filepath.ToSlash(dir) + "/"}
	var stop func()
	b.Context, stop = chromedp.NewContext(chrome.Context) // another tab
	t.Cleanup(stop)
	if err := chromedp.Listen(b.Context, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok {
			b.mu.Lock()
			b.asked = append(b.asked, e.Request.URL)
			b.mu.Unlock()
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(b.Context, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	return b
}

func run[T any](t *testing.T, b *browser, action chromedp.Action[T]) T {
	t.Helper()
	value, err := chromedp.Run(b.Context, action)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func (b *browser) open(t *testing.T, name string) {
	t.Helper()
	run(t, b, chromedp.Steps(chromedp.Navigate(b.base+name), chromedp.WaitReady("main")))
}

func pageOf(n int) string { return "h/" + strings.TrimPrefix(id(n), "sha256:") + ".html" }

func TestNothingRunsOrLeavesInABrowser(t *testing.T) {
	b := openBrowser(t, attacks...)
	for n := range attacks {
		b.open(t, pageOf(n))
		run(t, b, chromedp.Sleep(20*time.Millisecond))
		title := run(t, b, chromedp.Title())
		if title == "pwned" || !strings.HasSuffix(title, "project") {
			t.Errorf("%q has run: the title is %q", attacks[n], title)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.asked) < 2*len(attacks) {
		t.Fatalf("only %d requests were seen", len(b.asked))
	}
	for _, url := range b.asked {
		if !strings.HasPrefix(url, b.base) {
			t.Errorf("the browser asked for %s", url)
		}
	}
}

func TestKeyboardInABrowser(t *testing.T) {
	b := openBrowser(t, attacks...)
	b.open(t, "index.html")
	run(t, b, chromedp.KeyEvent(kb.Tab))
	focused := run(t, b, chromedp.Evaluate[string](`document.activeElement.className`))
	if focused != "skip" {
		t.Errorf("the first stop is %q", focused)
	}
	run(t, b, chromedp.Steps(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab)))
	if !run(t, b, chromedp.Evaluate[bool](`document.activeElement.closest("main") !== null`)) {
		t.Error("behind the skip link comes something outside of the content")
	}
}

// A table of words is wrapped; what is too wide even so scrolls in a box that the keyboard reaches.
func TestWideBodiesInABrowser(t *testing.T) {
	words := strings.Repeat("many words of a cell ", 12)
	b := openBrowser(t, "| a | b | c |\n|---|---|---|\n| "+words+" | "+words+" | "+words+" |\n", "| a |\n|---|\n| `"+strings.Repeat("x", 2000)+"` |\n\n```\n"+strings.Repeat("x", 2000)+"\n```\n")
	for n := range 2 {
		b.open(t, pageOf(n))
		if wide := run(t, b, chromedp.Evaluate[int](`(() => { const b = document.querySelector(".scroll"); return b.scrollWidth - b.clientWidth })()`)); n == 0 && wide > 0 {
			t.Errorf("a table of words is %d pixels too wide", wide)
		}
		if !run(t, b, chromedp.Evaluate[bool](`[...document.querySelectorAll(".scroll, .body pre")].every((e) => e.tabIndex === 0)`)) {
			t.Error("what is wide cannot be scrolled with the keyboard")
		}
	}
}

// At every width nothing ends beyond the window, no line of a body has more than 75 characters, and no text is cut
// but where an ellipsis says so.
func TestNothingIsCutInABrowser(t *testing.T) {
	pages := harbourSite()
	long := strings.Repeat("Long words such as extraordinarily-hyphenated-compounds and short ones. ", 20)
	pages.Handoffs[0].Body, pages.Handoffs[0].Title = long, strings.Repeat("A title of three hundred characters ", 9)
	pages.Handoffs[1].From = strings.Repeat("a-name-of-64-", 5)[:64]
	b := openSite(t, pages)
	names := []string{"index.html", "list/done.html", "people/to-ben.html", harbourPage(pages, "Booking"), harbourPage(pages, "A title"), harbourPage(pages, "جدول")}
	for _, name := range names {
		b.open(t, name)
		for _, width := range []int64{320, 390, 768, 1280} {
			b.narrow(t, width)
			for _, found := range run(t, b, chromedp.Evaluate[[]string](`(() => {
				const root = document.documentElement, found = [];
				if (root.scrollWidth > root.clientWidth) found.push("the page is " + (root.scrollWidth - root.clientWidth) + " pixels too wide");
				for (const e of document.querySelectorAll("main *, header *")) {
					const box = e.getBoundingClientRect(), style = getComputedStyle(e);
					if (!box.width || e.closest(".sr, .scroll, pre, svg, .skip, .sprite") || style.clipPath !== "none" || e.closest(".word")) continue;
					if (box.right > innerWidth + 1 || box.left < -1) found.push("ends beyond the window: " + e.outerHTML.slice(0, 90));
					if (style.overflowX === "hidden" && style.textOverflow !== "ellipsis" && !style.webkitLineClamp.match(/\d/) && e.scrollWidth > e.clientWidth + 1) found.push("is cut: " + e.outerHTML.slice(0, 90));
				}
				return found.slice(0, 4);
			})()`)) {
				t.Errorf("%s at %d: %s", name, width, found)
			}
		}
	}
	b.open(t, harbourPage(pages, "A title"))
	perLine := run(t, b, chromedp.Evaluate[int](`(() => { const p = document.querySelector(".body p"), r = document.createRange(); r.selectNodeContents(p);
		return Math.round(p.textContent.length / new Set([...r.getClientRects()].map((box) => Math.round(box.top))).size) })()`))
	if perLine > 75 || perLine < 55 {
		t.Errorf("a line of a body has %d characters", perLine)
	}
}

// Text from right to left begins on the right.
func TestNarrowInABrowser(t *testing.T) {
	b := openBrowser(t, "مرحبا بالعالم\n\n- [x] بند\n\n| عمود |\n|---|\n| قيمة |\n\nwords\n")
	b.narrow(t, 390)
	b.open(t, pageOf(0))
	if got := run(t, b, chromedp.Evaluate[[]string](`[...document.querySelectorAll(".body > *")].map((e) => e.tagName + " " + getComputedStyle(e).direction)`)); !slices.Equal(got, []string{"P rtl", "UL rtl", "DIV rtl", "P ltr"}) {
		t.Errorf("directions are %v", got)
	}
}

// TestAccessibilityInABrowser asks axe-core, whose script HANDOFF_AXE names, for all that it finds.
func TestAccessibilityInABrowser(t *testing.T) {
	axe, err := os.ReadFile(os.Getenv("HANDOFF_AXE"))
	if err != nil {
		t.Skip("HANDOFF_AXE does not name axe.min.js")
	}
	pages := harbourSite()
	all := append(handoffs(attacks...), handoffs("# Where it stands\n\n- [x] done\n- [ ] open\n\n### Deep\n\n```\ncode\n```\n\n| wide |\n|---|\n| " + strings.Repeat("x\u00a0", 400) + " |\n")[0])
	all[len(all)-1].ID = id(999)
	pages.Handoffs = append(pages.Handoffs, all...)
	b := openSite(t, pages)
	for _, scheme := range []string{"light", "dark", "dark and narrow"} {
		if b.prefer(t, strings.Fields(scheme)[0]); strings.HasSuffix(scheme, "narrow") {
			b.narrow(t, 390)
		}
		for _, name := range []string{"index.html", "list/done.html", "people/to-ann.html", harbourPage(pages, "Booking"), harbourPage(pages, "جدول"), pageOf(0), pageOf(2), pageOf(16), pageOf(999)} {
			b.open(t, name)
			run(t, b, chromedp.Evaluate[chromedp.Void](string(axe)))
			found := run(t, b, chromedp.Evaluate[[]string](`axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) => r.violations.map((v) => v.id + ": " + v.nodes[0].html))`, chromedp.EvalAwaitPromise))
			for _, violation := range found {
				t.Errorf("%s, %s: %s", name, scheme, violation)
			}
		}
	}
}

func (b *browser) narrow(t *testing.T, width int64) {
	t.Helper()
	if _, err := chromedp.Call(b.Context, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1}); err != nil {
		t.Fatal(err)
	}
}

func (b *browser) prefer(t *testing.T, scheme string) {
	t.Helper()
	with := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.Context, emulation.SetEmulatedMedia, with); err != nil {
		t.Fatal(err)
	}
}
