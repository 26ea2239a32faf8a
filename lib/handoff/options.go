package handoff

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// The defaults of Options.
const (
	DefaultLockTimeout      = 30 * time.Second
	DefaultMaxDocumentBytes = 1 << 20
	DefaultIndexMaxRows     = 5000
	DefaultLease            = 2 * time.Hour
)

// Options configure a store. The zero value of each field but Dir has the documented default. Only Write needs Rules.
type Options struct {
	Dir      string // the handoffs directory
	StateDir string // the state directory; "" means .run inside Dir
	Root     string // the project root, to which reported paths are relative; "" means the parent of Dir

	// UserState is a directory of the user, outside of all projects. It has the pin and the snapshot of the store.
	UserState string

	Git Git // how the store uses git; "" means GitNone

	// Named lists the paths in these options that the user named. Only they can be outside Root: settings from a
	// cloned repository must not point elsewhere.
	Named []string

	Me            func() string // returns the operator whose newest handoff @ is; nil if unknown
	Reader        func() Who    // returns whose notes [Seen] keeps, and whose takes a write renews; nil: none
	Operator      string        // the user of the program, for records and hints; "" if unknown
	OperatorsFile string        // the operators file of the project; "" means OPERATORS.md in Root
	Operators     OperatorPolicy

	LockTimeout      time.Duration // how long a change waits for the lock; 0 means DefaultLockTimeout
	MaxDocumentBytes int           // the limit of a new document; 0 means DefaultMaxDocumentBytes
	// the rows of INDEX.md before older ones are archived; 0 means DefaultIndexMaxRows, negative never
	IndexMaxRows int

	Lease time.Duration // of what a session takes; 0 means DefaultLease, negative none

	Outbox string // a directory in a linked work tree for handoffs that cannot be stored from there; "" for none

	Redact       bool     // replace credentials in new documents instead of refusing them
	AllowSecrets []string // secret rules whose findings are accepted, and recorded in the audit log

	// VerifySignature returns the public key that made an armored SSH signature of a text: signature.Verify. Its error
	// for a signature that does not match is ErrIntegrity. If it is nil, signed handoffs cannot be read.
	VerifySignature func(text, armored []byte, namespace string) (key string, err error)
	AllowedSigners  string // the user's file of allowed signers; "" if there is none

	// Sign signs new documents, and what the user did as it is sent; nil leaves both unsigned. Signs says that the
	// user's acts will be signed, also by programs without Sign: until then they count here alone.
	Sign  func(namespace string, text []byte) ([]byte, error)
	Signs bool

	// Remote opens the remote of the store and returns what the store remembers of it, such as its URL. nil means that
	// the store is not exchanged.
	Remote  func(*Store) (r remote.Remote, name string, err error)
	Offline bool // act without asking the remote: the next sync tells whether it counts

	Rules       Rules                  // the frontmatter schema: schema.Frontmatter()
	Now         func() time.Time       // nil means time.Now
	Fingerprint func() (string, error) // returns the fingerprint of this machine; nil asks the system
	Warn        func(string)           // receives sentences about ignored or repaired things; nil drops them

	// Progress is called often during long work, by one goroutine at a time. task is a word such as checking, storing
	// or verifying, done and total count documents. nil ignores it.
	Progress func(task string, done, total int)
}

// An OperatorPolicy decides which operators from and to can name.
type OperatorPolicy struct {
	Off  bool // verify no operators (setting verify_operators: false)
	Warn bool // accept unverified operators, with a warning (setting schema_mode: warn)
}

func (o Options) withDefaults() Options {
	o.Root = cmp.Or(o.Root, filepath.Dir(o.Dir))
	o.StateDir = cmp.Or(o.StateDir, filepath.Join(o.Dir, disk.StateDir))
	o.OperatorsFile = cmp.Or(o.OperatorsFile, filepath.Join(o.Root, disk.OperatorsFile))
	o.Git = cmp.Or(o.Git, GitNone)
	o.LockTimeout = cmp.Or(o.LockTimeout, DefaultLockTimeout)
	o.MaxDocumentBytes = cmp.Or(o.MaxDocumentBytes, DefaultMaxDocumentBytes)
	o.IndexMaxRows = cmp.Or(o.IndexMaxRows, DefaultIndexMaxRows)
	o.Lease = cmp.Or(o.Lease, DefaultLease)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Fingerprint == nil {
		userState, warn := o.UserState, o.Warn
		o.Fingerprint = func() (string, error) {
			fingerprint, isNew, err := disk.Fingerprint(userState)
			if isNew && warn != nil {
				warn("this machine has no machine id: a random one, in " + userState + ", stands for it")
			}
			return fingerprint, err
		}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return o
}

// isSigner returns what reports whether the acts of an operator are signed as they are sent.
func (o Options) isSigner() func(operator string) bool {
	if !o.Signs && o.Sign == nil {
		return nil
	}
	return func(operator string) bool {
		return operator == o.Operator || o.Me != nil && operator == o.Me()
	}
}

// store returns the store that these options describe.
func (o Options) store() *store.Store {
	return &store.Store{Opt: store.Options{
		Dir: o.Dir, StateDir: o.StateDir, Root: o.Root, UserState: o.UserState, Named: o.Named,
		OperatorsFile: o.OperatorsFile, Unverified: o.Operators.Off, Lenient: o.Operators.Warn, Git: o.Git,
		Operator: o.Operator, LockTimeout: o.LockTimeout, IndexMaxRows: o.IndexMaxRows,
		VerifySignature: o.VerifySignature, AllowedSigners: o.AllowedSigners, IsSigner: o.isSigner(),
		Now: o.Now, Fingerprint: o.Fingerprint, Warn: o.Warn, Progress: o.Progress,
	}}
}
