package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/thread"
)

// A Program lists the parts of the fast or the full program.
type Program struct {
	Commands []Commands          // of the linked packages
	Quick    []func(a *App) bool // runs a command line without cobra; false if it cannot
	Full     *Full               // nil in the fast program
}

// A Full holds the parts that only the full program has.
type Full struct {
	Words     func(a *App, flag string) []string // completions of the value of a flag
	CheckBody func(body string) error

	VerifySignature func(text, armored []byte, namespace string) (key string, err error)
	// key "" is that of the user
	Sign func(a *App, p handoff.Project, key string, text []byte) ([]byte, error)

	// ObjectStore returns the object store that a remote is, with its URL.
	ObjectStore func(ctx context.Context, r *handoff.UserRemote, getenv func(string) string) (s objects.Store,
		url string,
		err error)

	// reports whether JSON has the shape of a record
	IsRecord func(text []byte) bool
	// returns the function that makes sources of records
	Records func(in *Input, f Fields) func(name string, text []byte) handoff.Source

	Warnings func(s *handoff.Store, ids []string) ([]string, error) // returns warnings about stored records

	Diff func(from, to, before, after string) string // returns a unified diff of two files, "" if they are equal

	Picture func(t thread.Thread, format string) string // draws a thread

	ManPages func(a *App, dir string) error // writes the man pages to a directory

	// Compose opens start in the editor and stores the saved text. at is the time if the flags have none; "" is now.
	Compose func(a *App, f Fields, at, start string) error

	// Body formats Markdown for a terminal, without a heading that repeats the title above it.
	Body func(body, title string, columns int, colours bool) []string
}

// ErrBeyond is returned by commands that need the full program, before they change or print anything.
var ErrBeyond = errors.New("this needs the full program")

// InstallBoth is the hint if one of the two programs is missing.
const InstallBoth = "install both programs together: `go install ./cmd/...`"

// handOver starts the full program in place of the fast one if why is ErrBeyond. The full program gets the same
// arguments and the same standard input, including the part that was read. It is in the directory of this program; PATH
// is not searched. If it cannot run, handOver returns why.
func (a *App) handOver(why error) error {
	if a.Full != nil || !errors.Is(why, ErrBeyond) {
		return why
	}
	if a.alone == nil {
		if err := handoff.CheckLimit(); err != nil { // the full program would crash before it can say so
			return err
		}
		a.alone = a.startFull()
	}
	return fault.Config(InstallBoth, "cannot run the full program: %v", a.alone)
}

// preferFull starts the full program for command lines that it handles better. Without it, the fast program goes on.
func (a *App) preferFull() {
	if len(a.Args) == 0 {
		a.preferInbox()
	} else if listsCommands(a.Args[0]) {
		_ = a.handOver(ErrBeyond)
	}
}

// listsCommands reports whether an argument asks for a list of commands, which is complete only in the full program.
func listsCommands(arg string) bool {
	return arg == "help" || arg == "completion" || isCompleting([]string{arg})
}

// preferInbox runs the inbox if there is no command, on a terminal and in a project. Without the full program help is
// shown.
func (a *App) preferInbox() {
	if !a.canLook() {
		return
	}
	a.Args = []string{"inbox"}
	if a.handOver(ErrBeyond) != ErrBeyond {
		a.Args = nil
	}
}

func (a *App) canLook() bool {
	if Terminal(a.Stdin) == nil || Terminal(a.Stdout) == nil || a.Getenv("TERM") == "dumb" {
		return false
	}
	cwd, err := a.Getwd()
	if err != nil {
		return false
	}
	p, err := handoff.LoadProject(cwd, a.Getenv, a.Flags)
	return err == nil && p.Exists() == nil
}

// Sibling returns the path of a program in the directory of this one.
func (a *App) Sibling(name string) (string, error) {
	self, err := a.Executable()
	if err != nil {
		return "", fmt.Errorf("cannot find the path of this program: %w", err)
	}
	// the directory of a link to this program has no other programs
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	return filepath.Join(filepath.Dir(self), name+filepath.Ext(self)), nil
}

// ReadStdin reads all of standard input, and keeps it for the full program.
func (a *App) ReadStdin(most int64) ([]byte, error) {
	return ReadAll(a.KeptStdin(), "standard input", most)
}

// startFull replaces this process by the full program, with the part of standard input that was read. It returns only
// on failure.
func (a *App) startFull() error {
	program, err := a.Sibling("handoff-full")
	if err == nil {
		_, err = os.Stat(program) // before standard input is replaced
	}
	if err != nil {
		return err
	}
	a.progress.clear()
	if a.consumed == nil {
		return execute(program, a.Args, nil)
	}
	stdin, err := inputFile()
	if err != nil {
		return err
	}
	defer stdin.Close()
	if _, err := stdin.Write(a.consumed); err != nil {
		return err
	}
	if _, err := stdin.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return execute(program, a.Args, stdin)
}
