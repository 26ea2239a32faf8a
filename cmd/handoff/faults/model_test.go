//go:build linux

package faults_test

import (
	"bytes"
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
type node struct{ isDir bool }

// A content is what is in a node at one moment. It is never changed, only replaced.
type content struct {
	data  []byte // without the zeros at its end
	size  int64
	names map[string]*node
}

// full is the data with the zeros at its end.
func (c content) full() []byte {
	return append(bytes.Clone(c.data), make([]byte, c.size-int64(len(c.data)))...)
}

// holding returns the content with that data.
func (c content) holding(data []byte, size int64) content {
	data = data[:min(int64(len(data)), size)]
	c.data, c.size = bytes.TrimRight(data, "\x00"), size
	return c
}

// written returns the content with data at an offset.
func (c content) written(data []byte, at int64) content {
	text := make([]byte, max(int64(len(c.data)), at+int64(len(data))))
	copy(text, c.data)
	copy(text[at:], data)
	return c.holding(text, max(c.size, int64(len(text))))
}

// sized returns the content cut, or filled up with zeros.
func (c content) sized(size int64) content { return c.holding(c.data, size) }

// named returns the content with a name set, or taken out.
func (c content) named(name string, to *node) content {
	names := maps.Clone(c.names)
	if names == nil {
		names = map[string]*node{}
	}
	if names[name] = to; to == nil {
		delete(names, name)
	}
	c.names = names
	return c
}

// A tree is a directory tree at one moment.
type tree struct {
	root *node
	has  map[*node]content
}

func (d tree) clone() tree { return tree{d.root, maps.Clone(d.has)} }

// paths lists what can be reached from the root.
func (d tree) paths() map[string]*node {
	all := map[string]*node{}
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

// text tells trees apart.
func (d tree) text() string {
	var text strings.Builder
	all := d.paths()
	for _, path := range slices.Sorted(maps.Keys(all)) {
		c := d.has[all[path]]
		fmt.Fprintf(&text, "%s %v %d %s\n", path, all[path].isDir, c.size, hash(c.data))
	}
	return text.String()
}

// readTree reads a tree that lies in dir.
func readTree(dir string) (tree, error) {
	d, numbered, byPath := tree{has: map[*node]content{}}, map[uint64]*node{}, map[string]*node{}
	err := filepath.Walk(dir, func(path string, info fs.FileInfo, err error) error {
		if err != nil {
			return err
		}
		number := info.Sys().(*syscall.Stat_t).Ino
		n := numbered[number]
		if n == nil {
			n = &node{info.IsDir()}
			numbered[number] = n
		}
		c := content{}
		if byPath[path] = n; !info.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			c = c.holding(data, int64(len(data)))
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

// make makes the tree in place of what is in a directory.
func (d tree) make(root string) error {
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	all, placed := d.paths(), map[*node]string{}
	for _, path := range slices.Sorted(maps.Keys(all)) { // a directory comes before what is in it
		n, to := all[path], filepath.Join(root, path)
		err := error(nil)
		switch first, isSecondName := placed[n]; {
		case isSecondName:
			err = os.Link(first, to)
		case n.isDir:
			err = os.MkdirAll(to, 0o755)
		default:
			err = os.WriteFile(to, d.has[n].full(), 0o644)
		}
		if placed[n] = to; err != nil {
			return err
		}
	}
	return nil
}
