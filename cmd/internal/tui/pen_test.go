package tui_test

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A pen is how a terminal prints: colours, "" for its own, and marks.
type pen struct {
	fore, back                             string
	bold, faint, italic, underline, invert bool
}

// palette has the 16 colours of a terminal with a dark ground.
var palette = []string{"#1d1f21", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
	"#7f848e", "#f08a92", "#b5e08f", "#f0d399", "#8cc8ff", "#dba0ef", "#7fd5e0", "#ffffff"}

const (
	paper = "#1d1f21"
	ink   = "#d7dae0"
)

// set does what the parameter at a place of a sequence SGR says, and returns the last place that it took.
func (p *pen) set(params ansi.Params, i int) int {
	n, _, _ := params.Param(i, 0)
	switch {
	case n == 0:
		*p = pen{}
	case n == 1:
		p.bold = true
	case n == 2:
		p.faint = true
	case n == 3:
		p.italic = true
	case n == 4:
		p.underline = true
	case n == 7:
		p.invert = true
	case n == 22:
		p.bold, p.faint = false, false
	case n == 23:
		p.italic = false
	case n == 24:
		p.underline = false
	case n == 27:
		p.invert = false
	case 30 <= n && n <= 37:
		p.fore = palette[n-30]
	case 90 <= n && n <= 97:
		p.fore = palette[n-82]
	case 40 <= n && n <= 47:
		p.back = palette[n-40]
	case 100 <= n && n <= 107:
		p.back = palette[n-92]
	case n == 39:
		p.fore = ""
	case n == 49:
		p.back = ""
	case n == 38 || n == 48:
		how, _, _ := params.Param(i+1, 0)
		at, _, _ := params.Param(i+2, 0)
		colour := ""
		if i += 2; how == 2 {
			g, _, _ := params.Param(i+1, 0)
			b, _, _ := params.Param(i+2, 0)
			colour, i = fmt.Sprintf("#%02x%02x%02x", at, g, b), i+2
		} else if at < len(palette) {
			colour = palette[at]
		}
		if n == 38 {
			p.fore = colour
		} else {
			p.back = colour
		}
	}
	return i
}

// isColored reports whether something on the screen has a color.
func (v *vt) isColored() bool {
	return slices.ContainsFunc(v.cells, func(line []cell) bool {
		return slices.ContainsFunc(line, func(c cell) bool { return c.style.fore+c.style.back != "" })
	})
}

// svg draws the screen as a picture.
func (v *vt) svg(title string) string {
	const wide, high, left, top = 8.4, 19, 16, 40
	var b strings.Builder
	w, h := left*2+int(wide*float64(v.width)), top+high*v.height+12
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`, w, h, w, h, html.EscapeString(title))
	fmt.Fprintf(&b, "\n"+`<rect width="%d" height="%d" rx="8" fill="%s"/><g fill="#4b4f58"><circle cx="20" cy="18" r="5"/><circle cx="38" cy="18" r="5"/><circle cx="56" cy="18" r="5"/></g>`+"\n", w, h, paper)
	b.WriteString(`<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="14">` + "\n")
	for y, line := range v.cells {
		for x := 0; x < len(line); {
			end := x + 1
			for end < len(line) && line[end].style == line[x].style {
				end++
			}
			v.drawRun(&b, line[x:end], left+wide*float64(x), top+high*y, wide, high)
			x = end
		}
	}
	return b.String() + "</g>\n</svg>\n"
}

// drawRun draws cells that have one style.
func (v *vt) drawRun(b *strings.Builder, run []cell, x float64, y int, wide float64, high int) {
	p := run[0].style
	fore, back := p.fore, p.back
	if fore == "" {
		fore = ink
	}
	if p.invert {
		if back == "" {
			back = paper
		}
		fore, back = back, fore
	}
	if back != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, x, y-high+5, wide*float64(len(run)), high, back)
	}
	style := ""
	for _, s := range []struct {
		on   bool
		text string
	}{{p.bold, ` font-weight="700"`}, {p.faint, ` opacity="0.6"`}, {p.italic, ` font-style="italic"`}, {p.underline, ` text-decoration="underline"`}} {
		if s.on {
			style += s.text
		}
	}
	for i := 0; i < len(run); { // word by word, since readers of SVG join spaces
		word, from := "", i
		for ; i < len(run) && (strings.TrimSpace(run[i].text) != "" || i > from && ansi.WcWidth.StringWidth(run[i-1].text) == 2); i++ {
			word += run[i].text
		}
		if word != "" {
			fmt.Fprintf(b, `<text x="%.1f" y="%d" fill="%s"%s textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n", x+wide*float64(from), y, fore, style, wide*float64(i-from), html.EscapeString(word))
		} else {
			i++
		}
	}
}
