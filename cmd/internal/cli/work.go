package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

// WorkOf returns the work tree of a project.
func WorkOf(p handoff.Project) *work.Tree {
	at := work.At(p.Work, os.Environ()).Without(p.Options.Dir)
	return &at
}

// Recording says what of the commit and files a new handoff records.
type Recording struct {
	Work  bool
	Files []string // paths, relative to the current directory
	Try   bool     // record what is possible; only Work is required

	Session bool // an agent session writes, even if the environment names none
}

// Declare adds the flag.
func (r *Recording) Declare(flags *pflag.FlagSet) {
	flags.BoolVar(&r.Work, "work", false, "record commit, branch and number of changed files, for check to compare "+
		"(setting record_work)")
}

// isGiven reports whether a flag was given.
func (r Recording) isGiven() bool { return r.Work || len(r.Files) > 0 }

// References returns the references that record the work. asked reports whether the setting record_work counts. If only
// the setting asks for it, a failure is a note.
func (r Recording) References(a *App, asked bool) (refs []string, err error) {
	if !asked && !r.isGiven() {
		return nil, nil
	}
	p, err := a.Project()
	if err != nil {
		return nil, err
	}
	cwd, err := a.Getwd()
	if err != nil {
		return nil, err
	}
	at := WorkOf(p)
	if r.Work || r.Try || asked && p.RecordsWork(r.Session || agent.Inside(a.Getenv) != "") {
		commit, err := at.Commit(context.Background())
		switch {
		case err == nil:
			refs = append(refs, commit)
		case r.Work:
			return nil, err
		case !r.Try && p.RecordsWork(false): // the user asked for it
			a.Note("the setting record_work: " + err.Error())
		}
	}
	for _, name := range r.Files {
		if !filepath.IsAbs(name) {
			name = filepath.Join(cwd, name)
		}
		switch file, err := at.File(name); {
		case err == nil:
			refs = append(refs, file)
		case !r.Try:
			return nil, err
		}
	}
	return refs, nil
}
