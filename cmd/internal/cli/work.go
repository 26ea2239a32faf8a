package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

// WorkOf returns the work of a project.
func WorkOf(p handoff.Project) *work.Tree {
	at := work.At(p.Work, os.Environ())
	return &at
}

// WorkLine says in one line whether the work is as the references of a handoff say, "" if they say nothing of it. It runs git,
// which no session hook does.
func WorkLine(p handoff.Project, references []string) string {
	return WorkOf(p).Of(context.Background(), references).Line()
}

// Recording says what of the work a new handoff records.
type Recording struct {
	Work  bool
	Files []string // paths, relative to the current directory
	Try   bool     // record what can be; only Work has to
}

// Register adds the flags of a command; files says whether it has no other --file.
func (r *Recording) Register(cmd *cobra.Command, files bool) {
	cmd.Flags().BoolVar(&r.Work, "work", false, "record the commit, the branch, and how many files differ, for check to compare with (setting record_work)")
	if files {
		Texts(cmd.Flags(), &r.Files, "file", "record this `file` of the project as it is, for check to compare with")
	}
}

// given reports whether flags ask for it.
func (r Recording) given() bool { return r.Work || len(r.Files) > 0 }

// References returns what is to be recorded; asked says that the setting counts too. Where that alone asks for it and nothing
// can be recorded, it is a note.
func (r Recording) References(a *App, asked bool) (refs []string, err error) {
	if !asked && !r.given() {
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
	a.looked = &p
	at := WorkOf(p)
	if r.Work || r.Try || asked && p.Settings.RecordWork.Value {
		commit, err := at.Commit(context.Background())
		switch {
		case err == nil:
			refs = append(refs, commit)
		case r.Work:
			return nil, err
		case !r.Try:
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

// recorded returns what flags say of the frontmatter, with what is recorded of the work.
func (in *Input) recorded() (Fields, error) {
	refs, err := in.Recording.References(in.App, in.stdin)
	fields := in.Fields
	fields.References = append(slices.Clip(fields.References), refs...)
	return fields, err
}
