// Command sbom prints which modules are in programs, as CycloneDX: go run .ci/sbom.go VERSION PROGRAM…
package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

type object = map[string]any

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal("sbom: ", err)
	}
}

func run(version string, programs []string) error {
	var path string
	var parts []object
	modules := make(map[string]object) // by bom-ref
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return err
		}
		bytes, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		path = info.Main.Path
		parts = append(parts, object{"type": "application", "name": filepath.Base(program),
			"hashes": []object{{"alg": "SHA-256", "content": fmt.Sprintf("%x", sha256.Sum256(bytes))}}})
		std := &debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}
		for _, m := range append(info.Deps, std) {
			m = cmp.Or(m.Replace, m)
			ref := "pkg:golang/" + m.Path + "@" + m.Version
			modules[ref] = object{"bom-ref": ref, "type": "library", "name": m.Path, "version": m.Version, "purl": ref}
		}
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	refs := slices.Sorted(maps.Keys(modules))
	components := make([]object, len(refs))
	for i, ref := range refs {
		components[i] = modules[ref]
	}
	ours := "pkg:golang/" + path + "@v" + version
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(object{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": object{
			"timestamp": time.Unix(epoch, 0).UTC().Format(time.RFC3339),
			"component": object{"bom-ref": ours, "type": "application", "name": "handoff", "version": version,
				"purl":     ours,
				"licenses": []object{{"license": object{"id": "Apache-2.0"}}}, "components": parts},
		},
		"components":   components,
		"dependencies": []object{{"ref": ours, "dependsOn": refs}},
	})
}
