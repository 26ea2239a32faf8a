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
	maxFileBytes = 64 << 20 // in total
)

// A File is a script or program of the project that a command names. A permission covers its content.
type File struct {
	Name   string // relative to the root, with slashes
	SHA256 string
}

// scripts lists file name extensions of scripts.
var scripts = []string{".sh", ".bash", ".zsh", ".fish", ".py", ".rb", ".pl", ".js", ".mjs", ".cjs", ".ts", ".php",
	".lua", ".awk", ".mk",
	".ps1", ".bat", ".cmd"}

// filesOf returns the scripts and programs of the project that the commands name, by name. The program of a
// command and the word after it always count. Another word, or a part of one such as a line for sh -c, counts if
// the file is executable, begins with #! or has the name of a script. Other files are often the output of a test.
// Files that these scripts read or run are not found.
func filesOf(root string, probes []Probe) (files []File, err error) {
	names := make(map[string]bool) // whether the name always counts as a script
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

// inProject returns a name relative to root, or "" if it is outside.
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

// hashed hashes a script. It follows links. Only regular files count.
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
	return File{}, false, fault.New(fault.ErrDenied, "make the file readable",
		"%s names %s, which cannot be read: %v", Name, name, err)
}

// sumOf returns the hash of a file if it is a script or begins like one.
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
		err = fmt.Errorf("the named scripts have more than %d bytes", maxFileBytes)
	}
	return hash.Sum(nil), true, err
}
