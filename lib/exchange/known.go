package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// claimFiles are the claims of a remote that this replica knows. Each is a file: the text of the claim, and a line with
// its version at the remote. They can be lost; then the remote is asked again.
type claimFiles struct {
	known *disk.Dir // the claims that are in the ledger
	ended *disk.Dir // those that were folded, and are not in the ledger yet
	tries *disk.Dir // those that this replica asks for, granted or not; a file has those of one request
}

// A knownClaim is the text of a claim and its version at the remote.
type knownClaim struct {
	text    []byte
	version string
}

const (
	claimsDir = "claims"
	endedDir  = "ended"
	triesDir  = "tries"
)

// openClaims opens the claims of a remote.
func openClaims(home *disk.Dir) (c claimFiles, err error) {
	if c.known, err = home.MakeDir(claimsDir, 0o700); err == nil {
		c.tries, err = home.MakeDir(triesDir, 0o700)
	}
	if err == nil {
		c.ended, err = home.MakeDir(endedDir, 0o700)
	}
	return c, err
}

func (c claimFiles) close() {
	for _, d := range []*disk.Dir{c.known, c.tries, c.ended} {
		if d != nil {
			d.Close()
		}
	}
}

// of returns a known claim, the zero value if it is unknown or damaged.
func (c claimFiles) of(name string) (k knownClaim) {
	all, err := c.known.ReadIfThere(name, 2*eventlog.MaxFile)
	end := bytes.IndexByte(all, '\n') + 1
	version, isWhole := strings.CutSuffix(string(all[end:]), "\n")
	if err != nil || end == 0 || !isWhole {
		return k
	}
	return knownClaim{all[:end], version}
}

// names returns the names of all known claims.
func (c claimFiles) names() (map[string]bool, error) {
	all, err := c.known.Names(form.IsDigest)
	set := make(map[string]bool, len(all))
	for _, name := range all {
		set[name] = true
	}
	return set, err
}

// has reports whether a claim is known.
func (c claimFiles) has(name string) bool { return c.of(name).text != nil }

// learn records claims. They need not survive a power cut.
func (c claimFiles) learn(claims map[string]knownClaim) error {
	var errs []error
	for name, k := range claims {
		text := append(bytes.TrimSuffix(k.text, []byte("\n")), '\n')
		errs = append(errs, c.known.Put(name, append(text, k.version+"\n"...), 0o600))
		if k.version == folded {
			errs = append(errs, c.ended.Remove(name))
		}
	}
	return errors.Join(errs...)
}

// forget forgets all claims and tries.
func (c claimFiles) forget() error { return errors.Join(removeAll(c.known), removeAll(c.tries)) }

func removeAll(d *disk.Dir) error {
	names, err := d.Names(form.IsDigest)
	for _, name := range names {
		err = errors.Join(err, d.Remove(name))
	}
	return err
}

// A try is a claim that this replica asks the remote for.
type try struct {
	eventlog.Claim
	name string
	text []byte
}

// tryName returns the same name for tries of one claim, operator, action and session.
func tryName(t try) string {
	words := []string{t.name, t.Operator, string(t.Act()), t.Session}
	return jsontree.SHA256Hex([]byte(strings.Join(words, "\n")))
}

// makeTries makes claims from ledger lines.
func (r *remote) makeTries(lines lines) (tries []try, err error) {
	for _, line := range lines {
		t := try{Claim: eventlog.NewClaim(line, r.writer), name: eventlog.ClaimName(line.Token)}
		if t.text, err = t.Bytes(); err != nil {
			return nil, err
		}
		text := r.known.of(t.name).text // the remote has lost it, or another one has granted it
		c, bad := eventlog.ParseClaim(t.name, text)
		if bad != nil {
			c, text = r.claimElsewhere(t.name)
		}
		if isSame(c.Consumption, line) {
			t.Claim, t.text = c, text
		}
		tries = append(tries, t)
	}
	return tries, nil
}

// keepTries records tries before the remote is asked. Recorded ones of the same operator and session are used again:
// they may have been granted without an answer.
func (c claimFiles) keepTries(tries []try) error {
	before, err := c.untold()
	if err != nil {
		return err
	}
	known := make(map[string]try, len(before))
	for _, t := range before {
		known[tryName(t)] = t
	}
	var fresh []try
	for i, t := range tries {
		if was, is := known[tryName(t)]; is {
			tries[i] = was
		} else {
			fresh = append(fresh, t)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return c.tries.ReplaceNow(tryName(fresh[0]), textOf(fresh), 0o600)
}

// textOf returns the file of tries.
func textOf(tries []try) (text []byte) {
	for _, t := range tries {
		text = append(text, t.text...)
	}
	return text
}

// dropTries removes tries, which were granted or lost.
func (c claimFiles) dropTries(tries []try) error {
	dropped := make(map[string]bool, len(tries))
	for _, t := range tries {
		dropped[tryName(t)] = true
	}
	return c.eachTries(func(file string, all []try) error {
		left := slices.DeleteFunc(slices.Clone(all), func(t try) bool { return dropped[tryName(t)] })
		switch {
		case len(left) == 0:
			return c.tries.Remove(file)
		case len(left) < len(all):
			return c.tries.Put(file, textOf(left), 0o600)
		}
		return nil
	})
}

// untold returns the tries that were not dropped.
func (c claimFiles) untold() (tries []try, err error) {
	err = c.eachTries(func(_ string, all []try) error {
		tries = append(tries, all...)
		return nil
	})
	return tries, err
}

// eachTries calls do with the tries of each file. It omits what a power cut left.
func (c claimFiles) eachTries(do func(file string, all []try) error) error {
	names, err := c.tries.Names(form.IsDigest)
	for _, file := range slices.Sorted(slices.Values(names)) {
		text, readErr := c.tries.ReadFile(file, disk.MaxLedger)
		var all []try
		for line := range bytes.Lines(text) {
			t := try{text: line}
			if json.Unmarshal(line, &t.Claim) == nil {
				t.name = eventlog.ClaimName(t.Token)
			}
			if _, bad := eventlog.ParseClaim(t.name, line); bad == nil {
				all = append(all, t)
			}
		}
		if err = errors.Join(err, readErr); err == nil {
			err = do(file, all)
		}
	}
	return err
}

// settleTries records that claims were granted and used.
func (r *remote) settleTries(tries []try) error {
	claims := make(map[string]knownClaim, len(tries))
	for _, t := range tries {
		claims[t.name] = knownClaim{t.text, r.claims[t.name]}
	}
	return r.known.learn(claims)
}

// lostClaims returns the known claims that the remote does not have.
func (r *remote) lostClaims() (lost []try, err error) {
	names, err := r.known.names()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text := r.known.of(name).text
		c, bad := eventlog.ParseClaim(name, text)
		if bad == nil && r.claims[name] == "" && r.known.of(name).version != folded {
			lost = append(lost, try{c, name, text})
		}
	}
	return lost, err
}
