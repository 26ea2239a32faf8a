package replica

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// How long a remote may take.
var (
	answerLimit   = 30 * time.Second
	transferLimit = 10 * time.Minute
)

// maxWriters is how many a remote may have: git fetches the refs of more for longer than anybody waits.
const maxWriters = 10_000

// listRemote finds out what each writer has published, and what is claimed.
func (x *syncing) listRemote(ctx context.Context) error {
	out, err := x.repo.call(ctx, git.Call{Args: x.toRemote("ls-remote", "--refs", x.at("w-*"), x.claimAt("*")), Limit: answerLimit})
	if err != nil {
		return err
	}
	x.remote, x.claims = make(map[string]string), make(map[string]string)
	for line := range strings.Lines(string(out)) {
		id, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		writer, isWriter := strings.CutPrefix(ref, x.at(""))
		name, isClaim := strings.CutPrefix(ref, x.claimAt(""))
		switch isObject := len(id) == 40 && form.IsHex(id); {
		case isObject && isWriter && form.IsWriter(writer):
			x.remote[writer] = id
		case isObject && isClaim && form.IsDigest(name):
			x.claims[name] = id
		}
	}
	if len(x.remote) > maxWriters {
		return fault.New(fault.ErrConfig, "have the refs removed there that nobody uses, or use another remote",
			"the remote has %d writers below %s, and at most %d are read", len(x.remote), x.at(""), maxWriters)
	}
	return nil
}

// fetch fetches what others have published since. What does not continue what was fetched before is
// refused by git, for that writer alone.
func (x *syncing) fetch(ctx context.Context) error {
	var specs strings.Builder
	var news []string
	for writer, id := range x.remote {
		if writer != x.writer && x.refs[own("fetched", writer)] != id && !x.isKnownBad(writer, id) {
			news = append(news, writer)
			specs.WriteString(x.at(writer) + ":" + own("fetched", writer) + "\n")
		}
	}
	if len(news) == 0 {
		return nil
	}
	if err := x.fetchRefs(ctx, specs.String()); err != nil && !isRefusal(err) {
		return err
	}
	var err error
	if x.refs, err = x.repo.allRefs(ctx); err != nil {
		return err
	}
	slices.Sort(news)
	var odd []string
	for _, writer := range news {
		have, there := x.refs[own("fetched", writer)], x.remote[writer]
		isBehind := false // the remote may lag behind another one
		if have != there && have != "" {
			if isBehind, err = x.repo.isAncestor(ctx, there, have); err != nil {
				return err
			}
		}
		if have != there && !isBehind {
			odd = append(odd, writer)
		}
	}
	return x.fetchOdd(ctx, odd)
}

// fetchRefs fetches refs as git reads them from its standard input.
func (x *syncing) fetchRefs(ctx context.Context, specs string) error {
	x.grew = true
	_, err := x.repo.call(ctx, git.Call{Args: x.toRemote("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--stdin"),
		Stdin: strings.NewReader(specs), Limit: transferLimit})
	return err
}

// isRefusal reports whether git has done what it was asked to do, except for some refs.
func isRefusal(err error) bool {
	e := (*git.Error)(nil)
	return errors.As(err, &e) && e.Code == 1
}

// fetchOdd fetches what git did not let follow what was fetched before. It may be that the connection broke,
// or that the history was rewritten; once it is here that can be told.
func (x *syncing) fetchOdd(ctx context.Context, writers []string) error {
	if len(writers) == 0 {
		return nil
	}
	var specs strings.Builder
	for _, writer := range writers {
		specs.WriteString("+" + x.at(writer) + ":" + own("found", writer) + "\n")
	}
	err := x.fetchRefs(ctx, specs.String())
	if isRefusal(err) {
		err = fault.New(nil, "run it again", "what the writer %s has published could not be fetched: %v", writers[0], err)
	}
	if err != nil {
		return err
	}
	if x.refs, err = x.repo.allRefs(ctx); err != nil {
		return err
	}
	moves := make(map[string]string)
	for _, writer := range writers {
		have, found := x.refs[own("fetched", writer)], x.refs[own("found", writer)]
		follows := have == ""
		if !follows {
			if follows, err = x.repo.isAncestor(ctx, have, found); err != nil {
				return err
			}
		}
		if follows {
			moves[own("fetched", writer)] = found
			x.refs[own("fetched", writer)] = found
		} else {
			x.refuse(writer, "its history was rewritten")
		}
		moves[own("found", writer)] = ""
		delete(x.refs, own("found", writer))
	}
	return x.repo.setRefs(ctx, moves)
}

// toRemote returns the arguments of a git that asks the remote: a command with its options, and what comes
// behind them.
func (x *syncing) toRemote(command string, args ...string) []string {
	service := "upload-pack"
	if command == "push" {
		service = "receive-pack"
	}
	n := 0
	for n < len(args) && strings.HasPrefix(args[n], "--") {
		n++
	}
	all := append([]string{command}, args[:n]...)
	all = append(all, git.Serving(x.url, service)...)
	return append(append(all, "--", x.url), args[n:]...)
}

// refuse notes why nothing of a writer is imported. The first reason counts: what follows from it would
// only repeat it.
func (x *syncing) refuse(writer, why string) {
	if x.isFirst(writer, why) {
		x.got.Refused = append(x.got.Refused, Refusal{Writer: writer, Why: why})
	}
}

// refuseClaim notes why a claim does not count.
func (x *syncing) refuseClaim(name, why string) {
	if x.isFirst(name, why) {
		x.got.Refused = append(x.got.Refused, Refusal{Claim: name, Why: why})
	}
}

// isFirst reports whether nothing was refused by that name, and notes why it is now.
func (x *syncing) isFirst(name, why string) bool {
	if x.why == nil {
		x.why = make(map[string]string)
	}
	_, was := x.why[name]
	if !was {
		x.why[name] = why
	}
	return !was
}

// isRefused reports whether nothing of a writer is imported in this sync.
func (x *syncing) isRefused(writer string) bool {
	_, is := x.why[writer]
	return is
}

// reconcile compares the own ref of the remote with what is committed here. What is not known here was
// sent before sync.git was lost, if the audit log of this replica continues it; else another one has
// this state directory too.
func (x *syncing) reconcile(ctx context.Context) error {
	there, here := x.remote[x.writer], x.refs[own("writers", x.writer)]
	if there == "" || there == here {
		return nil
	}
	if here != "" {
		if isOld, err := x.repo.isAncestor(ctx, there, here); err != nil || isOld {
			return err
		}
	}
	if err := x.fetchRefs(ctx, "+"+x.at(x.writer)+":"+own("found", x.writer)+"\n"); err != nil {
		return err
	}
	if here != "" {
		if follows, err := x.repo.isAncestor(ctx, here, there); err != nil {
			return err
		} else if !follows {
			return x.copied()
		}
	}
	if _, err := x.locate(ctx, there); errors.Is(err, errBroken) {
		return err
	} else if err != nil {
		return x.copied()
	}
	if err := x.repo.setRefs(ctx, map[string]string{own("writers", x.writer): there, own("found", x.writer): ""}); err != nil {
		return err
	}
	x.refs[own("writers", x.writer)] = there
	return nil
}

// copied says that two stores write as one. Which of them is the copy cannot be known from here, so nothing
// is sent and a person decides.
func (x *syncing) copied() error {
	return fault.New(fault.ErrIntegrity,
		"where the copy is, run `handoff machine-fingerprint regenerate --reason copied`, and sync again: `handoff help git`",
		"the remote has of this writer, %s, what was not written here: its state directory was copied, or put back to an older one; nothing was sent", x.writer)
}
