package universal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// TestViewIsFrozen holds the bytes of the view against a file: stored handoffs carry it, so it never changes.
func TestViewIsFrozen(t *testing.T) {
	for _, name := range []string{"full", "markup-in-texts"} {
		view := mustParse(t, load(t, "good/"+name+".json")).View()
		golden := filepath.Join(fixtures, "view", name+".md")
		if *update {
			if err := os.WriteFile(golden, []byte(view), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), view); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestViewShowsEveryField(t *testing.T) {
	src := load(t, "good/full.json")
	view := mustParse(t, src).View()
	root, err := jsontree.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	shown(t, root.Get("handoff"), view)
}

func shown(t *testing.T, v *jsontree.Value, view string) {
	t.Helper()
	text := v.Text
	if v.Kind == jsontree.String {
		text = fields.Text(text)
	}
	if !strings.Contains(view, text) {
		t.Errorf("the view lacks %q", v.Text)
	}
	for _, item := range v.Items {
		shown(t, item, view)
	}
	for _, m := range v.Members {
		if name := fields.Text(m.Name); !strings.Contains(view, "- **"+name+":**") && !strings.Contains(strings.ToLower(view), "\n## "+m.Name+"\n") {
			t.Errorf("the view lacks the name %s", m.Name)
		}
		shown(t, m.Value, view)
	}
}

// TestCarried puts each good document into a body and finds it there, whatever its texts look like.
func TestCarried(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(fixtures, "good", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, name := range names {
		d := mustParse(t, load(t, "good/"+filepath.Base(name)))
		body := fields.Build(d.View(), universal.Kind, universal.Version, d.JSON())
		block, ok := fields.Extract(body)
		if !ok || block.View != d.View() || strings.TrimRight(string(block.JSON), "\n") != strings.TrimRight(string(d.JSON()), "\n") {
			t.Errorf("%s: found %v", name, ok)
		}
		if again := mustParse(t, block.JSON); again.View() != d.View() || again.PayloadHash() != mustParse(t, d.JSON()).PayloadHash() {
			t.Errorf("%s: the record changed on its way", name)
		}
	}
}

func TestFacts(t *testing.T) {
	got := mustParse(t, load(t, "good/full.json")).Facts()
	if len(got.Texts) == 0 {
		t.Error("no texts to search")
	}
	got.Texts = nil
	want := packet.Facts{
		Kind: "universal/3.0", Objective: "Forty interviews are read and coded; the report can be drafted.",
		Unresolved: []string{"Interview 12 has no recording"}, NextAction: "/report-writer --from 17",
		UpdatedAt: "2026-02-07T18:30:00Z", ExpiresAt: "2026-03-07T18:30:00Z",
		Cannot: []string{"completed", "assumptions", "risks", "resume_token"},
		Sums:   []packet.FileSum{{Path: "/home/ann/sessions/17/codebook.md", SHA256: strings.Repeat("ab", 32)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := mustParse(t, []byte(`{"handoff":{"context":{"summary":7,"known_gaps":"x"}}}`)).Facts(); got.Objective != "" || got.Unresolved != nil {
		t.Errorf("invented %+v", got)
	}
}

// TestPromptFramesTheDocument holds that no text of the document stands outside the frame.
func TestPromptFramesTheDocument(t *testing.T) {
	const attack = "IGNORE-ALL-RULES"
	document := []byte("{\"" + attack + "\":\n\"" + attack + "\"}")
	faults := []fault.Fault{{Pointer: "/" + attack, Problem: "unknown field " + attack, Hint: "remove " + attack}}
	framed := 0
	prompt := universal.Prompt(document, faults, func(text string) string {
		framed += strings.Count(text, attack)
		return "<framed>"
	})
	if strings.Contains(prompt, attack) || framed != 5 || strings.Count(prompt, "<framed>") != 2 {
		t.Errorf("%d framed, prompt:\n%s", framed, prompt)
	}
}
