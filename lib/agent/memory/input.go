package memory

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// MaxInput is the most bytes of its input that a hook looks at.
const MaxInput = 8 << 20

// A Reading reads the input of a hook in the background: some agents fail if their hook stops reading, or if it waits.
type Reading struct {
	value   chan Input
	drained chan struct{}
}

// Start begins to read r. A nil reader is empty.
func Start(r io.Reader) *Reading {
	g := &Reading{make(chan Input, 1), make(chan struct{})}
	if r == nil {
		r = bytes.NewReader(nil)
	}
	go func() {
		defer close(g.drained)
		g.value <- decode(io.LimitReader(r, MaxInput))
		_, _ = io.Copy(io.Discard, r)
	}()
	return g
}

// Input returns the first JSON object of the input. It is empty if there is none, or not within a time.
func (g *Reading) Input(wait time.Duration) (in Input) {
	select {
	case in = <-g.value:
		g.value <- in
	case <-time.After(wait):
	}
	return in
}

// Drain waits until the input ends, or until a time.
func (g *Reading) Drain(until time.Time) {
	select {
	case <-g.drained:
	case <-time.After(time.Until(until)):
	}
}

// An Input is the JSON object that an agent writes to its hook. A field of the wrong type counts as missing.
type Input map[string]json.RawMessage

// decode returns the first JSON object. A malformed or cut one has the fields before that place.
func decode(r io.Reader) Input {
	in := Input{}
	var mark [3]byte
	n, _ := io.ReadFull(r, mark[:])
	text := bytes.TrimPrefix(mark[:n], []byte("\ufeff"))
	d := json.NewDecoder(io.MultiReader(bytes.NewReader(text), r))
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

// Text returns the first of some fields that has a text.
func (in Input) Text(names ...string) (text string) {
	for _, name := range names {
		if value := in[name]; len(value) > 2 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
			return text
		}
	}
	return ""
}

// Letters are the characters of the id of a session.
const Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// Session returns the id of the session, "" if it is missing or malformed.
func (in Input) Session() string {
	for _, name := range []string{"session_id", "sessionId", "conversation_id", "conversationId"} {
		if id := Name(in.Text(name)); id != "" {
			return id
		}
	}
	return ""
}

// Name returns an id of an agent in the form that a take accepts: Letters, digits, - and _. It is "" for other ids.
func Name(id string) string {
	id = strings.NewReplacer(".", "-", ":", "-").Replace(id)
	if len(id) > 128 || strings.Trim(id, Letters) != "" {
		return ""
	}
	return id
}

// Places returns the directories that the session works in, by what names them: cwd, then the roots of a workspace,
// then CURSOR_PROJECT_DIR. The first of these in which a project is counts.
func (in Input) Places(getenv func(string) string) (all [][]string) {
	add := func(paths ...string) {
		var usable []string
		for _, p := range paths {
			if p = localPath(p); p != "" && !slices.Contains(usable, p) {
				usable = append(usable, p)
			}
		}
		if usable != nil {
			all = append(all, usable)
		}
	}
	add(in.Text("cwd"))
	var roots []string
	for _, name := range []string{"workspace_roots", "workspacePaths"} {
		var texts []any
		_ = json.Unmarshal(in[name], &texts) // other types are no roots
		for _, text := range texts {
			root, _ := text.(string)
			roots = append(roots, root)
		}
	}
	add(roots...)
	add(getenv("CURSOR_PROJECT_DIR"))
	return all
}

// Where returns a name for the places of a session.
func (in Input) Where(getenv func(string) string, getwd func() (string, error)) string {
	var all []string
	for _, group := range in.Places(getenv) {
		all = append(all, group...)
	}
	if all == nil {
		cwd, _ := getwd() // a directory that is gone has the name ""
		all = []string{cwd}
	}
	return strings.ReplaceAll(strings.Join(all, "\x00"), "\n", "\x01")
}

// localPath returns an absolute path for a path or file: URL, "" if it is none. Agents of Windows write /c:/… too.
func localPath(path string) string {
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
