package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
)

func main() {
	signal.Ignore(os.Interrupt, syscall.SIGPIPE) // what was begun is finished
	if err := serve(os.Stdin, os.Stdout); err != io.EOF {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers requests until the input ends. It never returns nil.
func serve(in io.Reader, out io.Writer) error {
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	s := &store{send: func(i remote.Item) error { return answers.Encode(i) }}
	verbs := map[string]func(remote.Item, func()) error{"read": s.readLog, "append": s.append, "announce": s.announce}
	for {
		var q remote.Request
		if err := requests.Decode(&q); err != nil {
			return err
		}
		err := s.open(q.Remote)
		if verb := verbs[q.Verb]; err == nil && verb != nil {
			err = each(q.Items, verb)
		} else if err == nil { // it is versions
			err = s.versions()
		}
		if err != nil {
			_ = s.send(problem(err))
		}
		if err := s.send(remote.Item{End: true}); err != nil {
			return err
		}
	}
}

// problem returns the item for an error.
func problem(err error) remote.Item {
	i := remote.Item{Problem: err.Error()}
	if own, is := errors.AsType[*fault.Error](err); is {
		i.Class, i.Hint = "config", own.Advice
	}
	if errors.Is(err, remote.ErrMoved) {
		i.Class = "moved"
	}
	return i
}
