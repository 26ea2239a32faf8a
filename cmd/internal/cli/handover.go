package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Program is what one of the two programs is made of.
type Program struct {
	Commands []Commands          // of the folders that it links
	Quick    []func(a *App) bool // answers a command line without the library of the command line, or reports false
	Full     *Full               // nil in the fast program
}

// Commands has the builder of each command of a folder.
type Commands map[string]func(*App) *cobra.Command

// Group returns the commands of a folder that has a type of its own for a run.
func Group[A any](run func(*App) A, build map[string]func(A) *cobra.Command) Commands {
	all := make(Commands, len(build))
	for name, build := range build {
		all[name] = func(a *App) *cobra.Command { return build(run(a)) }
	}
	return all
}

// A Full is what only the full program has.
type Full struct {
	Words     map[string][]string // what the value of a flag is completed to
	Rules     handoff.Rules       // the JSON Schema, which words what the plain check refuses
	CheckBody func(body string) error

	VerifySignature func(text, armored []byte, namespace string) (key string, err error)
	Sign            func(a *App, p handoff.Project, key string, text []byte) ([]byte, error) // "" is the user's key

	IsRecord func(text []byte) bool                                          // whether JSON has the shape of a record
	Records  func(RecordInput) func(name string, text []byte) handoff.Source // stores the records of one run

	Warnings func(s *handoff.Store, ids []string) ([]string, error) // what is questionable about stored records

	ManPages func(a *App, dir string) error // writes them into a directory

	// Compose stores what is saved in an editor that begins with a text; at is the time of one that has none, "" is now.
	Compose func(a *App, f Fields, at, start string) error

	Body func(body string, columns int, colours bool) []string // the lines of a body as Markdown on a terminal
}

// errBeyond ends a command that the fast program cannot do, before it has changed or printed anything.
var ErrBeyond = errors.New("only the whole program can do this")

// InstallBoth is what to do where one of the two programs is missing.
const InstallBoth = "install both programs together: `go install ./cmd/...`"

// handOver becomes the whole program where the fast one cannot go on: its command or its input is beyond it, or the head
// of a document was refused, which the JSON Schema words better. The arguments are the same, and so is the input, also what was
// read of it. The program lies beside this one; PATH is not searched. Where it cannot be run, a refusal stays what it is.
func (a *App) handOver(why error) error {
	beyond := errors.Is(why, ErrBeyond)
	if a.Full != nil || !beyond && (!a.refused.Load() || !errors.Is(why, handoff.ErrInvalid)) {
		return why
	}
	if a.alone == nil {
		a.alone = a.becomeWhole()
	}
	if !beyond {
		return WithHint(why, "for the JSON Schema's own words, "+InstallBoth)
	}
	return &handoff.Error{Class: handoff.ErrConfig, Problem: fmt.Sprintf("this needs the whole program, and it cannot be run: %v", a.alone), Advice: InstallBoth, Cause: a.alone}
}

// giveWay becomes the whole program for what it alone can do as a whole. Without it, this one tells what it knows.
func (a *App) giveWay() {
	if len(a.Args) == 0 {
		a.preferInbox()
	} else if aboutCommands(a.Args[0]) {
		_ = a.handOver(ErrBeyond)
	}
}

// aboutCommands says whether a question is about all commands, of which the whole program knows more.
func aboutCommands(arg string) bool {
	return arg == "help" || arg == "completion" || isCompleting([]string{arg})
}

// preferInbox makes no command the inbox, for who sits at a terminal in a project. Without the whole program there is help.
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

// Beside returns the path of a program that is installed beside this one.
func (a *App) Beside(name string) (string, error) {
	self, err := a.Executable()
	if err != nil {
		return "", fmt.Errorf("the program's own path is not known: %w", err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil { // a link to this program has no others beside it
		self = real
	}
	return filepath.Join(filepath.Dir(self), name+filepath.Ext(self)), nil
}

// readStdin reads all of standard input, and keeps it for the program that this one may become.
func (a *App) ReadStdin(most int64) ([]byte, error) {
	text, err := ReadAll(a.Stdin, most)
	a.consumed = append(a.consumed, text...)
	return text, err
}

// becomeWhole replaces this process by the whole program, which gets once more what was read of standard input. It
// returns only on failure.
func (a *App) becomeWhole() error {
	program, err := a.Beside("handoff-full")
	if err == nil {
		_, err = os.Stat(program) // before standard input is another one
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
