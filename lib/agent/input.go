package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
)

// maxInput is the most bytes of its input that a hook looks at.
const maxInput = 8 << 20

// An input is the JSON object that an agent writes to its hook. A field of the wrong type counts as missing.
type input map[string]json.RawMessage

// decode returns the first JSON object. A malformed or cut one has the fields before that place.
func decode(r io.Reader) input {
	in := input{}
	var mark [3]byte
	n, _ := io.ReadFull(r, mark[:])
	text := bytes.TrimPrefix(mark[:n], []byte("\ufeff"))
	d := json.NewDecoder(io.MultiReader(bytes.NewReader(text), io.LimitReader(r, maxInput)))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return in
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break
		}
		key, _ := name.(string)
		in[key] = value
	}
	return in
}

// text returns the first of some fields that has a text.
func (in input) text(names ...string) (text string) {
	for _, name := range names {
		if json.Unmarshal(in[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// session returns the id of the session, "" if it is missing or malformed.
func (in input) session() string {
	return memory.Name(in.text("session_id", "sessionId", "conversation_id", "conversationId"))
}

// places returns the directories that the session works in, by what names them: cwd, then the roots of a workspace,
// then CURSOR_PROJECT_DIR. The first of these in which a project is counts.
func (in input) places(getenv func(string) string) (all [][]string) {
	var roots, paths []string
	_ = json.Unmarshal(in["workspace_roots"], &roots) // other types are no roots
	_ = json.Unmarshal(in["workspacePaths"], &paths)
	for _, group := range [][]string{{in.text("cwd")}, append(roots, paths...), {getenv("CURSOR_PROJECT_DIR")}} {
		for i, path := range group {
			group[i] = LocalPath(path)
		}
		if usable := slices.DeleteFunc(group, func(path string) bool { return path == "" }); len(usable) > 0 {
			all = append(all, usable)
		}
	}
	return all
}

// LocalPath returns the absolute path in a path or file: URL, or "" for any other text. Agents of Windows write /c:/…
// too.
func LocalPath(path string) string {
	if rest, isURL := strings.CutPrefix(path, "file://"); isURL {
		path, _ = url.PathUnescape(strings.TrimPrefix(rest, "localhost"))
	}
	if filepath.Separator == '\\' && len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}
