package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// What other programs import names its types itself: they cannot write the name of a type of an internal package.
func TestSignaturesNameNoInternalType(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../lib/*/*.go")
	if more, _ := filepath.Glob("../../schema/*.go"); err != nil || len(more) == 0 || len(files) < 80 {
		t.Fatalf("%d files and %d, %v", len(files), len(more), err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		internal := make(map[string]bool)
		for _, i := range file.Imports {
			if name := strings.Trim(i.Path.Value, `"`); strings.Contains(name, "/internal/") {
				internal[filepath.Base(name)] = true
			}
		}
		check := func(what string, n ast.Node) {
			ast.Inspect(n, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok && len(f.Names) > 0 && !f.Names[0].IsExported() && strings.HasPrefix(what, "type ") {
					return false
				}
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] {
						t.Errorf("%s: %s has %s.%s", fset.Position(s.Pos()), what, x.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || isExported(d.Recv.List[0].Type)) {
					check(d.Name.Name, d.Type)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() && !s.Assign.IsValid() {
						check("type "+s.Name.Name, s.Type)
					}
				}
			}
		}
	}
}

func isExported(e ast.Expr) bool {
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	name, ok := e.(*ast.Ident)
	return ok && name.IsExported()
}

// A type with more methods than this is several.
func TestTypesHaveFewMethods(t *testing.T) {
	t.Parallel()
	if n := reflect.TypeFor[*handoff.Store]().NumMethod(); n > 45 {
		t.Errorf("a store has %d methods, more than 45", n)
	}
}

// The example lies where no internal package can be imported, as the programs of others do.
func TestExampleOutside(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "run", "../../testdata/example", t.TempDir()).CombinedOutput()
	if err != nil || string(out) != "taken 1 0 3\n" {
		t.Errorf("%s%v", out, err)
	}
}
