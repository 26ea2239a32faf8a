package probe

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
)

const (
	maxFiles     = 256
	maxFileBytes = 64 << 20 // of all of them
)

// A File is a script or program of the project that a command names. What is allowed is allowed for its content too.
type File struct {
	Name   string // relative to the root, with slashes
	SHA256 string
}

// scripts are the endings of names by which interpreters are called.
var scripts = []string{".sh", ".bash", ".zsh", ".fish", ".py", ".rb", ".pl", ".js", ".mjs", ".cjs", ".ts", ".php",
	".lua", ".awk", ".mk",
	".ps1", ".bat", ".cmd"}

// filesOf returns the scripts and programs in the project at root that the commands name, by name: as the program,
// or the word after it, whatever it is; else as a word, or a part of a word such as a line for sh -c, if it can be
// executed, begins with #! or has the name of a script. Other files that are named are often what a test writes.
// What those read and run in their turn is not known.
func filesOf(root string, probes []Probe) (files []File, err error) {
	names := make(map[string]bool) // of them, whether it is a script in any case
	for _, p := range probes {
		program, err := exec.LookPath(p.Argv[0])
		if err == nil && filepath.IsAbs(program) {
			names[inProject(root, program)] = true
		}
		for i, word := range p.Argv {
			for _, part := range strings.FieldsFunc(word, isBetweenNames) {
				if part = inProject(root, part); !names[part] {
					names[part] = false
				}
			}
			word = inProject(root, word)
			names[word] = names[word] || i < 2
		}
	}
	delete(names, "")
	left := int64(maxFileBytes)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f, isScript, err := hashed(root, name, names[name], &left)
		if err != nil {
			return nil, err
		}
		if isScript {
			files = append(files, f)
		}
		if len(files) > maxFiles {
			return nil, fault.New(fault.ErrConfig, "name fewer", "%s names more than %d scripts of the project",
				Name, maxFiles)
		}
	}
	return files, nil
}

// isBetweenNames reports whether a character ends the name of a file for a shell, or begins the value of a flag.
func isBetweenNames(r rune) bool { return strings.ContainsRune(" \t\r\n=,;&|<>(){}`\"'$", r) }

// inProject returns a name as it is from root, "" if it leads elsewhere.
func inProject(root, name string) string {
	if strings.ContainsRune(name, 0) {
		return ""
	}
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return ""
		}
		name = rel
	}
	if name = filepath.Clean(name); name == "." || !filepath.IsLocal(name) {
		return ""
	}
	return name
}

// hashed reads a script, behind links too. What is no regular file is none.
func hashed(root, name string, isScript bool, left *int64) (_ File, _ bool, err error) {
	path := filepath.Join(root, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG),
		err == nil && !info.Mode().IsRegular():
		return File{}, false, nil
	case err == nil:
		var sum []byte
		isScript = isScript || info.Mode().Perm()&0o111 != 0 ||
			slices.Contains(scripts, strings.ToLower(filepath.Ext(name)))
		if sum, isScript, err = sumOf(path, isScript, left); err == nil {
			return File{filepath.ToSlash(name), hex.EncodeToString(sum)}, isScript, nil
		}
	}
	return File{}, false, fault.New(fault.ErrDenied, "let it name files that can be read",
		"%s names %s, which cannot be told from another: %v", Name, name, err)
}

// sumOf returns the hash of a file that is a script, or begins like one.
func sumOf(path string, isScript bool, left *int64) (sum []byte, _ bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, isScript, err
	}
	defer f.Close()
	var head [2]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, isScript, err
	}
	if !isScript && string(head[:n]) != "#!" {
		return nil, false, nil
	}
	hash := sha256.New()
	hash.Write(head[:n])
	rest, err := io.Copy(hash, io.LimitReader(f, *left+1))
	if *left -= rest; err == nil && *left < 0 {
		err = fmt.Errorf("the scripts that it names have more than %d bytes", maxFileBytes)
	}
	return hash.Sum(nil), true, err
}
