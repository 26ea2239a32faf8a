package probe

import (
	"bufio"
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

const maxFileBytes = 64 << 20 // in total

// A File is a script or program of the project that a command names. A permission covers its content.
type File struct {
	Name   string // relative to the root, with slashes
	SHA256 string
}

// scripts lists file name extensions of scripts.
var scripts = []string{".sh", ".bash", ".zsh", ".fish", ".py", ".rb", ".pl", ".js", ".mjs", ".cjs", ".ts", ".php",
	".lua", ".awk", ".mk",
	".ps1", ".bat", ".cmd"}

// filesOf returns the scripts and programs of the project that the commands name, by name. The program of a command,
// also if it is found in PATH, and the word after it always count. Another word, or a part of one such as a line for
// sh -c, counts if the file is executable, begins with #! or has the name of a script. Other files are often the output
// of a test. Files that these scripts read or run are not found.
func filesOf(root string, probes []Probe) (files []File, err error) {
	names := make(map[string]bool) // whether the name always counts as a script
	for _, p := range probes {
		if program, err := exec.LookPath(p.Argv[0]); err == nil && filepath.IsAbs(program) {
			names[inProject(root, program)] = true
		}
		for i, word := range p.Argv {
			for _, part := range append(strings.FieldsFunc(word, isBetweenNames), word) {
				name := inProject(root, part)
				names[name] = names[name] || i < 2 && part == word
			}
		}
	}
	left := int64(maxFileBytes)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		sum, err := hashed(filepath.Join(root, name), names[name], &left)
		switch {
		case err != nil:
			return nil, fault.Denied("make the file readable, or name fewer and smaller ones",
				"%s names %s, which cannot be read: %v", Name, name, err)
		case sum != "":
			files = append(files, File{filepath.ToSlash(name), sum})
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

// hashed returns the hash of a script, or "" for other files. It follows links. Only regular files count.
func hashed(path string, isScript bool, left *int64) (sum string, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		return "", nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text := bufio.NewReader(f)
	start, _ := text.Peek(len("#!")) // an error comes again below
	if !isScript && info.Mode().Perm()&0o111 == 0 && string(start) != "#!" &&
		!slices.Contains(scripts, strings.ToLower(filepath.Ext(path))) {
		return "", nil
	}
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(text, *left+1))
	if *left -= n; err == nil && *left < 0 {
		err = fmt.Errorf("the named scripts have more than %d bytes", maxFileBytes)
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}
