package check

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// checkSignature reports a bad or missing signature. If no signature is readable, checkSignatures reports
// that once.
func (c *check) checkSignature(row *Row, text []byte) {
	if c.hidesSignatures {
		return
	}
	sig, err := c.Opt.CheckSignature(c.Dir, row.ID, row.From, text)
	logged := c.Log.Of(row.ID)
	place := path.Join(disk.Signatures, disk.SignatureFile(row.ID))
	switch {
	case errors.Is(err, fault.ErrIntegrity):
		remedy := "find out who put it there; move it away, or sign again with `handoff sign`"
		if own := (*fault.Error)(nil); errors.As(err, &own) && own.Advice != "" { // the cause may be something else
			remedy = own.Advice
		}
		c.fault(place, remedy, "%s: %s", row.ID, store.OneLine(err))
	case err != nil:
		c.warn(place, "", "cannot be checked: %s", store.OneLine(err))
	case logged.Superseded || logged.Key == "" || logged.Key == sig.Key:
		if sig.FirstSight && c.isFirstOf(row.From) {
			c.warn(place, "make sure that the key is theirs, then run `handoff operators trust "+row.From+"`",
				"first sight: only the operators file links this key to %s", row.From)
		}
	case sig.State == operators.Unsigned:
		c.fault(place, remedyMissing+"restore it from a backup, or sign again with `handoff sign`",
			"is missing, but the audit log records that %s was signed", row.ID)
	default:
		c.fault(place, "move it away, then "+remedyMissing+
			"restore it from a backup, or sign again with `handoff sign`",
			"is by the key %s, but the audit log records that %s signed %s", sig.Key, logged.Key, row.ID)
	}
}

// isFirstOf reports whether this is the first finding about the keys of an operator.
func (c *check) isFirstOf(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.sighted, name) {
		return false
	}
	c.sighted = append(c.sighted, name)
	return true
}

// checkSignatures checks every name in the directory of signatures.
func (c *check) checkSignatures() {
	d, err := c.Dir.OpenDir(disk.Signatures)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		c.hidesSignatures = true
		c.fault(disk.Signatures, "move it away and restore the directory from a backup", "cannot be read: %v", err)
		return
	}
	defer d.Close()
	names, err := d.Names(func(string) bool { return true })
	if err != nil {
		c.fault(disk.Signatures, "", "cannot be read: %v", err)
	}
	slices.Sort(names)
	for _, name := range names {
		switch id := "sha256:" + strings.TrimSuffix(name, ".sig"); {
		case disk.IsStaged(name, disk.IsReplaced):
			c.warn(path.Join(disk.Signatures, name), remedyStaged,
				"was left by an interrupted command, or one is at work")
		case !disk.IsSignatureFile(name):
			c.warn(path.Join(disk.Signatures, name), "", "is not a signature")
		case c.Rows[id] == nil && !c.hidesRows():
			c.warn(path.Join(disk.Signatures, name), "", "signs no handoff of this store")
		}
	}
}
