package page_test

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

	"github.com/seed-78daf238/handoff/lib/page"
)

// A browser is a headless one that shows a site, and notes what it asks for.
type browser struct {
	context.Context
	base string

	mu    sync.Mutex
	asked []string
}

func openBrowser(t *testing.T, bodies ...string) *browser {
	t.Helper()
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
	for name, content := range draw(t, page.Site{Title: "project", Handoffs: handoffs(bodies...)}) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := &browser{base: "file://" + filepath.ToSlash(dir) + "/"}
	ctx, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))...)
	t.Cleanup(stop)
	b.Context, stop = chromedp.NewContext(ctx)
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
	ctx, stop := context.WithTimeout(b.Context, time.Minute)
	defer stop()
	value, err := chromedp.Run(ctx, action)
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

func TestFilterInABrowser(t *testing.T) {
	b := openBrowser(t, attacks...)
	b.open(t, "all.html")
	run(t, b, chromedp.KeyEvent("/"))
	run(t, b, chromedp.Evaluate[chromedp.Void](`document.activeElement.id === "filter" && (document.activeElement.value = "")`)) // keys that are made here cannot be held back
	run(t, b, chromedp.KeyEvent("topic-3"))
	said := run(t, b, chromedp.Text(".filter [role=status]"))
	shown := run(t, b, chromedp.Evaluate[int](`[...document.querySelectorAll("tbody tr")].filter((r) => !r.hidden).length`))
	if said != "1 of 25" || shown != 1 {
		t.Errorf("%q, %d rows", said, shown)
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

// A table that is wider than the page is wrapped, and what still is too wide can be scrolled with the keyboard.
func TestWideBodiesInABrowser(t *testing.T) {
	words := strings.Repeat("many words of a cell ", 12)
	b := openBrowser(t, "| a | b | c |\n|---|---|---|\n| "+words+" | "+words+" | "+words+" |\n", "| a |\n|---|\n| `"+strings.Repeat("x", 2000)+"` |\n")
	for n := range 2 {
		b.open(t, pageOf(n))
		if wide := run(t, b, chromedp.Evaluate[int](`(() => { const b = document.querySelector(".body"); return b.scrollWidth - b.clientWidth })()`)); n == 0 && wide > 0 {
			t.Errorf("a table of words is %d pixels too wide", wide)
		}
		if !run(t, b, chromedp.Evaluate[bool](`document.querySelector(".body").tabIndex === 0`)) {
			t.Error("a body cannot be scrolled with the keyboard")
		}
	}
}

// On a telephone a list is read without scrolling to the side, and text from right to left begins on the right.
func TestNarrowInABrowser(t *testing.T) {
	b := openBrowser(t, "مرحبا بالعالم\n\n- بند\n\nwords\n")
	b.narrow(t, 390)
	for _, name := range []string{"index.html", "all.html", "people/to-ann.html", pageOf(0)} {
		b.open(t, name)
		if wide := run(t, b, chromedp.Evaluate[int](`Math.max(...[document.documentElement, ...document.querySelectorAll(".scroll:has(.handoffs)")].map((e) => e.scrollWidth - e.clientWidth))`)); wide > 0 {
			t.Errorf("%s is %d pixels too wide", name, wide)
		}
	}
	if got := run(t, b, chromedp.Evaluate[[]string](`[...document.querySelectorAll(".body > *")].map((e) => e.tagName + " " + getComputedStyle(e).direction)`)); !slices.Equal(got, []string{"P rtl", "UL rtl", "P ltr"}) {
		t.Errorf("directions are %v", got)
	}
	b.open(t, "all.html")
	run(t, b, chromedp.Evaluate[chromedp.Void](`document.querySelector("#filter").value = "nothing"; document.querySelector("#filter").dispatchEvent(new Event("input"))`))
	if high := run(t, b, chromedp.Evaluate[int](`document.querySelector(".handoffs tbody").clientHeight`)); high > 0 {
		t.Errorf("rows that are filtered out are %d pixels high", high)
	}
}

// TestAccessibilityInABrowser asks axe-core, whose script HANDOFF_AXE names, for what is serious.
func TestAccessibilityInABrowser(t *testing.T) {
	axe, err := os.ReadFile(os.Getenv("HANDOFF_AXE"))
	if err != nil {
		t.Skip("HANDOFF_AXE does not name axe.min.js")
	}
	b := openBrowser(t, append([]string{"# Where it stands\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\n| wide |\n|---|\n| " + strings.Repeat("x\u00a0", 400) + " |\n"}, attacks...)...)
	for _, scheme := range []string{"light", "dark", "dark and narrow"} {
		if b.prefer(t, strings.Fields(scheme)[0]); strings.HasSuffix(scheme, "narrow") {
			b.narrow(t, 390)
		}
		for _, name := range []string{"index.html", "all.html", "people/to-ann.html", "timeline/2026-05.html", pageOf(0), pageOf(2)} {
			b.open(t, name)
			run(t, b, chromedp.Evaluate[chromedp.Void](string(axe)))
			found := run(t, b, chromedp.Evaluate[[]string](`axe.run().then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.nodes[0].html))`, chromedp.EvalAwaitPromise))
			for _, violation := range found {
				t.Errorf("%s, %s: %s", name, scheme, violation)
			}
		}
	}
}

// TestPicturesOfThePages keeps what the pages look like where HANDOFF_PICTURES names a directory, to be looked at.
func TestPicturesOfThePages(t *testing.T) {
	dir := os.Getenv("HANDOFF_PICTURES")
	if dir == "" {
		t.Skip("HANDOFF_PICTURES names no directory")
	}
	b := openBrowser(t, attacks...)
	for _, scheme := range []string{"light", "dark"} {
		b.prefer(t, scheme)
		for name, file := range map[string]string{"index": "index.html", "person": "people/to-ann.html", "timeline": "timeline/2026-05.html", "handoff": pageOf(1)} {
			b.open(t, file)
			png := run(t, b, chromedp.FullScreenshot(100))
			if err := os.WriteFile(filepath.Join(dir, name+"-"+scheme+".png"), png, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (b *browser) narrow(t *testing.T, width int64) {
	t.Helper()
	if _, err := chromedp.Call(b.Context, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1, Mobile: true}); err != nil {
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
