package universal_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// apply applies a JSON Patch to a value, reading RFC 6902 apart from the code under test.
func apply(t failing, root *jsontree.Value, patch []universal.Change) {
	t.Helper()
	for _, c := range patch {
		i := strings.LastIndexByte(c.Path, '/')
		holder, name := root.At(c.Path[:i]), strings.NewReplacer("~1", "/", "~0", "~").Replace(c.Path[i+1:])
		if holder == nil {
			t.Fatalf("%s %s: nothing holds it", c.Op, c.Path)
		}
		var value *jsontree.Value
		if c.Op != "remove" {
			v, err := jsontree.Parse(c.Value)
			if err != nil {
				t.Fatalf("%s %s: %v", c.Op, c.Path, err)
			}
			value = v
		}
		at, _ := strconv.Atoi(name)
		switch there := root.At(c.Path) != nil; {
		case c.Op == "add" && holder.Kind == jsontree.Array && at == len(holder.Items):
			holder.Items = append(holder.Items, value)
		case c.Op == "add" && there, c.Op != "add" && !there:
			t.Fatalf("%s %s: there is %v", c.Op, c.Path, there)
		case c.Op == "remove":
			holder.Delete(name)
		case holder.Kind == jsontree.Array:
			holder.Items[at] = value
		default:
			holder.Set(name, value)
		}
	}
}

// promises checks what a repair promises, whatever the document is.
func promises(t failing, src []byte, o universal.RepairOptions) {
	t.Helper()
	d := mustParse(t, src)
	r := mustRepair(t, d, o)
	if len(r.Attempts) > 3 || r.OK() != (r.Document != nil) {
		t.Fatalf("%d attempts, document %v", len(r.Attempts), r.Document)
	}
	if !bytes.Equal(d.Bytes(), src) {
		t.Fatalf("the original was changed")
	}
	neverGrows(t, r)
	if !r.OK() {
		if len(r.Report.Faults) == 0 || r.Failure() == "" || len(r.Moved) > 0 {
			t.Fatalf("a failure without a fault, or with files: %s", r.Failure())
		}
		return
	}
	report, err := r.Document.Validate(o.Options)
	if err != nil || !report.Valid() {
		t.Fatalf("repaired, but %v, %v", report.Faults, err)
	}
	root, err := jsontree.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	nothingLost(t, root, "", r)
	apply(t, root, r.Patch())
	if got, err := jsontree.Parse(r.Document.Bytes()); err != nil || r.Changed && root.String() != got.String() {
		t.Fatalf("the patch gives\n%s\nthe document is\n%s (%v)", root, r.Document.Bytes(), err)
	}
	if again := mustRepair(t, r.Document, o); again.Changed {
		t.Fatalf("a repaired document is repaired again: %v", again.Patch())
	}
}

func neverGrows(t failing, r universal.Repair) {
	t.Helper()
	if len(r.Attempts) < 2 {
		return
	}
	before, after := r.Attempts[0].Report.Budget, r.Attempts[1].Report.Budget
	if before == nil || after == nil {
		return
	}
	if after.Estimate > before.Estimate || after.AtLeast == before.AtLeast && after.Tokens > before.Tokens {
		t.Fatalf("compression makes %d tokens of %d", after.Tokens, before.Tokens)
	}
}

// computed are the places whose values are converted or counted, not kept.
var computed = map[string]bool{"timestamp": true, "expires_at": true, "token_count": true, "trace_id": true, "payload_hash": true, "user_approved": true, "version": true}

// nothingLost looks for every text of the original in the repaired document and in the files beside it.
func nothingLost(t failing, v *jsontree.Value, name string, r universal.Repair) {
	t.Helper()
	if v.Kind == jsontree.Array && isJoined(v, r) {
		return
	}
	if v.Kind == jsontree.String && !computed[name] && !computed[renamed(name, r)] && !isKept(v.Text, r) {
		t.Fatalf("%q of %s is lost; patch %v", v.Text, name, r.Patch())
	}
	for _, item := range v.Items {
		nothingLost(t, item, name, r)
	}
	for _, m := range v.Members {
		nothingLost(t, m.Value, m.Name, r)
	}
}

// isKept says whether a text is there, or is in JSON that became a text.
func isKept(text string, r universal.Repair) bool {
	quoted := jsontree.AppendQuoted(nil, text)
	twice := jsontree.AppendQuoted(nil, string(quoted))
	places := [][]byte{r.Document.JSON(), r.Document.Bytes()}
	for _, f := range r.Moved {
		places = append(places, f.Bytes)
	}
	return slices.ContainsFunc(places, func(p []byte) bool { return bytes.Contains(p, quoted) || bytes.Contains(p, twice[1:len(twice)-1]) })
}

// isJoined says whether a list became one text.
func isJoined(v *jsontree.Value, r universal.Repair) bool {
	var texts []string
	for _, item := range v.Items {
		texts = append(texts, item.Text)
	}
	return len(texts) > 0 && (isKept(strings.Join(texts, "; "), r) || isKept(strings.Join(texts, ", "), r))
}

// renamed returns the field that was found under another name, "" for none.
func renamed(name string, r universal.Repair) string {
	for _, c := range r.Patch() {
		if field, ok := strings.CutPrefix(c.Why, "renamed to "); ok && fault.PointerName(c.Path[strings.LastIndexByte(c.Path, '/')+1:]) == name {
			return field
		}
	}
	return ""
}
