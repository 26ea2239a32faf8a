package search_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/search"
)

// Each query finds the first text and not the second.
func TestWordsAreFound(t *testing.T) {
	for _, test := range []struct{ query, has, hasNot string }{
		{"deploy", "the last deploys", "employed"},
		{"depl", "deployment", "dep"},
		{"potter", "pottery", "pots"},
		{"painted", "the painting", "pain"},
		{"CI", "ci is red", "cities"},
		{"Zürich", "ZURICH", "zucchini"},
		{"cafe\u0301", "Café", "cable"},
		{"İstanbul", "istanbul", "stan"},
		{"STRASSE", "Straße", "strand"},
		{"300K", "300\u212a", "3000"},
		{"soft\u00adware", "software", "sofa"},
		{"he\u202ello", "hello", "hell"},
		{"v2.1", "since v2 it is better", "version 22"},
		{"Ann's bicycle", "bicycles", "s"},
		{"Ｈａｌｌｏ", "hallo", "halt"},
		{"réunion", "des reunions", "runion"},
		{"where is the dog?", "dogs", "is the"},
		{"ё", "е", "и"},
		{"ΟΔΟΣ", "οδός", "οδών"},
		{"数据库迁移", "昨天把数据库搬走了", "数字"},
		{"猫", "黒猫です", "犬"},
		{"データベース", "新しいデータ", "デモ"},
		{"ฐานข้อมูล", "ย้ายฐานข้อมูลแล้ว", "ไก่"},
		{"학교에서", "우리 학교", "교실"},
		{"🚀", "ship it 🚀!", "🐢"},
		{"👍🏽", "👍", "👎"},
		{"❤️", "❤", "♥"},
		{"war", "the war", "wave"},
		{"C", "written in C", "c3po"},
		{"handoff_id", "an id", "idea"},
	} {
		q, err := search.Parse([]string{test.query})
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		if len(q.Passages(document.Document{Body: test.has})) != 1 {
			t.Errorf("%s is not found in %s", test.query, test.has)
		}
		if p := q.Passages(document.Document{Body: test.hasNot}); len(p) > 0 {
			t.Errorf("%s is found in %s", test.query, test.hasNot)
		}
	}
}

// What has a query is found with it, whatever the query is, and what is shown is of the text.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"deploy", "What did Ann do?", "数据库 🚀\u202e", "cafe\u0301 STRASSE", "\xff\xfe a", "ａ\u0301", strings.Repeat("word ", 50)} {
		f.Add(s, "some text\n"+s)
	}
	f.Fuzz(func(t *testing.T, query, body string) {
		q, err := search.Parse([]string{query})
		if err != nil {
			if !errors.Is(err, fault.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		if found := q.Passages(document.Document{Body: query}); len(found) == 0 {
			t.Errorf("%q is not found in itself", query)
		}
		for _, p := range q.Passages(document.Document{Body: body}) {
			lines := strings.Split(body, "\n")
			text := strings.TrimSuffix(strings.TrimPrefix(p.Text, "…"), "…")
			if utf8.ValidString(body) && !strings.Contains(lines[p.Line-1], text) || text == "" || utf8.ValidString(body) && !utf8.ValidString(text) {
				t.Errorf("%q shows %+v", query, p)
			}
		}
	})
}
