// Package exchange exchanges the handoffs of a store with those of other replicas, without a server of its own. A
// store receives from a peer: a remote ([Sync], [Once]), or a parcel such as a bundle ([Unpack]). In each case
// documents pass the checks of a new document. Read marks and actions are judged by the rules of this
// store. What does not count yet is held.
//
// A writer is one state directory. Only it publishes under its name. A claim is a line of a ledger that only one
// replica can have: see eventlog.Claim. The remote keeps the first claim of a name, so each claim has one winner. A
// claim moves at most once: the holder of a lease replaces an end that was claimed by an operator who never had the
// lease.
//
// There are two kinds of remotes. A git remote has refs, whose commits only add files:
//
//	refs/handoff/writers/w-<16 hex>  what a writer has published
//	  writer.json            {"created":"<time>","format":"handoff-writer/1","writer":"w-…"}
//	  log/0001.jsonl         the events of its audit log, 1,000 a file; the files only grow
//	  2026-05-07/<64 hex>.md a handoff, under the day of its ts_utc and the digits of its id
//	  2026-05-07/<64 hex>.sig its signature, if it has one
//	refs/handoff/claims/<64 hex>     a claim, claim.json, in a commit that depends on the text of the claim alone
//
// An object store (package objects) has objects that are created once, except for the heads:
//
//	handoffs/<64 hex>.md             a handoff, under the digits of its id
//	log/w-<16 hex>/<10 digits>       a part of the log of a writer: a header with the SHA-256 of the part before, and
//	                                 lines: a handoff and its signature, a claim that was granted, or an event of the
//	                                 audit log that others need
//	heads/w-<16 hex>                 the number of parts, and the SHA-256 of the last one. A list of the heads tells
//	                                 what is new, however many handoffs there are
//	claims/<64 hex>                  a claim; the one that replaces it ends in .moved
//
// What a replica keeps about remotes is in the directory of the store in the user's state. That is outside of the
// project: a branch can put any file into a project. All of it but the first two can be lost:
//
//	held.json     documents that are refused for now, and effects on handoffs that this replica does not have yet
//	remote.json   where handoffs can be sent to
//	sync.json     how much of the audit log was sent, and when
//	refused.json  claims that were refused
//	claims/       the claims that are in the ledger here; a file has those whose names begin with its name
//	ended/        the same, of claims that were folded and are not in the ledger yet
//	tries         claims that this replica has asked for, granted or not
//	sync.attempt  the last background sync
//	sync.running  exists while sync.git changes
//
// Of a git remote, it keeps the bare repository sync.git, which package repo makes, with these refs:
//
//	refs/handoff/writers/w-…    the commits of this replica
//	refs/handoff/fetched/w-…    what another replica has published, as last fetched; it only moves forward
//	refs/handoff/imported/w-…   how much of that is stored here
//
// Of an object store, it keeps a directory objects-…, with files of the names above, seen.json (how much of each log
// is stored here), log/ (the parts of all logs, which [Options].Restore publishes again) and documents/ (what is held).
package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// Options configure an exchange.
type Options struct {
	Root      string // the project root, whose git repository knows the remote
	Remote    string // the name of the remote
	Namespace string // the prefix of the refs: refs/handoff
	Named     bool   // the user named the remote, so handoffs can be sent there
	FetchOnly bool   // send nothing
	DryRun    bool   // store and send nothing
	Restore   bool   // the remote was restored from a backup: publish again what this clone knows

	// Objects returns the object store that a remote is, with its URL without credentials, and nil for a git remote.
	// It can be nil.
	Objects func(ctx context.Context, remote string) (store objects.Store, url string, err error)

	Environ []string // the environment for git
	Asks    bool     // git can ask for a password, on a terminal
	Now     func() time.Time
	Wait    time.Duration // how long Once waits for another exchange of this store

	// Accept asks the user whether handoffs can be sent to a new remote. nil means no.
	Accept func(question string) bool
}

// A Result is what an exchange did. It is returned with an error too.
type Result struct {
	Remote     string            `json:"remote"`   // the URL without credentials, "" if unknown
	Sent       int               `json:"sent"`     // the number of handoffs
	Told       bool              `json:"told"`     // records of this store were sent
	Received   []handoff.Receipt `json:"received"` // the handoffs that are new here
	Marks      int               `json:"read_marks"`
	Tokens     int               `json:"consumed_tokens"`
	Signatures int               `json:"signatures"` // the number of new signatures of handoffs that were stored before
	// the number of documents that were received, now or before, and are not stored
	Held    int       `json:"held"`
	Why     []string  `json:"held_why"` // the reasons, each once
	Waiting int       `json:"waiting"`  // the number of handoffs that are not sent
	Refused []Refusal `json:"refused"`
	Lost    []Lost    `json:"lost_claims"` // offline actions of this store that were not first
}

// A Refusal is a writer from which nothing new was imported, or a claim that does not count.
type Refusal struct {
	Writer string `json:"writer,omitempty"`
	Claim  string `json:"claim,omitempty"`
	Why    string `json:"why"`
}

// A Lost is an action of this store that another clone performed first. Here is the action of this store, First the
// action that counts, and Writer the replica that claimed it.
type Lost struct {
	Here   handoff.Consumption `json:"here"`
	First  handoff.Consumption `json:"first"`
	Writer string              `json:"first_writer"`
}

// A ctx is a context. The short name keeps lines short.
type ctx = context.Context

// An exchange is one store that receives from a peer.
type exchange struct {
	Options
	*handoff.Store
	peer      peer
	publishes bool // others do not get what the peer has: this replica publishes it
	writer    string
	logSize   int64     // the durable size of the audit log
	state     *disk.Dir // nil if the store has none yet
	out       *disk.Dir // the directory of the store outside of the project
	home      *disk.Dir // the directory of what is kept about the remote
	refused   map[string]bool
	got       Result
}

// wholeLog means that the whole audit log counts.
const wholeLog = 1 << 62

// newExchange returns an exchange that has done nothing yet.
func newExchange(s *handoff.Store, o Options) *exchange {
	if o.Now == nil {
		o.Now = time.Now
	}
	x := &exchange{Options: o, Store: s, logSize: wholeLog}
	x.got = Result{Received: []handoff.Receipt{}, Lost: []Lost{}}
	x.reset()
	return x
}

// reset forgets refusals before a second attempt, but not what was done.
func (x *exchange) reset() {
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

// recover completes an interrupted change, and sets the writer and the durable size of its log. Only that part is
// published.
func (x *exchange) recover(ctx ctx) error {
	at, err := x.Exchange().Settle(ctx)
	x.writer, x.logSize = at.Writer, at.LogSize
	return err
}

// refuse records why nothing of a writer is imported, or why a claim does not count. Only the first reason counts;
// the others follow from it.
func (x *exchange) refuse(r Refusal) {
	if name := r.Writer + r.Claim; !x.refused[name] {
		x.refused[name] = true
		x.got.Refused = append(x.got.Refused, r)
	}
}

// Sync commits what is new here, and fetches what other replicas published. It stores what is proven, and sends what is
// new here. An interrupted sync is completed by the next one.
//
// Errors wrap ErrConfig if there is no remote, or if it refuses the refs. They wrap ErrBusy while another sync runs.
// They wrap ErrIntegrity if the history of a writer changed, or if this state directory was copied. Errors of
// handoff.Store.Write are possible too. An error without a class comes from the network; unsent handoffs wait.
func Sync(ctx context.Context, s *handoff.Store, o Options) (Result, error) {
	r := newRemote(s, o)
	err := r.sync(ctx)
	return r.got, err
}

// sync performs a whole sync. It counts unsent handoffs even after an error, so that the report is always true.
func (r *remote) sync(ctx ctx) error {
	if err := r.recover(ctx); err != nil {
		return err
	}
	defer r.close()
	pending := progress{}
	err := r.open(ctx)
	if err == nil {
		blames := func(err error) bool { return errors.Is(err, fault.ErrIntegrity) && len(r.got.Refused) > 0 }
		err = r.withRetry(ctx, blames, func() (err error) {
			pending, err = r.exchangeAll(ctx)
			return err
		})
		if r.writers != nil && !r.DryRun {
			err = errors.Join(err, r.carrier.forgetRefused(ctx), r.saveRefused())
		}
	}
	if err != nil && ctx.Err() != nil {
		err = fault.New(nil, "run it again: it goes on from there", "the exchange was stopped")
	}
	err = fault.Explain(err, "not everything was exchanged", "run it again")
	if r.home != nil && err != nil {
		if pending.Writer == "" {
			pending = r.loadProgress()
		}
		if unsent, uerr := r.unsent(pending); uerr == nil {
			r.got.Waiting = unsent
		}
	}
	return err
}

// exchangeAll does everything that needs the remote.
func (r *remote) exchangeAll(ctx ctx) (p progress, err error) {
	p, err = r.carrier.begin(ctx)
	if err == nil && p.Offset > r.logSize {
		err = r.recover(ctx) // another sync ran meanwhile, and sent more than that
	}
	if err == nil {
		err = r.carrier.list(ctx)
	}
	if err != nil {
		return p, err
	}
	if err := r.pin(); err != nil {
		return p, err
	}
	if r.Restore && !r.DryRun {
		if err := r.carrier.restore(ctx); err != nil {
			return p, err
		}
	}
	moved := r.carrier.isReady(ctx)
	if err := r.take(ctx); err != nil {
		return p, errors.Join(err, moved)
	}
	if moved == nil && !r.FetchOnly {
		p, moved = r.sendAll(ctx, p)
	}
	r.carrier.end(ctx)
	return p, errors.Join(moved, r.refusals())
}

// sendAll sends claims, and then the commits of this writer. A dry run only counts.
func (r *remote) sendAll(ctx ctx, p progress) (progress, error) {
	if r.DryRun {
		return r.carrier.publish(ctx, p)
	}
	claims, err := r.sendClaims(ctx, p.Claims)
	if err != nil {
		return p, err
	}
	if p, err = r.carrier.publish(ctx, p); err == nil {
		p.Claims = claims
		err = r.saveProgress(p)
	}
	return p, err
}

// refusals returns an error for the refused writers and claims, nil if there are none.
func (r *remote) refusals() error {
	restore := ", run `handoff sync --remote " + r.Remote + " --restore-remote`"
	return fault.Join(r.got.Refused, func(no Refusal) error {
		advice := "nothing of it was imported; ask whose it is"
		if r.holdsClaims {
			advice += "; once it is mended" + restore
		}
		format := "nothing was imported from the writer %s: %s"
		if no.Claim != "" {
			advice = "ask the others whose claim is right; for the one of this remote" + restore
			format = "what the remote has in claims/%s is refused: %s"
		}
		return fault.Integrity(advice, format, no.Writer+no.Claim, no.Why)
	})
}
