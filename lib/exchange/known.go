package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// claimFiles are what this replica knows about the claims of a remote. They can be lost; then the remote is asked
// again.
type claimFiles struct {
	known claimSet // the claims that are in the ledger
	ended claimSet // those that were folded, and are not in the ledger yet
	home  *disk.Dir
}

// A claimSet is a directory with claims. Each file has the claims whose names begin with its name. Its lines have a
// checksum of the rest, and the name, the version and the text of a claim. Of several lines the last one counts, and
// one without a text removes the claim. A line that was cut does not count.
type claimSet struct {
	*disk.Dir
	files map[string]map[string]knownClaim // the files that were read
}

// A knownClaim is the text of a claim and its version at the remote.
type knownClaim struct {
	text    []byte
	version string
}

const (
	claimsDir  = "claims"
	endedDir   = "ended"
	triesFile  = "tries" // the claims that this replica asks for, granted or not, a line each
	nameLen    = 2       // the length of the name of a file of claims
	checkedLen = len("01234567 ")
)

// openClaims opens the claims of a remote.
func openClaims(home *disk.Dir) (c claimFiles, err error) {
	c.home = home
	if c.known, err = openClaimSet(home, claimsDir); err == nil {
		c.ended, err = openClaimSet(home, endedDir)
	}
	return c, err
}

func openClaimSet(home *disk.Dir, name string) (claimSet, error) {
	d, err := home.OpenDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		d, err = home.MakeDir(name, 0o700)
	}
	return claimSet{d, make(map[string]map[string]knownClaim)}, err
}

func (c claimFiles) close() {
	for _, s := range []claimSet{c.known, c.ended} {
		if s.Dir != nil {
			s.Close()
		}
	}
}

// file returns the claims of a file.
func (s claimSet) file(name string) (map[string]knownClaim, error) {
	if all, is := s.files[name]; is {
		return all, nil
	}
	text, err := s.ReadIfThere(name, disk.MaxLedger)
	if err != nil {
		return nil, err
	}
	all := make(map[string]knownClaim)
	for line := range bytes.Lines(text) {
		line, isWhole := bytes.CutSuffix(line, []byte("\n"))
		fields := bytes.SplitN(line, []byte(" "), 4)
		if !isWhole || len(fields) < 4 || string(fields[0]) != checksum(line[checkedLen:]) {
			continue
		}
		if claim := string(fields[1]); len(fields[3]) == 0 {
			delete(all, claim)
		} else {
			all[claim] = knownClaim{append(bytes.Clone(fields[3]), '\n'), string(fields[2])}
		}
	}
	s.files[name] = all
	return all, nil
}

func checksum(line []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(line)) }

// add adds claims. One without a text is removed. They need not survive a power cut.
func (s claimSet) add(claims map[string]knownClaim) error {
	files := make(map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		k, file := claims[name], name[:nameLen]
		if all, err := s.file(file); err != nil {
			return err
		} else if k.text = bytes.TrimSuffix(k.text, []byte("\n")); bytes.Contains(k.text, []byte("\n")) {
			continue // it is read again
		} else if len(k.text) == 0 {
			delete(all, name)
		} else {
			all[name] = knownClaim{append(bytes.Clone(k.text), '\n'), k.version}
		}
		line := fmt.Appendf(nil, "%s %s %s", name, k.version, k.text)
		files[file] = fmt.Appendf(files[file], "\n%s %s\n", checksum(line), line) // the last line may be cut
	}
	for file, text := range files {
		if err := s.Extend(file, text, false); err != nil {
			return err
		}
	}
	return nil
}

// of returns a claim, the zero value if it is unknown or damaged.
func (s claimSet) of(name string) knownClaim {
	all, _ := s.file(name[:nameLen])
	return all[name]
}

// names returns the names of all claims.
func (s claimSet) names() (map[string]bool, error) {
	files, err := s.Names(isClaimFile)
	set := make(map[string]bool)
	for _, file := range files {
		all, fileErr := s.file(file)
		err = errors.Join(err, fileErr)
		for name := range all {
			set[name] = true
		}
	}
	return set, err
}

func isClaimFile(name string) bool { return len(name) == nameLen && form.IsHex(name) }

// forget removes all claims.
func (s claimSet) forget() error {
	clear(s.files)
	files, err := s.Names(isClaimFile)
	for _, file := range files {
		err = errors.Join(err, s.Remove(file))
	}
	return err
}

// of returns a known claim, the zero value if it is unknown or damaged.
func (c claimFiles) of(name string) knownClaim { return c.known.of(name) }

// learn records claims.
func (c claimFiles) learn(claims map[string]knownClaim) error {
	ended := make(map[string]knownClaim)
	for name, k := range claims {
		if k.version == folded && c.ended.of(name).text != nil {
			ended[name] = knownClaim{}
		}
	}
	return errors.Join(c.known.add(claims), c.ended.add(ended))
}

// forget forgets all claims and tries.
func (c claimFiles) forget() error { return errors.Join(c.known.forget(), c.home.Remove(triesFile)) }

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
		if c, _ := eventlog.ParseClaim(t.name, text); isSame(c.Consumption, line) {
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
	return c.home.Extend(triesFile, append([]byte("\n"), textOf(fresh)...), true)
}

// textOf returns the lines of tries.
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
	all, err := c.untold()
	left := slices.DeleteFunc(slices.Clone(all), func(t try) bool { return dropped[tryName(t)] })
	switch {
	case err != nil || len(left) == len(all):
		return err
	case len(left) > 0:
		return c.home.Put(triesFile, textOf(left))
	}
	f, err := c.home.OpenToWrite(triesFile)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(1), f.Close()) // what is not empty need not be synced as new
}

// untold returns the tries that were not dropped. It omits what a power cut left.
func (c claimFiles) untold() (tries []try, err error) {
	text, err := c.home.ReadIfThere(triesFile, disk.MaxLedger)
	for line := range bytes.Lines(text) {
		t := try{text: line}
		if json.Unmarshal(line, &t.Claim) == nil {
			t.name = eventlog.ClaimName(t.Token)
		}
		if _, bad := eventlog.ParseClaim(t.name, line); bad == nil {
			tries = append(tries, t)
		}
	}
	return tries, err
}

// settleTries records that claims were granted and used.
func (r *remote) settleTries(tries []try) error {
	claims := make(map[string]knownClaim, len(tries))
	for _, t := range tries {
		claims[t.name] = knownClaim{t.text, r.claims[t.name]}
	}
	return r.known.learn(claims)
}

// restoreClaims claims again what is known and the remote does not have, and returns the number of these claims.
func (r *remote) restoreClaims(ctx ctx) (n int, err error) {
	var lost []try
	names, err := r.known.known.names()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text := r.known.of(name).text
		c, bad := eventlog.ParseClaim(name, text)
		if bad == nil && r.claims[name] == "" && r.known.of(name).version != folded {
			lost = append(lost, try{c, name, text})
		}
	}
	if err == nil {
		_, _, err = r.carrier.putClaims(ctx, lost, false)
	}
	return len(lost), err
}
