package json_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	jsontree "github.com/seed-78daf238/handoff/lib/internal/json"
)

func TestParseRefusesWithPlace(t *testing.T) {
	for _, c := range []struct {
		name, src    string
		line, column int
		problem      string
	}{
		{"empty", "", 1, 1, "the text ends"},
		{"only space", " \n ", 2, 2, "the text ends"},
		{"trailing comma", "{\n  \"a\": 1,\n}", 2, 9, "a comma after the last element"},
		{"comma in array", "[1,]", 1, 3, "a comma after the last element"},
		{"missing comma", "{\"a\": 1\n \"b\": 2}", 2, 2, "expecting ',' or '}'"},
		{"missing colon", `{"a" 1}`, 1, 6, "expecting ':'"},
		{"bare key", `{a: 1}`, 1, 2, "invalid character 'a'"},
		{"single quotes", `{"a": 'x'}`, 1, 7, "invalid character '\\''"},
		{"comment", "// x\n{}", 1, 1, "a comment"},
		{"second value", "{} {}", 1, 4, "a second value"},
		{"column in characters", `["é€😀", x]`, 1, 9, "invalid character 'x'"},
		{"duplicate", "{\"é\": 1,\n \"b\": 2, \"\\u00e9\": 3}", 2, 10, "occurs twice"},
		{"duplicate deep", `[{"a":{"k":1,"k":1}}]`, 1, 14, `key "k" occurs twice`},
		{"control character", "[\"a\tb\"]", 1, 4, "invalid character '\\t' in string"},
		{"open string", `["abc`, 1, 6, "the text ends"},
		{"bad escape", `["a\x41"]`, 1, 4, "invalid escape sequence"},
		{"short escape", `["\u12"]`, 1, 3, "invalid escape sequence"},
		{"bad UTF-8", "{\n\"a\": \"é\xff\"}", 2, 8, "byte 0xff is not valid UTF-8"},
		{"half a surrogate pair", `["é\ud83d"]`, 1, 4, "half of a surrogate pair"},
		{"the other half first", `{"a\ude00\ud83d":1}`, 1, 4, "half of a surrogate pair"},
		{"encoded surrogate", "[\"\xed\xa0\x80\"]", 1, 3, "not valid UTF-8"},
		{"leading zero", `[01]`, 1, 3, "invalid character '1'"},
		{"leading plus", `[+1]`, 1, 2, "invalid character '+'"},
		{"no fraction", `[1.]`, 1, 4, "expecting digit"},
		{"no exponent", `[1e]`, 1, 4, "expecting digit"},
		{"lone minus", `[-]`, 1, 3, "expecting digit"},
		{"NaN", `[NaN]`, 1, 2, "invalid character 'N'"},
		{"huge exponent", `[1e1000001]`, 1, 2, "is too large"},
		{"tiny exponent", `[1e-1000001]`, 1, 2, "too small"},
		{"unsafe integer", `[9007199254740993]`, 1, 2, "read as 9007199254740992"},
		{"unsafe negative", `[-18446744073709551615]`, 1, 2, "read as -18446744073709552000"},
		{"unsafe fraction", `[9007199254740993.5]`, 1, 2, "beyond the safe integers"},
		{"deep", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), 1, jsontree.MaxDepth + 1, "more than 200 deep"},
		{"unclosed deep", strings.Repeat(`{"a":`, 10_000), 1, 5*jsontree.MaxDepth + 1, "more than 200 deep"},
		{"large", `"` + strings.Repeat("a", jsontree.MaxBytes) + `"`, 1, 1, "more than the 5242880"},
		{"many values", "[" + strings.Repeat("1,", jsontree.MaxValues) + "1]", 1, 2 * jsontree.MaxValues, "more than 250000 values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := jsontree.Parse([]byte(c.src))
			var faults *fault.DocumentError
			if !errors.As(err, &faults) || len(faults.Faults) != 1 {
				t.Fatalf("error is %v, want one fault", err)
			}
			fault := faults.Faults[0]
			if fault.Line != c.line || fault.Column != c.column || !strings.Contains(fault.Problem, c.problem) {
				t.Errorf("got %v, want line %d, column %d: …%s…", err, c.line, c.column, c.problem)
			}
		})
	}
}

func TestPrint(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"white space", " {\r\n \"a\" : [ 1 , true , null , false ] }\n", `{"a":[1,true,null,false]}`},
		{"byte-order mark", "\ufeff{}", "{}"},
		{"source order", `{"b":1,"a":2,"_":3}`, `{"b":1,"a":2,"_":3}`},
		{"indices first", `{"b":1,"10":2,"2":3,"01":4,"4294967295":5,"4294967294":6,"-1":7}`, `{"2":3,"10":2,"4294967294":6,"b":1,"01":4,"4294967295":5,"-1":7}`},
		{"numbers", `[1.0,-0,0e5,1E2,1e21,123456789012345680000,1e-6,1e-7,0.10,5e-324,1.7976931348623157e308]`, `[1,0,0,100,1e+21,123456789012345680000,0.000001,1e-7,0.1,5e-324,1.7976931348623157e+308]`},
		{"exact beyond the safe integers", `[9007199254740992,9007199254740994,1e300]`, `[9007199254740992,9007199254740994,1e+300]`},
		{"fraction beyond a double", `[0.1000000000000000055511151231257827]`, `[0.1]`},
		{"escapes", `["\u0041\/\b\f\n\r\t\u0000\u001f\u007f\u2028\"\\"]`, "[\"A/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\u2028\\\"\\\\\"]"},
		{"surrogates", `["\ud83d\ude00"]`, `["😀"]`},
	} {
		v, err := jsontree.Parse([]byte(c.src))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := v.String(); got != c.want {
			t.Errorf("%s: printed %s, want %s", c.name, got, c.want)
		}
	}
}

func TestPlain(t *testing.T) {
	v, err := jsontree.Parse([]byte(`{"a":["x",1.50,true,null]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(v.Plain())
	if want := `{"a":["x",1.5,true,null]}`; err != nil || string(got) != want {
		t.Errorf("plain is %s (%v), want %s", got, err, want)
	}
}

func TestTree(t *testing.T) {
	v, err := jsontree.Parse([]byte(`{"a/b":{"~":[10,{"x":1}]},"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	pointer := fault.Pointer(fault.Pointer("", "a/b"), "~")
	if got := v.At(pointer + "/1/x"); got == nil || got.Text != "1" || got.Column != 22 {
		t.Errorf("At(%s/1/x) = %+v", pointer, got)
	}
	for _, absent := range []string{"/a", pointer + "/2", pointer + "/-", pointer + "/01", "/b/x", "/b/x/y"} {
		if got := v.At(absent); got != nil {
			t.Errorf("At(%s) = %s, want nothing", absent, got)
		}
	}
	c := v.Clone()
	c.Set("b", jsontree.NewString("new"))
	c.Set("c", jsontree.NewArray(jsontree.New(1), jsontree.New(true), jsontree.NewObject()))
	if !c.Delete("a/b") || c.Delete("a/b") {
		t.Error("delete answers wrongly")
	}
	if got := c.String(); got != `{"b":"new","c":[1,true,{}]}` {
		t.Errorf("edited clone is %s", got)
	}
	if got := v.String(); got != `{"a/b":{"~":[10,{"x":1}]},"b":2}` {
		t.Errorf("an edit of the clone changed the value: %s", got)
	}
}

// What Parse takes is JSON, and printing is a fixed point that keeps the meaning.
func FuzzPrintIsStable(f *testing.F) {
	f.Add([]byte(`{"b":[1.0,"\ud800\u0000",{"2":1,"1":2}],"a":-0}`))
	f.Add([]byte("\ufeff[1e21, 9007199254740991, \"😀\"]"))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Add([]byte(`[1e1000001]`))
	f.Fuzz(func(t *testing.T, src []byte) {
		v, err := jsontree.Parse(src)
		if err != nil {
			var faults *fault.DocumentError
			if !errors.As(err, &faults) || faults.Faults[0].Line < 1 || faults.Faults[0].Column < 1 {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		if !json.Valid(bytes.TrimPrefix(src, []byte("\ufeff"))) {
			t.Fatalf("took invalid JSON %q", src)
		}
		printed := v.Append(nil)
		again, err := jsontree.Parse(printed)
		if err != nil {
			t.Fatalf("printed %q, which is refused: %v", printed, err)
		}
		if second := again.Append(nil); !bytes.Equal(printed, second) {
			t.Fatalf("printed %q, then %q", printed, second)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src := []byte("[" + strings.Repeat(`{"name":"retry policy","n":12.5,"ok":true,"tags":["a","b"]},`, 500) + "{}]")
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := jsontree.Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}
