package tui_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A vt is a terminal that knows the control sequences which the program may send, and keeps a list of all others.
type vt struct {
	parser        *ansi.Parser
	width, height int
	cells         [][]cell
	x, y          int
	top, end      int    // the lines that scroll, end not among them
	last          string // what was printed last
	style         pen
	modes         map[int]bool // that are set
	keyboard      int          // entries of the stack of kitty keyboard modes
	otherKeys     bool
	copied        []string
	unknown       []string
	main          [][]cell // the other screen
}

type cell struct {
	text  string
	style pen
}

func newVT(width, height int) *vt {
	v := &vt{parser: ansi.NewParser(), modes: map[int]bool{7: true, 25: true}}
	v.resize(width, height)
	v.parser.SetHandler(ansi.Handler{
		Print: v.print, Execute: v.execute, HandleCsi: v.csi, HandleEsc: v.esc,
		HandleOsc: func(cmd int, data []byte) {
			if cmd != 52 {
				v.odd("OSC %q", data)
			}
			v.copied = append(v.copied, string(data))
		},
		HandleDcs: func(ansi.Cmd, ansi.Params, []byte) { v.odd("DCS") },
		HandlePm:  func(data []byte) { v.odd("PM %q", data) },
		HandleApc: func(data []byte) { v.odd("APC %q", data) },
		HandleSos: func(data []byte) { v.odd("SOS %q", data) },
	})
	return v
}

func (v *vt) odd(format string, args ...any) {
	v.unknown = append(v.unknown, fmt.Sprintf(format, args...))
}

func (v *vt) resize(width, height int) {
	cells := make([][]cell, height)
	for y := range cells {
		cells[y] = make([]cell, width)
		if y < len(v.cells) {
			copy(cells[y], v.cells[y])
		}
	}
	v.cells, v.width, v.height, v.top, v.end = cells, width, height, 0, height
	v.x, v.y = min(v.x, width-1), min(v.y, height-1)
}

func (v *vt) Write(text []byte) (int, error) {
	for _, b := range text {
		v.parser.Advance(b)
	}
	return len(text), nil
}

// hidden are characters that reorder or hide what stands beside them.
var hidden = regexp.MustCompile(`[\x{80}-\x{9f}\x{ad}\x{61c}\x{200b}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}\x{fff9}-\x{fffb}\x{e000}-\x{f8ff}\x{e0000}-\x{e007f}]`)

func (v *vt) print(r rune) {
	if hidden.MatchString(string(r)) {
		v.odd("%U", r)
	}
	text, width := string(r), ansi.WcWidth.StringWidth(string(r))
	if width == 0 {
		if at := v.x - 1; at >= 0 {
			for at > 0 && v.cells[v.y][at].text == "" {
				at--
			}
			v.cells[v.y][at].text += text
		}
		return
	}
	if v.x+width > v.width && v.modes[7] {
		v.x = 0
		v.down()
	}
	if v.x = min(v.x, v.width-width); v.x < 0 {
		v.x = 0
		return
	}
	v.cells[v.y][v.x] = cell{text, v.style}
	if v.last = text; width == 2 {
		v.cells[v.y][v.x+1] = cell{"", v.style}
	}
	v.x += width
}

func (v *vt) execute(b byte) {
	switch b {
	case '\r':
		v.x = 0
	case '\n':
		v.down()
	case '\b':
		v.x = max(0, v.x-1)
	case '\t':
		v.x = min((v.x/8+1)*8, v.width-1)
	default:
		v.odd("control %#x", b)
	}
}

func (v *vt) esc(cmd ansi.Cmd) {
	switch cmd.Final() {
	case 'M':
		if v.y == v.top {
			v.insert(v.top, 1)
		} else {
			v.y = max(0, v.y-1)
		}
	case '\\':
	default:
		v.odd("ESC %c", cmd.Final())
	}
}

func (v *vt) csi(cmd ansi.Cmd, params ansi.Params) {
	n := func(i, otherwise int) int {
		p, _, _ := params.Param(i, otherwise)
		return max(p, min(otherwise, 1))
	}
	v.x = min(v.x, v.width-1)
	switch fmt.Sprintf("%s%s%c", mark(cmd.Prefix()), mark(cmd.Intermediate()), cmd.Final()) {
	case "A":
		v.y = max(0, v.y-n(0, 1))
	case "B":
		v.y = min(v.height-1, v.y+n(0, 1))
	case "C":
		v.x = min(v.width-1, v.x+n(0, 1))
	case "D":
		v.x = max(0, v.x-n(0, 1))
	case "G", "`":
		v.x = min(v.width, n(0, 1)) - 1
	case "d":
		v.y = min(v.height, n(0, 1)) - 1
	case "H", "f":
		v.y, v.x = min(v.height, n(0, 1))-1, min(v.width, n(1, 1))-1
	case "I":
		v.x = min((v.x/8+n(0, 1))*8, v.width-1)
	case "Z":
		v.x = max(0, ((v.x+7)/8-n(0, 1))*8)
	case "J":
		v.erase(n(0, 0))
	case "K":
		from, to := v.x, v.width
		if how := n(0, 0); how > 0 {
			from = 0
			if how == 1 {
				to = v.x + 1
			}
		}
		v.blank(v.y, from, to)
	case "X":
		v.blank(v.y, v.x, min(v.width, v.x+n(0, 1)))
	case "b":
		for range n(0, 1) {
			v.print([]rune(v.last)[0])
		}
	case "P":
		line := v.cells[v.y]
		copy(line[v.x:], line[min(v.width, v.x+n(0, 1)):])
		v.blank(v.y, v.width-n(0, 1), v.width)
	case "@":
		line := v.cells[v.y]
		copy(line[min(v.width, v.x+n(0, 1)):], line[v.x:])
		v.blank(v.y, v.x, min(v.width, v.x+n(0, 1)))
	case "L", "T":
		v.insert(map[bool]int{true: v.y, false: v.top}[cmd.Final() == 'L'], n(0, 1))
	case "M", "S":
		v.remove(map[bool]int{true: v.y, false: v.top}[cmd.Final() == 'M'], n(0, 1))
	case "r":
		v.top, v.end = n(0, 1)-1, min(v.height, n(1, v.height))
		v.x, v.y = 0, 0
	case "m":
		for i := 0; i < max(1, len(params)); i++ {
			i = v.style.set(params, i)
		}
	case "?h", "?l":
		for i := range params {
			v.mode(n(i, 0), cmd.Final() == 'h')
		}
	case ">m":
		v.otherKeys = n(1, 0) != 0
	case ">u":
		v.keyboard++
	case "<u":
		v.keyboard--
	case "=u", "?u", "?$p", "?W", " q": // asks, or sets what is set
	default:
		v.odd("CSI %s %v %s %c", mark(cmd.Prefix()), params, mark(cmd.Intermediate()), cmd.Final())
	}
}

func mark(b byte) string {
	if b == 0 {
		return ""
	}
	return string(b)
}

func (v *vt) mode(n int, set bool) {
	if n == 1049 && v.modes[n] != set {
		v.cells, v.main = v.main, v.cells
		if set {
			v.cells = nil
			v.resize(v.width, v.height)
		}
	}
	if v.modes[n] = set; !set {
		delete(v.modes, n)
	}
}

func (v *vt) blank(y, from, to int) {
	for x := max(0, from); x < to; x++ {
		v.cells[y][x] = cell{}
	}
}

func (v *vt) erase(how int) {
	for y := range v.cells {
		switch {
		case how >= 2, how == 0 && y > v.y, how == 1 && y < v.y:
			v.blank(y, 0, v.width)
		case how == 0 && y == v.y:
			v.blank(y, v.x, v.width)
		}
	}
}

// down goes to the next line, and scrolls at the last one.
func (v *vt) down() {
	if v.y == v.end-1 {
		v.remove(v.top, 1)
	} else {
		v.y = min(v.y+1, v.height-1)
	}
}

// insert makes room for lines at y.
func (v *vt) insert(y, n int) {
	for range min(n, v.end-y) {
		copy(v.cells[y+1:v.end], v.cells[y:v.end])
		v.cells[y] = make([]cell, v.width)
	}
}

// remove takes lines out at y.
func (v *vt) remove(y, n int) {
	for range min(n, v.end-y) {
		copy(v.cells[y:v.end], v.cells[y+1:v.end])
		v.cells[v.end-1] = make([]cell, v.width)
	}
}

// String is what stands on the screen.
func (v *vt) String() string {
	var b strings.Builder
	for _, line := range v.cells {
		text, skip := "", false
		for _, c := range line {
			switch {
			case skip:
				skip = false
			case c.text == "":
				text += " "
			default:
				text += c.text
				skip = ansi.WcWidth.StringWidth(c.text) == 2
			}
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.String()
}
