package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// IndexFile returns the path of the index of the work tree at top, "" if it has none.
func IndexFile(top string) string {
	dir := filepath.Join(top, ".git")
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		dir, err = pointer(dir, "gitdir: ")
	}
	if name := filepath.Join(dir, "index"); err == nil && dir != "" {
		if info, err = os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// Tracks reports whether the index of a work tree contains path or something below it. path is relative to top, with
// slashes. git is not started if the index cannot contain the path.
func Tracks(ctx context.Context, top, path string) (bool, error) {
	name := IndexFile(top)
	if name == "" {
		return false, nil
	}
	index, err := os.ReadFile(name)
	if err != nil || !mayTrack(index, path) {
		return false, err
	}
	args := []string{"ls-files", "-z", "--cached", "--", path}
	env := append(slices.Clone(closed), "GIT_LITERAL_PATHSPECS=0", "GIT_ICASE_PATHSPECS=1")
	out, err := run(ctx, top, call{args, os.Environ(), env})
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if covers(top, path, name) {
			return true, nil
		}
	}
	return false, err
}

// shortest is the minimum size of an index entry in bytes.
const shortest = 62

// mayTrack reports whether an index may contain a path or something below it. In the versions 2 and 3 of
// gitformat-index(5) all names are in the file unchanged. Exceptions are split indexes (the extension link has other
// names in another file) and sparse ones (sdir: a directory represents everything below it).
func mayTrack(index []byte, path string) bool {
	if len(index) < 12 || string(index[:7]) != "DIRC\x00\x00\x00" || index[7] != 2 && index[7] != 3 {
		return true
	}
	if int64(binary.BigEndian.Uint32(index[8:]))*shortest > int64(len(index)) {
		return true // the index is truncated
	}
	fold(index)
	for _, part := range []string{path + "/", path + "\x00", "link\x00", "sdir\x00"} {
		if bytes.Contains(index, fold([]byte(part))) {
			return true
		}
	}
	isLong := func(c rune) bool { return c >= utf8.RuneSelf } // it may be encoded in another way
	return strings.ContainsFunc(path, isLong)
}

// fold makes letters lower case. It changes other bytes too, and makes some of them equal.
func fold(text []byte) []byte {
	for i := range text {
		text[i] |= 0x20
	}
	return text
}

// covers reports whether a tracked name is the path or is below it. It allows for file systems that ignore case.
func covers(top, path string, name []byte) bool {
	if len(name) < len(path) || len(name) > len(path) && name[len(path)] != '/' {
		return false
	}
	head := string(name[:len(path)])
	return head == path || strings.EqualFold(head, path) && isSame(filepath.Join(top, head), filepath.Join(top, path))
}
