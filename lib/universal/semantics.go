package universal

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// The limits of a chain: with more than approvedHops hops it needs the user's approval, with more than
// longestChain it is too long.
const (
	approvedHops = 5
	longestChain = 10
)

// checkSemantics checks the rules that a schema cannot express.
func (d *Document) checkSemantics(o Options, r *Report) {
	d.checkHash(r)
	d.checkHops(r)
	d.checkTimes(r)
	d.checkFiles(o.Exists, r)
	fault.Sort(r.Faults)
}

// checkHash compares the payload with its hash. Only this fault means that the document may have been changed
// after it was written.
func (d *Document) checkHash(r *Report) {
	if claimed := d.text(hashPath); claimed != "" && claimed != r.PayloadHash {
		r.Mismatch = true
		fail(r, hashPath, "restore the payload of this hash, or replace the hash if this payload is right",
			"the payload hashes to %s, not to %s", r.PayloadHash, claimed)
	}
}

// chain returns handoff_chain, or only the source if it is absent or empty.
func chain(root *jsontree.Value) []string {
	hops := root.At(chainPath)
	if len(hops.All()) == 0 {
		return []string{textAt(root, "/handoff/source/skill")}
	}
	names := make([]string, len(hops.Items))
	for i, hop := range hops.Items {
		names[i] = hop.Text
	}
	return names
}

// checkHops checks the chain: circles, its length, and whether it ends with the source.
func (d *Document) checkHops(r *Report) {
	hops, source, target := chain(d.root), d.Source(), d.Target()
	if source == target {
		fail(r, "/handoff/target/skill", "name the skill that takes over", "%s hands over to itself", quoted(source))
	} else if at := slices.Index(hops, target); at >= 0 {
		reason := strings.TrimSpace(d.text("/handoff/meta/handoff_reason"))
		if reason == "" {
			fail(r, chainPath, "give the reason in meta.handoff_reason, or choose another target",
				"the chain is a circle: %s", drawn(hops, target))
		} else {
			warn(r, chainPath, "", "the chain is a circle, with a reason: %s", drawn(hops, target))
		}
	}
	approved := d.root.At("/handoff/meta/user_approved")
	if len(hops) > approvedHops && (approved == nil || approved.Text != "true") {
		fail(r, chainPath, "ask the user, then set meta.user_approved to true",
			"the chain has %d hops, more than %d need the user's approval", len(hops), approvedHops)
	}
	if len(hops) > longestChain {
		warn(r, chainPath, "`handoff validate --fix` cuts its middle", "the chain has %d hops, more than %d",
			len(hops), longestChain)
	}
	if last := hops[len(hops)-1]; last != source {
		warn(r, chainPath, "append the source to the chain", "the chain ends with %s, not with the source %s",
			quoted(last), quoted(source))
	}
}

// drawn returns a chain and its target as text. A repeated skill is in brackets.
func drawn(hops []string, target string) string {
	names := make([]string, 0, len(hops)+1)
	for _, hop := range append(slices.Clip(hops), target) { // Clip makes append copy the caller's chain
		name := strings.Trim(quoted(hop), `"`)
		if hop == target {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	return strings.Join(names, " -> ")
}

// checkTimes compares the two times of a document.
func (d *Document) checkTimes(r *Report) {
	const pointer = "/handoff/expires_at"
	start, ok := d.Timestamp()
	if end, bounded := form.Instant(d.text(pointer)); ok && bounded && !start.Before(end) {
		warn(r, pointer, "", "expires_at is not after timestamp")
	}
}

// checkFiles checks the files that the next skill has to read.
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
			warn(r, pointer, "move it to a permanent place",
				"the file %s is in a temporary directory and may disappear",
				quoted(name))
		}
	}
}

// isTemporary reports whether a path is in a temporary directory of any system, since the document can come from
// another one.
func isTemporary(name string) bool {
	name = path.Clean(strings.ToLower(strings.ReplaceAll(name, `\`, "/")))
	return slices.ContainsFunc([]string{"/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/dev/shm/"},
		func(dir string) bool { return strings.HasPrefix(name, dir) }) || strings.Contains(name, "/appdata/local/temp/")
}
