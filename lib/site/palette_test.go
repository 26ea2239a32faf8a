package site_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/site"
)

// luminance is the relative luminance of WCAG 2.2.
func luminance(colour string) float64 {
	var r, g, b int
	if _, err := fmt.Sscanf(colour, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return math.NaN()
	}
	sum := 0.0
	for i, channel := range []int{r, g, b} {
		c := float64(channel) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += c * []float64{0.2126, 0.7152, 0.0722}[i]
	}
	return sum
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

var states = []string{"unread", "taken", "done", "expired", "read", "superseded", "archived", "withdrawn"}

// What is written can be read: every pair of colours that meet has the contrast that WCAG asks for.
func TestContrast(t *testing.T) {
	property := regexp.MustCompile(`--([a-z0-9-]+):(#[0-9a-f]{6})`)
	themes := strings.SplitN(stylesheet(t), "@media", 2)
	if len(themes) != 2 {
		t.Fatal("the dark colours are missing")
	}
	for i, theme := range themes {
		of := make(map[string]string)
		for _, m := range property.FindAllStringSubmatch(theme, -1) {
			of[m[1]] = m[2]
		}
		check := func(text, ground string) {
			if got := contrast(of[text], of[ground]); !(got >= 4.5) {
				t.Errorf("theme %d: %s on %s has a contrast of %.2f", i, text, ground, got)
			}
		}
		for _, ground := range []string{"ground", "card", "sunk"} {
			check("ink", ground)
			check("quiet", ground)
			check("link", ground)
		}
		for n := range 8 {
			check("letter", fmt.Sprint("d", n+1))
		}
		for _, state := range states {
			for _, ground := range []string{"ground", "card"} {
				check(state, ground)
			}
			if tint := state + "-tint"; of[tint] != "" {
				check(state, tint)
			} else {
				check(state, "quiet-tint")
			}
			if site.LookOf(state).State != state || site.LookOf(state).SGR == "" {
				t.Errorf("%s looks like another state", state)
			}
		}
	}
}

func TestSignsDiffer(t *testing.T) {
	seen := make(map[string]string)
	for _, state := range states {
		for _, sign := range []string{site.LookOf(state).Sign, site.LookOf(state).ASCII} {
			if other := seen[sign]; other != "" || len([]rune(sign)) != 1 {
				t.Errorf("%s and %s have the sign %q", state, other, sign)
			}
			seen[sign] = state
		}
	}
	if site.LookOf("not here") != site.LookOf("read") {
		t.Error("a state that is not known does not look settled")
	}
}

// stylesheet returns the style of a site.
func stylesheet(t *testing.T) string { return draw(t, site.Site{})["style.css"] }
