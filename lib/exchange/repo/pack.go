package repo

import (
	"bufio"
	"cmp"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// A Pack makes objects of git, in the format of gitformat-pack(5), without deltas: [Repo.Pack] finds the versions of a
// file. Compared with git fast-import, it takes half of the time, and not more for each name in a directory that has
// many. The zero Pack only computes names. Errors are returned by Commit and Store.
type Pack struct {
	repo  *Repo
	file  *os.File // has no name
	out   *bufio.Writer
	zip   *zlib.Writer
	count uint32
	files []Leaf // of the next commit
	err   error
}

// packHeader begins a pack of version 2. The number of its objects is at countAt.
const (
	packHeader = "PACK\x00\x00\x00\x02\x00\x00\x00\x00"
	countAt    = 8
)

// NewPack returns a pack for new objects. The caller closes it.
func (r *Repo) NewPack() *Pack {
	p := &Pack{repo: r}
	if p.file, p.err = os.CreateTemp(r.Dir, "tmp_"); p.err != nil {
		return p
	}
	p.err = os.Remove(p.file.Name())
	p.out = bufio.NewWriterSize(p.file, 64<<10)
	p.zip, _ = zlib.NewWriterLevel(p.out, zlib.BestSpeed) // a valid level is no error
	p.out.WriteString(packHeader)
	return p
}

// Close removes the pack, which Store has copied.
func (p *Pack) Close() { p.file.Close() } // a nil file returns an error, which is ignored

// kinds are the kinds of objects by their numbers in a pack.
var kinds = []string{"", "commit", "tree", "blob"}

// add adds an object of a kind, and returns its name.
func (p *Pack) add(kind string, text []byte) string {
	hash := sha1.New()
	fmt.Fprintf(hash, "%s %d\x00", kind, len(text))
	hash.Write(text)
	name := hex.EncodeToString(hash.Sum(nil))
	if p.out == nil || p.err != nil {
		return name
	}
	size := len(text)
	head := []byte{byte(slices.Index(kinds, kind)<<4 | size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(size&0x7f))
	}
	p.out.Write(head) // both writers keep their first error
	p.zip.Reset(p.out)
	p.zip.Write(text)
	p.err = p.zip.Close()
	p.count++
	return name
}

// File adds a file to the next commit. Its name has at most one directory.
func (p *Pack) File(name string, text []byte) {
	p.files = append(p.files, Leaf{"100644", name, p.add("blob", text)})
}

// Commit makes a commit of the files since the last one, and returns its name. They are added to the tree of parent,
// "" for none, and replace files of the same name there. who is the committer, with the time.
func (p *Pack) Commit(ctx ctx, parent, who, message string) (string, error) {
	below := map[string][]Leaf{"": nil}
	for _, l := range p.files {
		dir, name := path.Split(l.Name)
		dir = strings.TrimSuffix(dir, "/")
		below[dir] = append(below[dir], Leaf{l.Mode, name, l.Object})
	}
	p.files = nil
	was := make(map[string][]Leaf)
	if parent != "" && p.err == nil {
		was, p.err = p.repo.treesBelow(ctx, parent, below)
	}
	for dir, files := range below {
		if dir != "" {
			below[""] = append(below[""], Leaf{"40000", dir, p.tree(was[dir], files)})
		}
	}
	text := "tree " + p.tree(was[""], below[""])
	if parent != "" {
		text += "\nparent " + parent
	}
	text += "\nauthor " + who + "\ncommitter " + who + "\n\n" + message
	return p.add("commit", []byte(text)), p.fault()
}

// tree adds the tree of the leaves of an old one, and of more, which replace them.
func (p *Pack) tree(old, more []Leaf) string {
	all := slices.Concat(more, old)
	slices.SortStableFunc(all, func(a, b Leaf) int { return strings.Compare(a.order(), b.order()) })
	all = slices.CompactFunc(all, func(a, b Leaf) bool { return a.Name == b.Name })
	var text []byte
	for _, l := range all {
		text = fmt.Appendf(text, "%s %s\x00", l.Mode, l.Name)
		text, _ = hex.AppendDecode(text, []byte(l.Object)) // names of objects were made or parsed here
	}
	return p.add("tree", text)
}

// treesBelow returns the root tree of a commit, by the name "", and those of directories in it. A missing one is empty.
func (r *Repo) treesBelow(ctx ctx, commit string, dirs map[string][]Leaf) (map[string][]Leaf, error) {
	var want []Wanted
	for _, dir := range slices.Sorted(maps.Keys(dirs)) { // the root comes first
		want = append(want, Wanted{commit + ":" + dir, maxDay})
	}
	got, err := r.Spool(ctx, "tree", maxTrees, want)
	trees := make(map[string][]Leaf)
	for _, w := range want {
		dir := strings.TrimPrefix(w.Object, commit+":")
		isThere := dir == "" || slices.ContainsFunc(trees[""], func(l Leaf) bool { return l.Name == dir })
		var text []byte
		if err == nil && isThere {
			if text, err = got.Text(w); err == nil {
				trees[dir], err = parseTree(text)
			}
		}
	}
	return trees, err
}

// Store adds the objects of a pack to the repository, durably.
func (r *Repo) Store(ctx ctx, p *Pack) error {
	if p.err == nil {
		p.err = p.finish()
	}
	if p.err != nil {
		return p.fault()
	}
	_, err := r.Run(ctx, git.Call{Args: []string{"index-pack", "--stdin"}, Stdin: p.file, Limit: transferLimit})
	return r.Explain(err)
}

// finish adds the number of objects and the checksum. The pack is then read from its beginning.
func (p *Pack) finish() error {
	errs := make([]error, 5)
	errs[0] = p.out.Flush()
	_, errs[1] = p.file.WriteAt(binary.BigEndian.AppendUint32(nil, p.count), countAt)
	hash := sha1.New()
	_, errs[2] = io.Copy(hash, io.NewSectionReader(p.file, 0, 1<<62))
	_, errs[3] = p.file.Write(hash.Sum(nil))
	_, errs[4] = p.file.Seek(0, io.SeekStart)
	return cmp.Or(errs...)
}

// fault returns the error of a pack for the user.
func (p *Pack) fault() error { return fault.Explain(p.err, "nothing was sent", "run it again") }
