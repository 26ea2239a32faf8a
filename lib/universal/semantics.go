package universal

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// The lengths of a chain: more hops than approvedHops need the user's approval, more than longestChain
// are too many.
const (
	approvedHops = 5
	longestChain = 10
)

// checkSemantics checks what a schema cannot say.
func (d *Document) checkSemantics(o Options, r *Report) {
	d.checkHash(r)
	d.checkHops(r)
	d.checkTimes(o.now(), r)
	d.checkFiles(o.Exists, r)
	fault.Sort(r.Faults)
}

// checkHash compares the payload with its hash. That is the one fault which says that somebody may
// have changed the document, and not that it was badly written.
func (d *Document) checkHash(r *Report) {
	if claimed := d.text(hashPath); claimed != "" && claimed != r.PayloadHash {
		r.Mismatch = true
		fail(r, hashPath, "restore the payload that the hash was made for, or replace the hash if this payload is the right one",
			"the payload hashes to %s, not to %s", r.PayloadHash, claimed)
	}
	size := len(d.root.At("/handoff/payload").Append(nil))
	if given := d.root.At(sizePath); given.Is(jsontree.Number) && given.String() != strconv.Itoa(size) {
		warn(r, sizePath, "", "payload_size_bytes is %s, but the compact payload has %d bytes", given, size)
	}
}

// chain returns handoff_chain, which is the source alone when it is absent.
func chain(root *jsontree.Value) []string {
	hops := root.At(chainPath)
	if !hops.Is(jsontree.Array) {
		return []string{textAt(root, "/handoff/source/skill")}
	}
	names := make([]string, len(hops.Items))
	for i, hop := range hops.Items {
		names[i] = jsontree.Printable(hop.Text)
	}
	return names
}

// checkHops looks where the work has been: a circle, a chain that grew long, a source that is not its end.
func (d *Document) checkHops(r *Report) {
	hops, source, target := chain(d.root), d.Source(), d.Target()
	if source == target {
		fail(r, "/handoff/target/skill", "name the skill that takes over", "%s hands over to itself", quoted(source))
	} else if at := slices.Index(hops, target); at >= 0 {
		reason := strings.TrimSpace(d.text("/handoff/meta/handoff_reason"))
		if reason == "" {
			fail(r, chainPath, "say in meta.handoff_reason why it takes over again, or choose another target", "the hand-over goes in a circle: %s", drawn(hops, target))
		} else {
			warn(r, chainPath, "", "the hand-over goes in a circle, for a reason that is given: %s", drawn(hops, target))
		}
	}
	approved := d.root.At("/handoff/meta/user_approved")
	if len(hops) > approvedHops && (approved == nil || approved.Text != "true") {
		fail(r, chainPath, "ask the user, then set meta.user_approved to true", "the chain has %d hops, more than %d need the user's approval", len(hops), approvedHops)
	}
	if len(hops) > longestChain {
		warn(r, chainPath, "`handoff repair` shortens its middle", "the chain has %d hops, more than %d", len(hops), longestChain)
	}
	if last := hops[len(hops)-1]; last != source {
		warn(r, chainPath, "append the source to the chain", "the chain ends with %s, not with the source %s", quoted(last), quoted(source))
	}
}

// drawn shows a chain and where it leads, in brackets what comes around again.
func drawn(hops []string, target string) string {
	names := make([]string, 0, len(hops)+1)
	for _, hop := range append(slices.Clip(hops), target) { // Clip makes append copy: the chain is still the caller's
		name := strings.Trim(quoted(hop), `"`)
		if hop == target {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	return strings.Join(names, " -> ")
}

// checkTimes compares the two times of a document with each other. Whether it has expired by now is
// not asked: a document is valid or not, whenever one looks.
func (d *Document) checkTimes(now time.Time, r *Report) {
	const pointer = "/handoff/expires_at"
	start, ok := d.Timestamp()
	end, bounded := instant(d.root.At(pointer))
	switch {
	case ok && bounded && !start.Before(end):
		warn(r, pointer, "", "expires_at is not after timestamp")
	case bounded && !now.Before(end):
		warn(r, pointer, "ask the sender for a new one", "the document is already expired, since %s", end.UTC().Format(time.RFC3339))
	}
}

// now is the clock of the caller, or that of the system.
func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// temporary lists where systems keep files that do not last.
var temporary = []string{"/tmp/", "/var/tmp/", "/private/tmp/", "/private/var/folders/", "/var/folders/", "/dev/shm/"}

// checkFiles looks for the files that the next skill is to read.
func (d *Document) checkFiles(exists func(string) bool, r *Report) {
	files := d.root.At("/handoff/payload/references/files")
	if files == nil {
		return
	}
	for i, file := range files.Items {
		pointer := "/handoff/payload/references/files/" + strconv.Itoa(i) + "/path"
		name := textAt(file, "/path")
		if exists != nil && !exists(name) {
			warn(r, pointer, "", "the file %s does not exist", quoted(name))
		}
		if isTemporary(name) {
			warn(r, pointer, "move it to a place that lasts", "the file %s lies in a temporary directory and may be ephemeral", quoted(name))
		}
	}
}

// isTemporary reports whether a path lies where systems clean up, on any of them: the document may
// come from another one.
func isTemporary(name string) bool {
	slashed := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	within := func(dir string) bool { return strings.HasPrefix(slashed, dir) }
	return slices.ContainsFunc(temporary, within) || strings.Contains(strings.ToLower(slashed), "/appdata/local/temp/")
}
