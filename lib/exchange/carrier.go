package exchange

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/exchange/repo"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// A carrier brings what the writers publish from replica to replica. It neither judges nor stores anything: that is
// the same for all carriers; see [remote]. There are two, a git remote and an object store.
type carrier interface {
	// list asks the remote what is new since last time. It sets the writers and claims of the remote.
	list(ctx) error
	// receive adds what writers have published since last time.
	receive(ctx, *intake) error
	// get returns texts by the names that the carrier gave them. A text that is missing or too long is nil.
	get(ctx, []repo.Wanted) ([][]byte, error)
	// putClaims puts claims that must not exist at the remote. It reports which the remote has granted, now or before.
	// If all is set, it grants all or none. words is the answer of the remote to the others.
	putClaims(ctx, []try, bool) (in map[string]bool, words string, err error)
	// publish appends what is new here to the log of this writer. A dry run only counts.
	publish(ctx, progress) (progress, error)

	carrierState
}

// A carrierState is what this replica keeps about a remote.
type carrierState interface {
	// open opens and locks it, and finds the remote. close releases it.
	open(ctx) error
	close()
	// begin reads what was received, and returns what was published before.
	begin(ctx) (progress, error)
	// isReady reports an error if what the remote has of this writer was not written here.
	isReady(ctx) error
	// source returns a received document. It is false if the document was lost, and must be received again.
	sources(ctx, []heldDocument) (map[int]handoff.Source, error)
	// failed returns an error of this machine that made received documents unreadable.
	failed() error
	// claimTexts returns the texts of claims at the remote.
	claimTexts(ctx, []string) ([][]byte, error)
	// restore publishes again what this replica knows and the remote lacks.
	restore(ctx) error
	// isOurFault reports whether the error of an exchange came from damage of this state, which is mended: the exchange
	// must be repeated. blames is whether the error blames another replica.
	isOurFault(ctx, error, bool) (bool, error)
	// keep records that all of an intake was received, and forgetRefused that nothing of some writers was.
	keep(ctx, *intake) error
	forgetRefused(ctx) error
	// relist lists the remote again, with all claims since the last sync, for judge to add them to the ledger.
	relist(ctx, func() error) error
	// tell lets other replicas know of claims that were granted and used. If it fails, the next sync does it.
	tell(ctx, []try)
	// end is called after an exchange.
	end(ctx)
}

// A remote is what all carriers have in common: which writers and claims the remote has, and what was refused.
type remote struct {
	*exchange
	carrier     carrier
	known       claimFiles
	writers     map[string]string  // the version of what each writer has published; nil if the remote was not asked
	claims      map[string]string  // the version of each claim
	replaced    map[string]string  // why a claim is not the one that was granted
	denials     map[string]refusal // of claims
	refusedText []byte             // refused.json as it was read

	isAsking    bool // for claims, outside of a sync
	holdsClaims bool // the remote never loses a claim, and is not asked for those that are known
}

// newRemote returns a remote that was not asked yet.
func newRemote(s *handoff.Store, o Options) *remote {
	r := &remote{exchange: newExchange(s, o), claims: make(map[string]string), replaced: make(map[string]string)}
	r.carrier = &gitCarrier{remote: r}
	r.peer = r
	return r
}

// open opens and locks what is kept about the remote, removes what a killed exchange left, and finds the remote.
func (r *remote) open(ctx ctx) (err error) {
	r.exchange.close()
	if r.state, err = r.Exchange().State(); err != nil {
		return err
	}
	if r.out, err = r.Exchange().Outside(); err != nil {
		return err
	}
	if r.Objects != nil {
		store, where, err := r.Objects(ctx, r.Remote)
		if err != nil {
			return err
		}
		if store != nil {
			r.carrier = &objectCarrier{remote: r, store: store, where: where}
		}
	}
	return r.carrier.open(ctx)
}

// openHome opens what every carrier keeps in a directory, which the caller has locked. If held documents were lost,
// forget makes everything be received again.
func (r *remote) openHome(home *disk.Dir, forget func() error) (err error) {
	r.home = home
	isReplaced := []string{disk.SyncState, disk.SyncHeld, disk.SyncTarget}
	_, _ = home.RemoveStaged(func(name string) bool { return slices.Contains(isReplaced, name) })
	r.loadRefused()
	if r.known, err = openClaims(home); err != nil {
		return err
	}
	if _, _, err = loadHeld(home); errors.Is(err, fault.ErrIntegrity) {
		err = errors.Join(forget(), home.Remove(disk.SyncHeld))
	}
	return err
}

// close closes what is kept about the remote, which releases its lock.
func (r *remote) close() {
	r.carrier.close()
	r.known.close()
	r.exchange.close()
}

// withRetry calls do, and once more if our state turns out to be damaged.
func (r *remote) withRetry(ctx ctx, blames func(error) bool, do func() error) error {
	err := do()
	again, err := r.carrier.isOurFault(ctx, err, blames(err))
	if !again || err != nil {
		return err
	}
	r.reset()
	r.loadRefused()
	return do()
}

// collect adds what is held, and what the writers have published since.
func (r *remote) collect(ctx ctx, c *intake) (err error) {
	if c.held, c.kept, err = loadHeld(r.home); err != nil {
		return err
	}
	waited := c.held.Documents
	c.held.Documents = nil
	found, err := r.carrier.sources(ctx, waited)
	if err != nil {
		return err
	}
	for i, d := range waited {
		if source, is := found[i]; is {
			c.add(d, source)
		}
	}
	c.waited = len(c.sources)
	if err = r.carrier.receive(ctx, c); err != nil {
		return err
	}
	return r.addSignatures(ctx, c)
}

// allOwn returns all handoffs that did not come by an exchange, except those to leave.
func (r *remote) allOwn(leave map[string]bool) (ids []string, err error) {
	came := make(map[string]bool) // others publish it
	for e := range r.events(0, &err, `"commit":"`) {
		if s := parse(e); s.Type == eventlog.TypeImport && s.Commit != "" {
			came[s.HandoffID] = true
		}
	}
	if err != nil {
		return nil, err
	}
	entries, err := r.List(handoff.Filter{})
	for _, e := range entries {
		if !came[e.ID] && !leave[e.ID] {
			ids = append(ids, e.ID)
		}
	}
	return ids, err
}

// errCopied is the error if the remote has of this writer what was not written here.
func (r *remote) errCopied() error {
	return fault.Integrity("where the copy is, run `handoff machine-fingerprint regenerate --reason copied`, "+
		"and sync again: `handoff help remotes`",
		"the remote has of this writer, %s, what was not written here: its state directory was copied, "+
			"or put back to an older one; nothing was sent", r.writer)
}

// addSignatures adds signatures to the documents, including those that other writers have, or that were made later.
func (r *remote) addSignatures(ctx ctx, c *intake) error {
	others := make(map[string][]string)
	for _, s := range c.held.Signatures {
		others[s.ID] = append(others[s.ID], s.Blob)
	}
	var want []repo.Wanted
	var of []int
	for i, d := range c.held.Documents {
		for _, blob := range append([]string{d.Signature}, others[d.ID]...) {
			if blob != "" {
				want, of = append(want, repo.Wanted{Object: blob, Max: disk.MaxSignature}), append(of, i)
			}
		}
	}
	texts, err := r.carrier.get(ctx, want)
	for n, text := range texts {
		if s := &c.sources[of[n]]; len(text) > 0 {
			s.Signatures = append(s.Signatures, string(text))
		}
	}
	return err
}

var (
	errRefused = errors.New("its writer is refused")
	errPruned  = errors.New("it was pruned here")
)

// choose refuses writers that published an invalid document, with everything else that they offer. A document that was
// held is judged by itself.
func (r *remote) choose(c *intake, results []handoff.Result) error {
	if failed := r.carrier.failed(); failed != nil { // the fault is in this store
		for i := range results {
			results[i].Err = failed
		}
		return failed
	}
	for i, d := range c.held.Documents {
		got := &results[i]
		isMoved := got.Err == nil && !strings.HasPrefix(got.Receipt.Time, d.Day)
		if isMoved {
			got.Err = errors.New(d.ID + " was published under another day, " + d.Day)
		}
		switch {
		case i < c.waited, r.refused[d.Writer]: // one reason is enough; to look for more takes time
		case isMoved, errors.Is(got.Err, repo.ErrNoText):
			r.refuse(Refusal{Writer: d.Writer, Why: got.Err.Error()})
		case got.Err != nil && !r.Exchange().IsWhole(c.sources[i]):
			r.refuse(Refusal{Writer: d.Writer,
				Why: c.sources[i].Name + " was cut or changed: it is not the handoff of that id"})
		}
	}
	gone := r.Exchange().Pruned()
	for i, d := range c.held.Documents {
		if i >= c.waited && r.refused[d.Writer] {
			delete(c.imported, d.Writer)
			results[i].Err = errRefused
		} else if gone[d.ID] && results[i].Receipt.Status != handoff.StatusExisting {
			results[i].Err = errPruned
		}
	}
	return nil
}

// extend adds claims and signatures for the stored handoffs.
func (r *remote) extend(ctx ctx, c *intake) error {
	if failed := r.carrier.failed(); failed != nil && len(c.sources) > 0 { // it failed after choose
		return failed
	}
	if err := r.takeClaims(ctx, c); err != nil || r.DryRun {
		return err
	}
	return r.takeSignatures(ctx, c)
}

// takeSignatures adds signatures to stored handoffs that have none. A bad signature is replaced by a good one.
// Signatures of handoffs that are not here are held.
func (r *remote) takeSignatures(ctx ctx, c *intake) error {
	var later []heldDocument
	var want []repo.Wanted
	var sources []handoff.Source
	before := make(map[string]string)
	for _, d := range c.held.Signatures {
		text := ""
		got, err := r.Read(d.ID)
		if got.Signature.State != "" {
			text, err = r.Exchange().SignatureText(d.ID)
		}
		switch {
		case err != nil:
			later = append(later, d)
		case got.Signature.State != handoff.SignatureGood && !r.refused[d.Writer]:
			before[d.ID], want = text, append(want, repo.Wanted{Object: d.Blob, Max: disk.MaxSignature})
			name := "the signature of " + d.ID
			sources = append(sources, handoff.Source{Name: name, Text: got.Text, ID: d.ID, Origin: d.origin()})
		}
	}
	c.held.Signatures = later
	texts, err := r.carrier.get(ctx, want)
	if err != nil || len(want) == 0 {
		return err
	}
	for i := range sources {
		sources[i].Signatures = []string{string(texts[i])}
	}
	if _, err := r.WriteGood(ctx, sources); err != nil { // signatures that do not match are ignored
		return err
	}
	for id, old := range before {
		if text, err := r.Exchange().SignatureText(id); err == nil && text != old {
			r.got.Signatures++
		}
	}
	return nil
}

// keep saves what is held, which claims are known, and how much of each writer was imported.
func (r *remote) keep(ctx ctx, c *intake) error {
	// the held documents must be saved before the progress of their writers
	if err := save(r.home, disk.SyncHeld, c.kept, c.held); err != nil {
		return err
	}
	return errors.Join(r.known.learn(c.claims), r.carrier.keep(ctx, c))
}

// A target is where handoffs are sent to. The first one, or another that the user accepted later, is recorded outside
// of the project: a branch could name another remote, or namespace.
type target struct {
	URL       string `json:"url"`       // without credentials, which change
	Namespace string `json:"namespace"` // "" for an object store
}

// String returns the target for people.
func (t target) String() string {
	if t.URL == "" {
		return "an unknown remote"
	}
	if t.Namespace == "" {
		return t.URL
	}
	return t.URL + " (" + t.Namespace + ")"
}

// pinned returns where handoffs can be sent to. It is false if no remote was ever used. The target is zero if it is
// unknown.
func pinned(d *disk.Dir) (to target, is bool) {
	_, err := load(d, disk.SyncTarget, &to)
	return to, !errors.Is(err, fs.ErrNotExist)
}

// checkTarget refuses a remote or namespace other than the pinned target, unless the user wants it.
func (r *remote) checkTarget(now target) error {
	was, is := pinned(r.out)
	if !is || was == now || r.Named {
		return nil
	}
	question := "The remote was " + was.String() + " so far. Send handoffs to " + now.String() + " from now on?"
	if r.Accept != nil && r.Accept(question) {
		return nil
	}
	return fault.Config("if that is where they are to go, run `handoff sync --remote "+r.Remote+
		"`, which is remembered; else look at "+handoff.SettingsName+" and `git remote -v`",
		"the remote was %s so far, and is %s now; nothing was sent", was, now)
}

// pin records the remote as the target, after it has answered.
func (r *remote) pin() error {
	was, _ := pinned(r.out)
	now := target{r.got.Remote, r.Namespace}
	if r.DryRun || was == now {
		return nil
	}
	return save(r.out, disk.SyncTarget, nil, now)
}

// refusedName is the file that records refused claims. It can be lost; then all are judged again.
const refusedName = "refused.json"

// A refusal is a claim that does not count.
type refusal struct {
	Commit string `json:"commit"`
	// its handoff, about which more may become known; "" if it can never count
	ID    string `json:"handoff_id,omitempty"`
	Why   string `json:"why"`
	Moved bool   `json:"moved,omitempty"` // it replaced another claim
	Void  bool   `json:"void,omitempty"`  // it ends a lease of another operator, whose claim can replace it
}

// loadRefused reads the earlier refusals.
func (r *remote) loadRefused() {
	r.denials = make(map[string]refusal)
	r.refusedText, _ = load(r.home, refusedName, &r.denials)
}

// saveRefused saves the refusals of claims that the remote still has.
func (r *remote) saveRefused() error {
	maps.DeleteFunc(r.denials, func(name string, c refusal) bool { return r.claims[name] != c.Commit })
	return save(r.home, refusedName, r.refusedText, r.denials)
}
