package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Place says where a remote is, as the user's settings do. Only URL is needed.
type Place struct {
	URL      string `json:"url"`
	Endpoint string `json:"endpoint,omitempty"`
	Region   string `json:"region,omitempty"`
	Profile  string `json:"profile,omitempty"`
}

// A Request is a line of JSON that a helper program reads. The package comment of handoff-remote-s3 describes it.
type Request struct {
	Verb   string `json:"verb"`
	Remote Place  `json:"remote"`
	Items  []Item `json:"items,omitempty"`
}

// An Item is a part of a request, or a line of JSON that answers one.
type Item struct {
	Log     string   `json:"log,omitempty"`
	At      Position `json:"at,omitempty"`
	Version string   `json:"version,omitempty"`
	Text    []byte   `json:"text,omitempty"`

	Problem string `json:"problem,omitempty"` // of an error
	Class   string `json:"class,omitempty"`   // moved, rewritten, config or ""
	Hint    string `json:"hint,omitempty"`

	End bool `json:"end,omitempty"`
}

// HelperOptions say which helper program to run.
type HelperOptions struct {
	Scheme  string // of the URL: the program is handoff-remote-SCHEME
	Remote  Place
	Beside  string   // the directory that is searched before those of PATH
	Environ []string // the environment of the program, with the PATH to search
}

// OpenHelper returns the remote that a helper program speaks to. The program starts with the first verb, and ends when
// the remote is closed. Call it for a remote of the user's own settings alone: a project must not choose a program. A
// missing program is a fault.ErrConfig.
//
// The remote also has a method Announce(context.Context, logs []string) error, which makes the versions of logs change.
// Call it for the logs of an append that was killed: it may have appended, and not told so.
func OpenHelper(o HelperOptions) (Remote, error) {
	name, dirs := "handoff-remote-"+o.Scheme, []string{o.Beside}
	for _, v := range o.Environ {
		if path, is := strings.CutPrefix(v, "PATH="); is {
			dirs = append(dirs, filepath.SplitList(path)...)
		}
	}
	for _, dir := range dirs {
		if program, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(dir) {
			return &helper{HelperOptions: o, program: program}, nil
		}
	}
	advice := "install it in a directory of PATH"
	if o.Scheme == "s3" {
		advice = "run `go install github.com/seed-78daf238/handoff/cmd/handoff-remote-s3@latest`"
	}
	return nil, fault.Config(advice, "%s is not installed: remotes with %s:// need it", name, o.Scheme)
}

// A helper is a remote behind a helper program.
type helper struct {
	HelperOptions
	program string
	end     func()         // lets the program finish what it does; nil if it does not run
	to      io.WriteCloser // its input
	from    *json.Decoder  // its output
}

// start starts the program.
func (h *helper) start() error {
	cmd, words := exec.Command(h.program), new(bytes.Buffer)
	from, answers := io.Pipe()
	cmd.Env, cmd.Stdout, cmd.Stderr = h.Environ, answers, words
	to, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fault.Config("install it again", "%s does not start: %v", h.program, err)
	}
	go func() {
		err := cmd.Wait()
		answers.CloseWithError(fmt.Errorf("%s ended: %v\n%s", h.program, err, readable(words.String())))
	}()
	h.to, h.from, h.end = to, json.NewDecoder(from), func() { _, _ = to.Close(), from.Close() }
	return nil
}

// readable returns the first ten lines of text of others.
func readable(text string) string {
	return strings.Join(fault.Lines(strings.Split(strings.TrimSpace(text), "\n"), form.EscapeLine), "\n")
}

// call makes a request, and calls do with each item of the answer. If that breaks off, the program ends, and the next
// call starts it again.
func (h *helper) call(ctx context.Context, verb string, items []Item, do func(Item) error) (err error) {
	if h.end == nil {
		if err := h.start(); err != nil {
			return err
		}
	}
	stop, isWhole := context.AfterFunc(ctx, h.end), false
	defer func() {
		if !stop() || !isWhole {
			err = cmp.Or(ctx.Err(), err, h.Close())
		}
	}()
	_ = json.NewEncoder(h.to).Encode(Request{verb, h.Remote, items}) // if the program has ended, reading says why
	var errs []error
	for {
		var i Item
		if err := h.from.Decode(&i); err != nil {
			return err
		}
		switch {
		case i.End:
			isWhole = true
			return errors.Join(errs...)
		case i.Problem != "":
			errs = append(errs, i.err())
		case IsLog(i.Log):
			if err := do(i); err != nil {
				return err
			}
		}
	}
}

// err returns the error of an item. Its words may be those of a server.
func (i Item) err() error {
	if i.Class == "rewritten" {
		return &Rewritten{i.Log}
	}
	class := map[string]error{"moved": ErrMoved, "config": fault.ErrConfig}[i.Class]
	return fault.New(class, form.EscapeLine(i.Hint), "%s", readable(i.Problem))
}

// Versions returns a word for each log.
func (h *helper) Versions(ctx context.Context) (map[string]string, error) {
	versions := make(map[string]string)
	err := h.call(ctx, "versions", nil, func(i Item) error {
		versions[i.Log] = i.Version
		return nil
	})
	return versions, err
}

// Read calls do with each batch behind the given positions.
func (h *helper) Read(ctx context.Context, after map[string]Position, do func(string, Batch) error) error {
	var logs []Item
	for _, log := range slices.Sorted(maps.Keys(after)) {
		logs = append(logs, Item{Log: log, At: after[log]})
	}
	return h.call(ctx, "read", logs, func(i Item) error { return do(i.Log, Batch{i.Text, i.At}) })
}

// Append appends each batch for itself. The positions are returned with an error, too.
func (h *helper) Append(ctx context.Context, all []Addition) (map[string]Position, error) {
	var batches []Item
	for _, a := range all {
		if len(a.Text) > MaxBatch {
			return nil, fault.Invalid("", "a batch of %d bytes cannot be appended to %q", len(a.Text), a.Log)
		}
		batches = append(batches, Item{Log: a.Log, At: a.After, Text: a.Text})
	}
	ends := make(map[string]Position)
	err := h.call(ctx, "append", batches, func(i Item) error {
		ends[i.Log] = i.At
		return nil
	})
	return ends, err
}

// Announce makes the versions of logs change.
func (h *helper) Announce(ctx context.Context, logs []string) error {
	var items []Item
	for _, log := range logs {
		items = append(items, Item{Log: log})
	}
	return h.call(ctx, "announce", items, nil)
}

// Close ends the program.
func (h *helper) Close() error {
	if h.end != nil {
		h.end()
		h.end = nil
	}
	return nil
}
