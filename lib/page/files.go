package page

import (
	"bytes"
	"path"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Dirs lists the directories of a site.
var Dirs = []string{"h", "list", "people", "t", "timeline"}

var ours = form.Pattern(`^((index|people)\.html|style\.css|(filter|live)\.js|h/[0-9a-f]{64}\.html|` +
	`t/[0-9a-f]{64}\.(html|svg)|` +
	`(threads|list/[a-z]+|people/to-[0-9A-Za-z_-]+(\.[a-z]+)?|timeline/[0-9]{4}-[0-9]{2})(\.[0-9]+)?\.html)$`)

// marks maps file name suffixes to the first bytes of such files of a site.
var marks = map[string]string{
	".html": `<meta name="generator" content="handoff page">`,
	".css":  "/* handoff page */",
	".js":   "// handoff page:",
	".svg":  "<!-- handoff page -->\n",
}

// HeadLen is the number of bytes that IsMade needs.
const HeadLen = 256

// IsName reports whether a relative name, with slashes, can be a file of a site.
func IsName(name string) bool { return ours().MatchString(name) }

// IsMade reports whether a file with this name and first bytes was made for a site. An empty file counts: drawing
// it was interrupted.
func IsMade(name string, head []byte) bool {
	mark, known := marks[path.Ext(name)]
	return known && (len(head) == 0 || bytes.Contains(head[:min(len(head), HeadLen)], []byte(mark)))
}
