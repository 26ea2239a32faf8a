package handoff

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Defaults of Options.
const (
	DefaultLockTimeout      = 30 * time.Second
	DefaultMaxDocumentBytes = 1 << 20
	DefaultIndexMaxRows     = 5000
	DefaultMaxHops          = 5
	DefaultMaxRate          = 10
)

// Options says where a store is and how it behaves. The zero value of every field but Dir is the real
// world with the documented defaults. Only Write needs Rules.
type Options struct {
	Dir      string // the handoffs directory
	StateDir string // the state directory; "" is .run inside Dir
	Root     string // the project root, which reported paths are relative to; "" is the parent of Dir

	// UserState is the directory, outside of every project, in which the program keeps what belongs to the
	// user: the secret that authenticates changes, and what is exchanged with remotes. Without one, sync is
	// refused.
	UserState string

	Branch string // that is checked out where the program runs, for the record; "" if that is not known
	Git    Git    // how the store lives with git; "" is GitNone
	Synced bool   // others have what it has, although it was never exchanged itself

	// Named lists those of the paths here that the person who runs the program named. Only they may lie
	// outside Root: settings that came with a cloned repository must not aim elsewhere.
	Named []string

	Me            func() string // for whom the program runs, whose newest handoff @ is; nil if nobody knows
	Operator      string        // who runs the program, for records and hints; may be ""
	OperatorsFile string        // the project's own, which says who may do what; "" is OPERATORS.md in Root
	Operators     OperatorPolicy

	ListedIn          string // the file in which from and to of what is written are looked up; "" is OperatorsFile
	MustHaveOperators bool   // the settings name OperatorsFile: that it is missing is ErrConfig wherever it is asked

	LockTimeout      time.Duration // how long a change waits for the lock; 0 is DefaultLockTimeout
	MaxDocumentBytes int           // of a document to write; 0 is DefaultMaxDocumentBytes
	IndexMaxRows     int           // of INDEX.md before older rows are sealed away; 0 is DefaultIndexMaxRows, negative is never

	MaxHops int // of answers and successors since a person wrote; 0 is DefaultMaxHops, negative means no limit
	MaxRate int // of handoffs from one operator to another in 10 minutes; 0 is DefaultMaxRate, negative means no limit

	Restore      bool     // what was pruned may be stored again
	Redact       bool     // replace credentials in what is written instead of refusing it
	AllowSecrets []string // rules of the secret scan whose findings are let through, audited

	// CheckBody says why a body is not what it claims to be, nil if it is or claims nothing:
	// record.CheckBody. Verify makes a fault of it, Write warns. nil checks nothing.
	CheckBody func(body string) error

	// VerifySignature returns the public key that made an armored SSH signature of a text:
	// signature.Verify. One that does not hold is ErrIntegrity. Without it what is signed cannot be
	// read.
	VerifySignature func(text, armored []byte, namespace string) (key string, err error)
	AllowedSigners  string                            // the user's file of whose keys are whose; "" is none
	Sign            func(text []byte) ([]byte, error) // signs what is written; nil leaves it unsigned
	SignApproval    func(text []byte) ([]byte, error) // signs approvals and rejections, in ApprovalNamespace; nil can sign none

	// Once finds out, in a store that has synced, whether this clone is the first: exchange.Once.
	// Without it nothing is done there that may be done once only.
	Once    Once
	Offline bool // do it all the same, without asking; the record says so, and the next sync if another one was first

	Rules       Rules                  // the frontmatter schema: schema.Frontmatter()
	Now         func() time.Time       // nil is time.Now
	Fingerprint func() (string, error) // which machine this is; nil asks the system
	Warn        func(string)           // gets sentences about what was ignored or repaired; nil drops them
	Lost        func(error)            // gets why handoffs that are there cannot be listed; nil is Warn

	// Progress is told how a long piece of work comes along: what is done, how much of it, and of how much.
	// It is called by one goroutine at a time, often. nil is nobody.
	Progress func(task string, done, total int)
}

// OperatorPolicy says who may be named in from and to.
type OperatorPolicy struct {
	Off  bool // verify nobody (setting verify_operators: false)
	Warn bool // accept whom strict would refuse, with a warning (setting schema_mode: warn)

	// Evidence returns what the checks of verify_git_match and verify_gpg compare with the operator in
	// from. nil asks for neither.
	Evidence func() Evidence
}

func (o Options) withDefaults() Options {
	if o.Root == "" {
		o.Root = filepath.Dir(o.Dir)
	}
	if o.StateDir == "" {
		o.StateDir = filepath.Join(o.Dir, disk.StateDir)
	}
	if o.OperatorsFile == "" {
		o.OperatorsFile = filepath.Join(o.Root, disk.OperatorsFile)
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = DefaultLockTimeout
	}
	if o.MaxDocumentBytes == 0 {
		o.MaxDocumentBytes = DefaultMaxDocumentBytes
	}
	if o.IndexMaxRows == 0 {
		o.IndexMaxRows = DefaultIndexMaxRows
	}
	if o.MaxHops == 0 {
		o.MaxHops = DefaultMaxHops
	}
	if o.MaxRate == 0 {
		o.MaxRate = DefaultMaxRate
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Fingerprint == nil {
		o.Fingerprint = disk.Fingerprint
	}
	if o.CheckBody == nil {
		o.CheckBody = func(string) error { return nil }
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Lost == nil {
		o.Lost = func(err error) {
			text := err.Error()
			if e := (*Error)(nil); errors.As(err, &e) && e.Advice != "" {
				text += "; " + e.Advice
			}
			o.Warn(text)
		}
	}
	return o
}

// store returns what the rooms below know of the options.
func (o Options) store() *store.Store {
	return &store.Store{Opt: store.Options{
		Dir: o.Dir, StateDir: o.StateDir, Root: o.Root, UserState: o.UserState,
		Named:         append(slices.Clone(o.Named), o.ListedIn),
		OperatorsFile: o.OperatorsFile, ListedIn: o.ListedIn, MustHaveOperators: o.MustHaveOperators,
		Git: o.Git, Branch: o.Branch, Synced: o.Synced,
		Me: o.Me, Operator: o.Operator, LockTimeout: o.LockTimeout, IndexMaxRows: o.IndexMaxRows, Restore: o.Restore,
		CheckBody: o.CheckBody, Now: o.Now, Fingerprint: o.Fingerprint, Warn: o.Warn, Lost: o.Lost, Progress: o.Progress,
	}}
}
