// Package exchange exchanges the handoffs of a store with those of other replicas, without a server of ours. A store
// takes over what a peer has: a git remote ([Sync], [Once]), a neighbouring work tree ([Gather]), or a parcel such as a
// bundle ([Unpack]). Whichever it is, documents come in one batch and through all that a written one goes through; read
// marks, acts and tombstones are judged by the rules of this store, taken over as far as they count, and wait else.
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
// holds what has to wait: documents that this replica refuses for now, and what others have done with handoffs
// that it does not have yet; refused.json, which names what was refused and is not looked at again; remotes.json,
// which says where handoffs may be sent to; and sync.running, while the repository is changed. The first three can be
// lost too.
package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
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

// A ctx is a context, where lines are long.
type ctx = context.Context

// An exchange is one store that takes over what peers have.
type exchange struct {
	Options
	*handoff.Store
	peer    peer
	asOwn   bool // what is taken over is for this replica to send
	writer  string
	logSize int64     // of the part of the audit log that is on the disk for good
	state   *disk.Dir // nil for a store that has none yet
	out     *disk.Dir // of the store outside of the project
	refused map[string]bool
	got     Result
}

// wholeLog is the size of an audit log of which all counts.
const wholeLog = 1 << 62

// newExchange is one that has done nothing yet.
func newExchange(s *handoff.Store, o Options) *exchange {
	if o.Now == nil {
		o.Now = time.Now
	}
	x := &exchange{Options: o, Store: s, logSize: wholeLog}
	x.got = Result{Received: []handoff.Receipt{}, Lost: []Lost{}}
	x.beginAgain()
	return x
}

// beginAgain forgets what an exchange has found fault with, and not what it did.
func (x *exchange) beginAgain() {
	x.refused, x.got.Refused, x.got.Why = make(map[string]bool), []Refusal{}, []string{}
}

// close closes the directories of the store.
func (x *exchange) close() {
	for _, d := range []*disk.Dir{x.state, x.out} {
		if d != nil {
			d.Close()
		}
	}
}

// ready finishes what an interrupted command left, and learns who this writer is and how long its log is.
// Everything published is behind that point.
func (x *exchange) ready(ctx ctx) error {
	at, err := x.Exchange().Settle(ctx)
	x.writer, x.logSize = at.Writer, at.LogSize
	return err
}

// refuse notes why nothing of a writer is imported, or a claim does not count. The first reason counts: what
// follows from it would only repeat it.
func (x *exchange) refuse(r Refusal) {
	if name := r.Writer + r.Claim; !x.refused[name] {
		x.refused[name] = true
		x.got.Refused = append(x.got.Refused, r)
	}
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
	r := newRemote(s, o)
	err := r.sync(ctx)
	return r.got, err
}

// sync is one from begin to end. What waits to be sent is counted whatever became of it, so that the
// report is true also where the remote could not be reached.
func (r *remote) sync(ctx ctx) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	defer r.close()
	pending := progress{}
	err := r.open(ctx)
	if err == nil {
		blames := func(err error) bool { return errors.Is(err, fault.ErrIntegrity) && len(r.got.Refused) > r.repeated }
		err = r.patiently(ctx, blames, func() (err error) {
			pending, err = r.exchangeAll(ctx)
			return err
		})
		if r.writers != nil && !r.DryRun {
			err = errors.Join(err, r.letGo(ctx), r.saveRefused())
		}
	}
	if err != nil && ctx.Err() != nil {
		err = fault.New(nil, "run it again: it goes on from there", "the exchange was stopped")
	}
	if r.out != nil && err != nil {
		if pending.Writer == "" {
			pending = r.loadProgress()
		}
		if unsent, uerr := r.unsent(pending); uerr == nil {
			r.got.Waiting = unsent
		}
	}
	return err
}

// exchangeAll does all that needs the remote.
func (r *remote) exchangeAll(ctx ctx) (p progress, err error) {
	if r.refs, err = r.repo.allRefs(ctx); err != nil {
		return p, err
	}
	if p, err = r.ownProgress(ctx); err != nil {
		return p, err
	}
	if p.Offset > r.logSize || p.Commit != r.refs[own("writers", r.writer)] {
		err = r.ready(ctx) // another sync ran since, or was killed, and sent what is behind that point
	}
	if err = errors.Join(err, r.list(ctx)); err != nil {
		return p, err
	}
	if err := r.pin(); err != nil {
		return p, err
	}
	if r.Restore && !r.DryRun {
		if err := r.restoreRemote(ctx); err != nil {
			return p, err
		}
	}
	moved := r.reconcile(ctx)
	if err := r.take(ctx); err != nil {
		return p, errors.Join(err, moved)
	}
	if moved == nil && !r.FetchOnly {
		p, moved = r.sendAll(ctx, p)
	}
	if r.grew {
		r.repo.pack(ctx)
	}
	return p, errors.Join(moved, r.refusals())
}

// sendAll sends claims, and then what belongs to this writer. A dry run only counts.
func (r *remote) sendAll(ctx ctx, p progress) (progress, error) {
	if r.DryRun {
		return r.send(ctx, p)
	}
	claims, err := r.sendClaims(ctx, p.Claims)
	if err != nil {
		return p, err
	}
	if p, err = r.send(ctx, p); err == nil {
		p.Claims = claims
		err = r.saveProgress(p)
	}
	return p, err
}

// refusals is one error for all writers and claims that were refused, nil if none was.
func (x *exchange) refusals() error {
	var errs []error
	for _, r := range x.got.Refused[:min(len(x.got.Refused), fault.Most)] {
		advice := "nothing of it was imported; ask whose it is"
		format := "what the writer %s has published is refused: %s"
		if r.Claim != "" {
			advice, format = claimAdvice, "what the remote has in claims/%s is refused: %s"
		}
		errs = append(errs, fault.New(fault.ErrIntegrity, advice, format, r.Writer+r.Claim, r.Why))
	}
	if more := len(x.got.Refused) - len(errs); more > 0 {
		errs = append(errs, fault.New(fault.ErrIntegrity, "", "and %d more", more))
	}
	return errors.Join(errs...)
}

const claimAdvice = "ask who looks after the remote whose it is; " +
	"if the remote was put back to a backup, run `handoff sync --restore-remote`"
