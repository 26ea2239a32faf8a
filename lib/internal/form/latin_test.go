package form_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mozillazg/go-unidecode"
	"github.com/mozillazg/go-unidecode/table"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

var update = flag.Bool("update", false, "write latin.txt anew")

const latinHead = `# The Latin letters of https://github.com/mozillazg/go-unidecode v` + "%s" + `,
# Copyright (c) 2016 mozillazg, under the MIT License. TestLatin -update writes this file.
`

// The letters are those of the library, for all characters.
func TestLatin(t *testing.T) {
	if *update {
		var text strings.Builder
		fmt.Fprintf(&text, latinHead, unidecode.Version())
		for _, section := range slices.Sorted(maps.Keys(table.Tables)) {
			line := fmt.Sprintf("%x\t%s", section, strings.Join(table.Tables[section], "\t"))
			text.WriteString(strings.TrimRight(strings.ReplaceAll(line, "\n", " "), "\t") + "\n")
		}
		if err := os.WriteFile("latin.txt", []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for r := range rune(0x20000) { // the rest has none
		// what is no letter or digit of a topic parts words
		of := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(unidecode.Unidecode(string(r)), "'", "")),
			func(r rune) bool { return r > 127 || !form.IsSlugByte(byte(r)) || r == '-' })
		want := strings.Join(append([]string{"a"}, of...), "-")
		if got := form.Topic("a "+string(r), 80); got != want {
			t.Errorf("%U: %q, and not %q", r, got, want)
		}
	}
}
