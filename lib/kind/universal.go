package kind

import (
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
)

// The limits of a universal handoff: its tokens, the hops that need no approval, and the longest chain.
const (
	TokenBudget  = 2000
	approvedHops = 5
	longestChain = 10
)

// Places of a universal handoff.
const (
	versionPath   = "/handoff/version"
	sourcePath    = "/handoff/source/skill"
	targetPath    = "/handoff/target/skill"
	summaryPath   = "/handoff/context/summary"
	payloadPath   = "/handoff/payload"
	workingPath   = "/handoff/payload/working"
	sessionPath   = "/handoff/payload/session"
	referencePath = "/handoff/payload/references"
	hashPath      = "/handoff/meta/payload_hash"
	countPath     = "/handoff/meta/token_count"
	chainPath     = "/handoff/meta/handoff_chain"
)

// tiers are the shares of the parts of a universal handoff.
var tiers = []struct {
	name  string
	limit int
	paths []string
}{
	{"metadata", 100, []string{versionPath, "/handoff/schema_type", "/handoff/timestamp", "/handoff/expires_at",
		"/handoff/trace_id"}},
	{"source and target", 50, []string{"/handoff/source", "/handoff/target"}},
	{"context", 200, []string{"/handoff/context"}},
	{"payload.working", 500, []string{workingPath}},
	{"payload.session", 800, []string{sessionPath}},
	{"payload.references", 200, []string{referencePath}},
	{"meta and tracing", 150, []string{"/handoff/meta", "/handoff/tracing"}},
}

// tokens estimates the tokens of a text: a quarter of its characters, rounded down.
func tokens(text []byte) int { return utf8.RuneCount(text) / 4 }

// payloadHash returns the hash of JSON.stringify(payload), "" without one.
func payloadHash(root *json.Value) string {
	payload := root.At(payloadPath)
	if payload == nil {
		return ""
	}
	return fmt.Sprintf("%s%x", form.IDPrefix, sha256.Sum256(payload.Append(nil)))
}

// count sets token_count, which is part of what it counts.
func count(root *json.Value) {
	for range 3 { // later rounds settle its number of digits
		set(root, countPath, number(min(tokens(root.Append(nil)), TokenBudget)))
	}
}

// chain returns handoff_chain, or the source alone if it is empty.
func chain(root *json.Value) (hops []string) {
	for _, hop := range root.At(chainPath).All() {
		hops = append(hops, hop.Str())
	}
	if hops == nil {
		hops = []string{root.At(sourcePath).Str()}
	}
	return hops
}

// seal completes a new universal handoff: its chain, which begins with the source, its hash and its token count.
func seal(root *json.Value) {
	source, hops := root.At(sourcePath).Str(), chain(root)
	if hops[0] != source {
		hops = append([]string{source}, hops...)
	}
	set(root, chainPath, hops)
	set(root, hashPath, payloadHash(root))
	count(root)
}

func (r *Record) fail(pointer, hint, format string, args ...any) {
	r.Faults = append(r.Faults, fault.Fault{Pointer: pointer, Problem: fmt.Sprintf(format, args...), Hint: hint})
}

func (r *Record) warn(pointer, hint, format string, args ...any) {
	r.Warnings = append(r.Warnings, fault.Fault{Pointer: pointer, Problem: fmt.Sprintf(format, args...), Hint: hint})
}

// isForeign reports whether a universal handoff names another version.
func (r *Record) isForeign() bool {
	v := r.Root.At(versionPath)
	return v.Is(json.String) && v.Text != r.Version
}

// checkUniversal explains the faults of the schema, then counts the tokens, then checks what the handoff means. A stage
// with faults is the last one.
func checkUniversal(r *Record, g Given) {
	r.Hash = payloadHash(r.Root)
	if r.isForeign() {
		r.Faults = nil
		r.fail(versionPath, "`handoff validate --help` lists what older fields become in "+r.Version,
			"version %s is not supported, only %s", fault.Quote(r.Text(versionPath)), r.Version)
	}
	for i, f := range r.Faults {
		at, name := above(f.Pointer), last(f.Pointer)
		known := r.table().below(at)
		if at != "" && at != "/handoff" || slices.Contains(known, name) {
			continue // the schema has its hint
		}
		r.Faults[i].Hint += "; `handoff validate --fix` removes it"
		if near := form.Nearest(name, known); near != "" {
			r.Faults[i].Hint = fmt.Sprintf("did you mean %q?", near)
		}
		if r.Root.Get("handoff") == nil {
			r.Faults[i].Hint = `put the whole record under one key "handoff"`
		}
	}
	if len(r.Faults) == 0 {
		r.Stage = "tokens"
		r.checkTokens()
	}
	if len(r.Faults) == 0 {
		r.Stage = "semantics"
		r.checkMeaning(g.Exists)
	}
}

// checkTokens counts the compact form. The layout of the text does not matter.
func (r *Record) checkTokens() {
	r.Tokens = tokens(r.Root.Append(nil))
	if r.Tokens > TokenBudget {
		r.fail("", "name files instead of including their content, or let `handoff validate --fix` compress it",
			"the document takes %d tokens, more than %d", r.Tokens, TokenBudget)
	}
	claimed := r.Root.At(countPath)
	if n, err := strconv.Atoi(claimed.String()); err != nil || deviates(n, r.Tokens) {
		r.warn(countPath, "`handoff validate --fix` counts again",
			"token_count %s differs from the estimate %d by more than 30 %%", claimed, r.Tokens)
	}
	for _, tier := range tiers {
		var text []byte
		for _, path := range tier.paths {
			if v := r.Root.At(path); v != nil {
				text = v.Append(append(json.AppendQuoted(text, last(path)), ':'))
			}
		}
		if n := tokens(text); n*4 > tier.limit*5 {
			r.warn(tier.paths[0], "", "%s takes %d tokens, more than its share of %d", tier.name, n, tier.limit)
		}
	}
}

// deviates reports whether a number differs from the estimate by more than 30 %.
func deviates(n, estimate int) bool { return max(n-estimate, estimate-n)*10 > estimate*3 }

// checkMeaning checks the rules that a schema cannot express. Only a wrong hash means that the payload may have been
// changed after it was written.
func (r *Record) checkMeaning(exists func(string) bool) {
	if claimed := r.Text(hashPath); claimed != "" && claimed != r.Hash {
		r.Mismatch = true
		r.fail(hashPath, "restore the payload of this hash, or replace the hash if this payload is right",
			"the payload hashes to %s, not to %s", r.Hash, claimed)
	}
	r.checkHops()
	start, ok := form.Instant(r.Text("/handoff/timestamp"))
	if end, bounded := form.Instant(r.Text("/handoff/expires_at")); ok && bounded && !start.Before(end) {
		r.warn("/handoff/expires_at", "", "expires_at is not after timestamp")
	}
	for i, file := range r.Root.At(referencePath + "/files").All() {
		pointer, name := fmt.Sprintf("%s/files/%d/path", referencePath, i), file.Get("path").Str()
		if exists != nil && !exists(name) {
			r.warn(pointer, "", "the file %s does not exist", fault.Quote(name))
		}
		if isTemporary(name) {
			r.warn(pointer, "move it to a permanent place",
				"the file %s is in a temporary directory and may disappear", fault.Quote(name))
		}
	}
}

// checkHops checks the chain: circles, its length, and whether it begins with the source.
func (r *Record) checkHops() {
	hops, source, target := chain(r.Root), r.Text(sourcePath), r.Text(targetPath)
	names := append(slices.Clone(hops), target)
	for i, name := range names {
		if names[i] = strings.Trim(fault.Quote(name), `"`); name == target {
			names[i] = "[" + names[i] + "]"
		}
	}
	drawn := strings.Join(names, " -> ")
	isCircle := slices.Contains(hops, target)
	switch {
	case source == target:
		r.fail(targetPath, "name the skill that takes over", "%s hands over to itself", fault.Quote(source))
	case isCircle && isBlank(r.Text("/handoff/meta/handoff_reason")):
		r.fail(chainPath, "give the reason in meta.handoff_reason, or choose another target",
			"the chain is a circle: %s", drawn)
	case isCircle:
		r.warn(chainPath, "", "the chain is a circle, with a reason: %s", drawn)
	}
	if approved := r.Root.At("/handoff/meta/user_approved"); len(hops) > approvedHops && (approved == nil ||
		approved.Text != "true") {
		r.fail(chainPath, "ask the user, then set meta.user_approved to true",
			"the chain has %d hops, more than %d need the user's approval", len(hops), approvedHops)
	}
	if len(hops) > longestChain {
		r.warn(chainPath, "`handoff validate --fix` cuts its middle", "the chain has %d hops, more than %d",
			len(hops), longestChain)
	}
	if hops[0] != source {
		r.warn(chainPath, "put the source first in the chain", "the chain begins with %s, not with the source %s",
			fault.Quote(hops[0]), fault.Quote(source))
	}
}

// isTemporary reports whether a path is in a temporary directory of any system.
func isTemporary(name string) bool {
	name = path.Clean(strings.ToLower(strings.ReplaceAll(name, `\`, "/")))
	return strings.Contains(name, "/appdata/local/temp/") || slices.ContainsFunc(
		[]string{"/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/dev/shm/"},
		func(dir string) bool { return strings.HasPrefix(name, dir) })
}

// FileName returns {source}-to-{target}-{YYYYMMDDTHHMMSSZ}.json. It has only ASCII letters, digits, dashes, underscores
// and one dot, so it cannot leave a directory.
func (r Record) FileName() string {
	stamp := "undated"
	if t, ok := form.Instant(r.Text("/handoff/timestamp")); ok {
		stamp = t.UTC().Format("20060102T150405Z")
	}
	part := func(pointer string) string {
		if slug := strings.Trim(form.Slug(r.Text(pointer), 64), "-"); slug != "" {
			return slug
		}
		return "unnamed"
	}
	return part(sourcePath) + "-to-" + part(targetPath) + "-" + stamp + ".json"
}
