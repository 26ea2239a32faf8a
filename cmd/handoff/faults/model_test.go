//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A node is a file or a directory, whatever names it has and whatever is in it.
type node struct {
	isDir  bool
	number uint64 // of its inode, which the store remembers
}

// A content is what is in a node at one moment. It is never changed, only replaced.
type content struct {
	mode  uint32
	data  []byte
	names map[string]*node
}

// A tree is a directory tree at one moment.
type tree struct {
	root *node
	has  map[*node]content
}

func (d tree) clone() tree { return tree{d.root, maps.Clone(d.has)} }

// named returns the content with a name set, or taken out.
func (c content) named(name string, to *node) content {
	names := maps.Clone(c.names)
	if names == nil {
		names = make(map[string]*node)
	}
	if names[name] = to; to == nil {
		delete(names, name)
	}
	c.names = names
	return c
}

// written returns the content with data at an offset.
func (c content) written(data []byte, at int64) content {
	text := make([]byte, max(int64(len(c.data)), at+int64(len(data))))
	copy(text, c.data)
	copy(text[at:], data)
	c.data = text
	return c
}

// sized returns the content cut, or filled up with zeros.
func (c content) sized(size int64) content {
	text := make([]byte, size)
	copy(text, c.data)
	c.data = text
	return c
}

// paths lists what can be reached from the root.
func (d tree) paths() map[string]*node {
	all := make(map[string]*node)
	var walk func(path string, n *node)
	walk = func(path string, n *node) {
		all[path] = n
		for name, child := range d.has[n].names {
			walk(filepath.Join(path, name), child)
		}
	}
	walk(".", d.root)
	return all
}

// text tells trees apart: names, modes, contents.
func (d tree) text() string {
	var text strings.Builder
	all := d.paths()
	for _, path := range slices.Sorted(maps.Keys(all)) {
		c := d.has[all[path]]
		fmt.Fprintf(&text, "%s %v %o %d %s\n", path, all[path].isDir, c.mode, len(c.data), hash(c.data))
	}
	return text.String()
}

// readTree reads a tree that lies in dir.
func readTree(dir string) (tree, error) {
	d, numbered := tree{has: make(map[*node]content)}, make(map[uint64]*node)
	byPath := make(map[string]*node)
	err := filepath.Walk(dir, func(path string, info fs.FileInfo, err error) error {
		if err != nil {
			return err
		}
		number := info.Sys().(*syscall.Stat_t).Ino
		n := numbered[number]
		if n == nil {
			n = &node{info.IsDir(), number}
			numbered[number] = n
		}
		c := content{mode: uint32(info.Mode().Perm())}
		if byPath[path] = n; !info.IsDir() {
			if c.data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		d.has[n] = c
		if path == dir {
			d.root = n
			return nil
		}
		parent := byPath[filepath.Dir(path)]
		d.has[parent] = d.has[parent].named(filepath.Base(path), n)
		return nil
	})
	return d, err
}

// make makes the tree in a memory file system that is new, with the inode numbers that it had: such a file system gives
// them one after the other. It returns the root.
func (d tree) make(mount string) (root string, err error) {
	all, at := d.paths(), make(map[*node]string)
	for _, n := range all {
		at[n] = filepath.Join(mount, fmt.Sprint("new-", n.number))
	}
	for _, n := range slices.SortedFunc(maps.Keys(at), func(a, b *node) int { return int(a.number) - int(b.number) }) {
		for number := uint64(0); number != n.number; {
			os.Remove(at[n]) // one whose number belongs to nothing now
			if number, err = d.create(at[n], n); err == nil && number > n.number {
				err = fmt.Errorf("the inode number %d is past", n.number)
			}
			if err != nil {
				return "", err
			}
		}
	}
	root = filepath.Join(mount, "project")
	placed := make(map[*node]string)
	for _, path := range slices.Sorted(maps.Keys(all)) { // a directory comes before what is in it
		n, to := all[path], filepath.Join(root, path)
		if first, isSecondName := placed[n]; isSecondName {
			err = os.Link(first, to)
		} else {
			err = errors.Join(os.Rename(at[n], to), os.Chmod(to, fs.FileMode(d.has[n].mode)))
			placed[n] = to
		}
		if err != nil {
			return "", err
		}
	}
	return root, nil
}

// create makes a node and returns its inode number.
func (d tree) create(path string, n *node) (uint64, error) {
	var err error
	if n.isDir {
		err = os.Mkdir(path, 0o700)
	} else {
		err = os.WriteFile(path, d.has[n].data, 0o600)
	}
	if err != nil {
		return 0, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	return info.Sys().(*syscall.Stat_t).Ino, nil
}
