// Package replica exchanges the handoffs of a store with those of other replicas, over a git remote
// and without a server of ours.
//
// Each writer, which is one state directory, owns one ref of the remote, refs/handoff/writers/w-<16
// hex>, and nobody else changes it. Its commits only add:
//
//	writer.json            {"created":"<time>","format":"handoff-writer/1","writer":"w-…"}
//	log/0001.jsonl         the events of its audit log, 1,000 a file, which only grow
//	2026-05-07/<64 hex>.md a handoff, under the day of its ts_utc and the digits of its id
//
// Beside the writers stand the claims, refs/handoff/claims/<64 hex>, one for each line of a ledger:
// see package claim. A ref that must not exist is let in once by whatever server there is, so that a
// claim has one winner. It moves once at most: the holder of a turn replaces an end that somebody has claimed who never
// had that turn.
//
// All of it is exchanged through a bare repository, sync.git. It lies in the directory of the store in the
// user's state, outside of the project: a branch that is checked out can put any file into a project, and
// the settings of a repository name programs. It has these refs:
//
//	refs/handoff/writers/w-…    what this replica has committed of its own
//	refs/handoff/fetched/w-…    what others have published, as it was last fetched; it moves forward only
//	refs/handoff/imported/w-…   how much of that is stored here
//	refs/handoff/claims/…       the claims that are known to be in the ledger here
//	refs/handoff/tries/…/OP/s…  claims of an operator and session of this replica that may have been let in, or not
//
// It can be lost, or damaged by a power cut: what it held comes back with the next exchange, from the store
// and the remote. Beside it lie sync.json, which says how far the audit log was sent and when; held.json, which
// holds what has to wait: documents that this replica refuses for now, and marks and tokens of handoffs
// that it does not have yet; remotes.json, which says where handoffs may be sent to; and sync.running, while
// the repository is changed. The first two can be lost too.
package replica

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Options say with what to exchange.
type Options struct {
	Root      string // of the project, whose repository knows the remote
	Remote    string // its name
	Namespace string // of the refs: refs/handoff
	Named     bool   // the person who runs the program has named the remote: handoffs may go there
	FetchOnly bool   // send nothing
	DryRun    bool   // store and send nothing
	Restore   bool   // the remote was put back to a backup: publish again what is known here

	Environ []string // of the process, for git
	Asks    bool     // there is a terminal, on which git may ask for a password
	Now     func() time.Time
	Wait    time.Duration // how long Once waits for another exchange of this store

	// Accept asks whether handoffs may go to a remote that they did not go to before. nil is that they may not.
	Accept func(question string) bool
}

// A Result is what an exchange did. It comes with an error too.
type Result struct {
	Remote     string            `json:"remote"`   // its URL, without credentials; "" if it is not known
	Sent       int               `json:"sent"`     // handoffs
	Told       bool              `json:"told"`     // what was recorded here was sent
	Received   []handoff.Receipt `json:"received"` // those that are new here
	Marks      int               `json:"read_marks"`
	Tokens     int               `json:"consumed_tokens"`
	Pruned     int               `json:"pruned"`     // handoffs that went, since they were pruned elsewhere
	Signatures int               `json:"signatures"` // of handoffs that were here unsigned
	Held       int               `json:"held"`       // documents that came, now or before, and are not stored yet
	Why        []string          `json:"held_why"`   // each reason once
	Waiting    int               `json:"waiting"`    // handoffs that are not sent
	Refused    []Refusal         `json:"refused"`
	Lost       []Lost            `json:"lost_claims"` // what was done here offline, and was not the first
}

// A Refusal is a writer of whom nothing new was imported, or a claim that does not count.
type Refusal struct {
	Writer string `json:"writer,omitempty"`
	Claim  string `json:"claim,omitempty"`
	Why    string `json:"why"`
}

// Lost is what was done twice.
type Lost struct {
	Here   handoff.Consumption `json:"here"`
	First  handoff.Consumption `json:"first"`
	Writer string              `json:"first_writer"`
}

// A syncing is one run of Sync.
type syncing struct {
	Options
	*handoff.Store
	writer  string
	logSize int64 // of the part of the audit log that is on the disk for good

	state  *durable.Dir
	out    *durable.Dir // of the store outside of the project
	repo   *repo
	url    string
	refs   map[string]string // of sync.git
	remote map[string]string // what the remote has, by writer
	claims map[string]string // and by claim

	refused    refused
	wasRefused []byte            // as it was read
	why        map[string]string // what of a writer is refused in this run
	grew       bool              // sync.git has new objects
	asOwn      bool              // what is taken over is for this replica to send
	got        Result

	again func(ctx, map[string]*past) ([]handoff.Source, error) // gives what was pruned here, as far as it can be had
}

// Sync commits what is new here, fetches what others have published, imports what of it is proven in
// one batch, and sends what is its own. Whatever interrupts it, the next one goes on from there and
// ends the same.
//
// Its errors wrap ErrConfig where there is no remote or it refuses the refs, ErrBusy where another
// sync runs, ErrIntegrity where what a writer has published is not what it was, or this state
// directory was copied; those of handoff.Store.Write come too. An error without a class is of the
// network: what is not sent waits.
func Sync(ctx context.Context, s *handoff.Store, o Options) (Result, error) {
	x := &syncing{Options: o, Store: s, got: newResult("")}
	if x.Now == nil {
		x.Now = time.Now
	}
	err := x.run(ctx)
	return x.got, err
}

// run is one sync from begin to end. What waits to be sent is counted whatever became of it, so that the
// report is true also where the remote could not be reached.
func (x *syncing) run(ctx context.Context) (err error) {
	if err := x.settle(ctx); err != nil {
		return err
	}
	defer x.close()
	pending := progress{}
	if err = x.open(ctx); err == nil {
		pending, err = x.exchangeWell(ctx)
	}
	if err != nil && ctx.Err() != nil {
		err = fault.New(nil, "run it again: it goes on from there", "the exchange was stopped")
	}
	if x.out != nil && err != nil {
		if pending.Writer == "" {
			pending = x.loadProgress()
		}
		if unsent, uerr := x.unsent(pending); uerr == nil {
			x.got.Waiting = unsent
		}
	}
	return err
}

// exchangeWell is exchange, once more if a repository of ours was damaged.
func (x *syncing) exchangeWell(ctx context.Context) (progress, error) {
	charged := x.loadProgress().Charged
	p, err := x.exchange(ctx)
	blames := errors.Is(err, fault.ErrIntegrity) && x.charges() != charged
	if again, ourErr := x.repo.isOurFault(ctx, err, blames); again && ourErr == nil {
		before := x.got
		x.got, x.why = newResult(before.Remote), nil
		x.loadRefused()
		p, err = x.exchange(ctx)
		x.got.add(before)
	} else {
		err = ourErr
	}
	if x.remote != nil && !x.DryRun {
		err = errors.Join(err, x.letGo(ctx), x.saveRefused())
	}
	return p, err
}

// newResult is that of an exchange that has done nothing yet.
func newResult(remote string) Result {
	return Result{Remote: remote, Received: []handoff.Receipt{}, Why: []string{}, Refused: []Refusal{}, Lost: []Lost{}}
}

// add adds what was done before an exchange that began anew.
func (r *Result) add(before Result) {
	r.Received = append(before.Received, r.Received...)
	r.Lost = append(before.Lost, r.Lost...)
	r.Told = r.Told || before.Told
	r.Sent, r.Marks, r.Tokens = r.Sent+before.Sent, r.Marks+before.Marks, r.Tokens+before.Tokens
	r.Pruned, r.Signatures = r.Pruned+before.Pruned, r.Signatures+before.Signatures
}

// charges is another text for each set of refusals: of those that were made before, the repository here
// was found to be innocent.
func (x *syncing) charges() string {
	if len(x.got.Refused) == 0 {
		return ""
	}
	text, _ := json.Marshal(x.got.Refused) // of strings
	return canon.SHA256Hex(text)
}

// isKept reports whether a file is one that is replaced under the lock of sync.git alone.
func isKept(name string) bool {
	return name == layout.SyncState || name == layout.SyncHeld || name == layout.SyncTargets
}

// open opens sync.git, which is locked then, takes away what an exchange that was killed has left, and finds
// the remote.
func (x *syncing) open(ctx context.Context) (err error) {
	if x.state, err = x.State(); err != nil {
		return err
	}
	if x.out, err = x.Outside(); err != nil {
		return err
	}
	if x.repo, err = openRepo(ctx, x.out, x.Options); err != nil {
		return err
	}
	_, _ = x.out.RemoveStaged(isKept)                                 // what is left now goes with another exchange
	if _, err = loadHeld(x.out); errors.Is(err, fault.ErrIntegrity) { // what waits is fetched anew
		err = errors.Join(x.repo.makeAnew(ctx), x.out.Remove(layout.SyncHeld))
	}
	if err != nil {
		return err
	}
	x.loadRefused()
	x.url, err = x.findRemote(ctx)
	return err
}

// close closes the repository, and with it gives back its lock.
func (x *syncing) close() {
	if x.repo != nil {
		x.repo.end()
		x.repo.Close()
	}
	for _, d := range []*durable.Dir{x.state, x.out} {
		if d != nil {
			d.Close()
		}
	}
}

// settle finishes what an interrupted command left, and learns who this writer is and how long its log is.
// Everything published is behind that point.
func (x *syncing) settle(ctx context.Context) error {
	at, err := x.Settle(ctx)
	x.writer, x.logSize = at.Writer, at.LogSize
	return err
}

// exchange does all that needs the remote.
func (x *syncing) exchange(ctx context.Context) (p progress, err error) {
	if x.refs, err = x.repo.allRefs(ctx); err != nil {
		return p, err
	}
	if p, err = x.ownProgress(ctx); err != nil {
		return p, err
	}
	if p.Offset > x.logSize || p.Commit != x.refs[own("writers", x.writer)] { // another sync ran since, or was killed, and sent what is behind that point
		err = x.settle(ctx)
	}
	if err = errors.Join(err, x.listRemote(ctx)); err != nil {
		return p, err
	}
	if err := x.pin(); err != nil {
		return p, err
	}
	if x.Restore && !x.DryRun {
		if err := x.restoreRemote(ctx); err != nil {
			return p, err
		}
	}
	moved := x.reconcile(ctx)
	if err := x.receive(ctx); err != nil {
		return p, errors.Join(err, moved)
	}
	if moved == nil && !x.FetchOnly && !x.DryRun {
		p.Claims, moved = x.sendClaims(ctx, p.Claims)
	}
	if moved == nil && !x.FetchOnly {
		claims := p.Claims
		if p, moved = x.send(ctx, p); moved == nil && !x.DryRun {
			p.Claims, p.Charged = claims, x.charges()
			moved = x.saveProgress(p)
		}
	}
	if x.grew {
		x.repo.pack(ctx)
	}
	return p, errors.Join(moved, x.refusals())
}

// refusals is one error for all writers and claims that were refused, nil if none was.
func (x *syncing) refusals() error {
	var errs []error
	for _, r := range x.got.Refused {
		if len(errs) == MostLines {
			break
		}
		if r.Claim != "" {
			errs = append(errs, fault.New(fault.ErrIntegrity, claimAdvice,
				"what the remote has in claims/%s is refused: %s", r.Claim, r.Why))
			continue
		}
		errs = append(errs, fault.New(fault.ErrIntegrity, "nothing of it was imported; ask whose it is",
			"what the writer %s has published is refused: %s", r.Writer, r.Why))
	}
	if more := len(x.got.Refused) - len(errs); more > 0 {
		errs = append(errs, fault.New(fault.ErrIntegrity, "", "and %d more", more))
	}
	return errors.Join(errs...)
}

const claimAdvice = "ask who looks after the remote whose it is; " +
	"if the remote was put back to a backup, run `handoff sync --restore-remote`"

// MostLines is how many lines a report has about things of one kind. How many more there are is the last.
const MostLines = 10

// Lines returns the first lines of a report, and how many more there are.
func Lines(all []string) []string {
	if len(all) <= MostLines {
		return all
	}
	return append(slices.Clone(all[:MostLines]), fmt.Sprintf("and %d more", len(all)-MostLines))
}

// findRemote returns the URL of the remote. It is what the repository of the project says, and so a
// stranger may have chosen it: a program in the place of a transport and a repository within the
// project, which has hooks of its own, are refused.
func (x *syncing) findRemote(ctx context.Context) (string, error) {
	top := git.Top(x.Root)
	url := ""
	if top != "" {
		var err error
		if url, err = x.repo.Remote(ctx, top, x.Remote); err != nil {
			return "", cmp.Or(unfit(err), nowhere(err))
		}
	}
	if url == "" {
		return "", fault.New(fault.ErrConfig, "add it with `git remote add`, or name another one with --remote",
			"%s has no git remote %q", x.Root, x.Remote)
	}
	path, isLocal := git.LocalPath(url)
	head, _, isHelper := strings.Cut(url, "::")
	switch {
	case strings.HasPrefix(url, "-"), isHelper && !strings.ContainsAny(head, "/@["):
		return "", fault.New(fault.ErrConfig, "use a path, ssh or https", "the URL of the remote %q is not used: it runs a program", x.Remote)
	case isLocal && store.Within(top, path):
		return "", fault.New(fault.ErrConfig, "move it elsewhere: it has programs of its own", "the remote %q lies within the project", x.Remote)
	}
	x.got.Remote, x.repo.url = shown(url), url
	return url, x.mayUse(x.got.Remote)
}

// own is a ref of sync.git in one of its own spaces, for a writer.
func own(space, writer string) string { return "refs/handoff/" + space + "/" + writer }

// at is the ref of a writer at the remote.
func (x *syncing) at(writer string) string { return fmt.Sprintf("%s/writers/%s", x.Namespace, writer) }
