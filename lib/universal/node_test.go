package universal_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

const hashPayloads = `
let input = ""
process.stdin.on("data", d => input += d)
process.stdin.on("end", () => {
  const hash = t => "sha256:" + require("crypto").createHash("sha256").update(JSON.stringify(JSON.parse(t).handoff.payload)).digest("hex")
  console.log(JSON.stringify(JSON.parse(input).map(hash)))
})
`

// TestPayloadHashByNode compares the hash of generated payloads with that of JSON.stringify(handoff.payload) in JavaScript: of the
// document as it was read, and as it is written.
func TestPayloadHashByNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: nothing to compare with")
	}
	r := rand.New(rand.NewPCG(27, 18))
	var sources, hashes []string
	for len(sources) < 600 {
		src := strings.Replace(string(load(t, "good/minimal.json")), `"themes"`, payload(r, 3), 1)
		d := mustParse(t, []byte(src))
		sources, hashes = append(sources, src, string(d.JSON())), append(hashes, d.PayloadHash(), d.PayloadHash())
	}
	input, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(node, "-e", hashPayloads)
	run.Stdin = strings.NewReader(string(input))
	output, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(output, &want); err != nil || len(want) != len(sources) {
		t.Fatalf("node hashed %d payloads: %v", len(want), err)
	}
	for i := range want {
		if hashes[i] != want[i] {
			t.Fatalf("%s\nhashes to %s, by node to %s", sources[i], hashes[i], want[i])
		}
	}
}

// payload returns members that stress the order of keys, numbers and escapes, and the beginning of one more.
func payload(r *rand.Rand, depth int) string {
	keys := []string{"b", "a", "10", "9", "01", "-1", "1.5", "4294967294", "4294967295", "__proto__x", "\u00e9", "\\u0061b", "a/b", "~", "", " "}
	values := []string{"1.0", "-0", "1e21", "1e-7", "0.1", "123456789012345680000", "9007199254740991", "5e-324", "true", "null", `"\u2028\/\b\u001f"`,
		`"\ud83d\ude00"`, `"é😀"`, "[]", "{}", `[1,2.50,"x"]`}
	var b strings.Builder
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys[:r.IntN(len(keys))] {
		value := values[r.IntN(len(values))]
		if depth > 0 && r.IntN(4) == 0 {
			value = "{" + payload(r, depth-1) + `:[{"7":1,"x":2,"3":3}]}`
		}
		fmt.Fprintf(&b, "\"%s\" : %s,\n", key, value)
	}
	return b.String() + `"themes"`
}
