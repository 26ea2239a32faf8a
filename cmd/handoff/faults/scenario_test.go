//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A scenario is a command on a store. Its template is what the store looks like before.
type scenario struct {
	name      string
	settings  string                 // of .handoff.yaml
	prepare   [][]string             // commands that make the template
	crashes   []crash                // commands that are killed after that, one after the other
	damage    func(dir string) error // is done to the template then
	failing   failure                // what fails in each run, besides the call that is swept
	command   []string
	adds      []string   // topics that the command publishes
	mark      string     // the topic that is marked then
	token     string     // the topic whose token is consumed then
	act       string     // what is done then with the topic, such as take a
	prunes    string     // the topic that is taken out of the store then
	loses     string     // the topic that was damaged, and goes aside
	shared    []string   // topics that another clone has published
	elsewhere [][]string // what that clone does besides
	exports   bool       // a bundle of three handoffs is there then
	isOnce    bool       // when the command was done before, it has exit code 11
	reads     bool       // the command changes nothing, and recovers nothing
	core      bool       // the short sweep looks at it closely
}

// A crash kills a command at the first system call whose trace matches.
type crash struct {
	at      string
	command []string
}

// A failure makes the first system call fail whose trace matches.
type failure struct{ at, errno string }

const (
	beforeBodies = `linkat\(.*"2026`
	beforeCommit = `renameat\(`
	beforeEvent  = `pwrite64\(`
	beforeEnd    = `unlinkat\(.*"\.intent"`
)

// many are the topics of a batch that is large enough to be stored by many threads.
const many = "ka kb kc kd ke kf kg kh ki kj kk kl km kn ko kp kq kr ks kt"

func words(s string) []string { return strings.Fields(s) }

func scenarios() []scenario {
	three := [][]string{words("write in/a.md in/b.md in/c.md")}
	tracked := "git: tracked\n"
	rotates := "index_max_rows: 2\n"
	two := [][]string{words("write in/a.md"), words("write in/b.md")}
	mark := []string{"mark-read", idOf("a"), "ben"}
	regenerate := words("machine-fingerprint regenerate --yes --operator ann --reason test")
	write, other := words("write d.md"), words("write e.md")
	list := []scenario{
		{name: "first write", command: write, adds: words("d")},
		{name: "write", prepare: three, command: write, adds: words("d"), core: true},
		{name: "write again", prepare: append(three, write), command: write, adds: words("d")},
		{name: "batch", prepare: three, command: words("write batch"), adds: words("f g h i j")},
		{name: "batch on many threads", prepare: three, command: words("write many"), adds: words(many)},
		{name: "mark-read", prepare: three, command: mark, mark: "a", core: true},
		{name: "mark-read in an archive", settings: rotates, prepare: append(two, write), command: mark, mark: "a"},
		{name: "rotation", settings: rotates, prepare: two, command: write, adds: words("d")},
		{name: "rotation into a month", settings: tracked + rotates, prepare: append(two, write, words("write in/c.md")), command: other, adds: words("e")},
		{name: "recovery of a rotation into a month", settings: tracked + rotates, prepare: append(two, write, words("write in/c.md")), crashes: []crash{{beforeCommit, other}}, command: other, adds: words("e")},
		{name: "regenerate", prepare: three, command: regenerate},
		{name: "begin of a replica", settings: tracked, prepare: three, damage: removed(".run"), command: write, adds: words("d")},
		{name: "recovery of a begin", settings: tracked, prepare: three, damage: removed(".run"), crashes: []crash{{beforeCommit, write}}, command: write, adds: words("d")},
		{name: "surface", prepare: three, command: words("surface ben"), reads: true},
		{name: "torn log", prepare: three, damage: tear, command: write, adds: words("d")},
		{name: "recovery of a first write", crashes: []crash{{beforeEvent, write}}, command: other, adds: words("e")},
		{name: "recovery of a batch", prepare: three, crashes: []crash{{beforeCommit, words("write batch")}}, command: other, adds: words("e")},
		{name: "recovery of a rotation", settings: rotates, prepare: two, crashes: []crash{{beforeCommit, write}}, command: write, adds: words("d")},
		{name: "recovery of a finished rotation", settings: rotates, prepare: two, crashes: []crash{{beforeEvent, write}}, command: write, adds: words("d")},
		{name: "recovery of a mark", prepare: three, crashes: []crash{{beforeEvent, mark}}, command: mark, mark: "a"},
		{name: "recovery of no mark", prepare: three, crashes: []crash{{beforeCommit, mark}}, command: mark, mark: "a"},
		{name: "recovery of a regenerate", prepare: three, crashes: []crash{{beforeEvent, regenerate}}, command: write, adds: words("d")},
		{name: "recovery of a recovery", prepare: three, crashes: []crash{{beforeCommit, write}, {`unlinkat\(.*"2026`, write}, {beforeEnd, write}}, command: write, adds: words("d")},
		{name: "recovery of a recovered event", prepare: three, crashes: []crash{{beforeEvent, write}, {beforeEvent, other}, {beforeEnd, other}}, command: other, adds: words("e")},
	}
	list = append(list, resumes(three)...)
	list = append(list, takings(three)...)
	list = append(list, exchanges(three)...)
	list = append(list, repairs(three, append(two, write))...)
	for _, at := range []string{beforeBodies, beforeCommit, beforeEvent, beforeEnd} {
		list = append(list, scenario{name: "recovery at " + at[:6], prepare: three, crashes: []crash{{at, write}}, command: write, adds: words("d")})
	}
	for _, f := range []failure{{beforeCommit, "EIO"}, {beforeBodies, "ENOSPC"}, {beforeEvent, "EIO"}, {beforeEnd, "EACCES"}} {
		list = append(list, scenario{name: "after " + f.errno + " at " + f.at[:6], prepare: three, failing: f, command: write, adds: words("d")})
	}
	return list
}

// template makes the store of the scenario, with its crashes.
func (p program) template(t *testing.T, sc scenario) string {
	t.Helper()
	dir, err := os.MkdirTemp(p.tmp, "template-")
	if err != nil {
		t.Fatal(err)
	}
	p.fill(t, dir, sc)
	for _, c := range sc.crashes {
		probe := p.copyOf(t, dir)
		name, n := p.calls(t, probe, "", c.command).find(t, c.at)
		os.RemoveAll(probe)
		if r := p.strace(dir, []string{fmt.Sprintf("%s:signal=KILL:when=%d", name, n)}, c.command...); r.code == 0 {
			t.Fatalf("%s: %v was not killed", sc.name, c.command)
		}
	}
	return dir
}

// fill makes the store of the scenario in dir.
func (p program) fill(t *testing.T, dir string, sc scenario) {
	t.Helper()
	mustWrite(t, filepath.Join(dir, ".handoff.yaml"), sc.settings)
	for topic, place := range map[string]string{"a": "in/", "b": "in/", "c": "in/", "d": "", "e": "", "f": "batch/", "g": "batch/", "h": "batch/", "i": "batch/", "j": "batch/"} {
		mustWrite(t, filepath.Join(dir, place+topic+".md"), doc(topic))
	}
	if slices.Contains(sc.command, "many") {
		for _, topic := range words(many) {
			mustWrite(t, filepath.Join(dir, "many", topic+".md"), doc(topic))
		}
	}
	if len(sc.shared) > 0 {
		p.share(t, dir, sc)
	}
	for _, command := range sc.prepare {
		must(t, dir, append([]string{p.bin}, command...)...)
	}
	if sc.damage != nil {
		if err := sc.damage(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// copyOf copies a template, which has only directories and small files.
func (p program) copyOf(t *testing.T, template string) string {
	dir, err := os.MkdirTemp(p.tmp, "run-")
	if err == nil {
		err = filepath.Walk(template, func(path string, info os.FileInfo, err error) error {
			name, relErr := filepath.Rel(template, path)
			if err = errors.Join(err, relErr); err != nil || name == "." {
				return err
			}
			to := filepath.Join(dir, name)
			if info.IsDir() {
				return errors.Join(os.Mkdir(to, 0o700), os.Chmod(to, info.Mode().Perm()))
			}
			text, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(to, text, 0o600), os.Chmod(to, info.Mode().Perm()))
		})
	}
	if err == nil {
		err = adopt(filepath.Join(dir, "handoffs"))
	}
	if err != nil {
		t.Error(err)
	}
	return dir
}

var (
	intentShape = regexp.MustCompile(`^\{"version":1,"intent":(.*),"sha256":"[0-9a-f]{64}"\}\n$`)
	bodyShape   = regexp.MustCompile(`("file":"([^"]+)","sha256":"[0-9a-f]{64}","inode":)(\d+)`)
)

// adopt makes the intent of a copied store, which knows its files by inode, one of the copies.
func adopt(handoffs string) error {
	path := filepath.Join(handoffs, ".intent")
	text, err := os.ReadFile(path)
	intent := intentShape.FindSubmatch(text)
	if errors.Is(err, fs.ErrNotExist) || err == nil && intent == nil { // none, or one that was damaged on purpose
		return nil
	}
	inner := bodyShape.ReplaceAllFunc(intent[1], func(body []byte) []byte {
		m := bodyShape.FindSubmatch(body)
		info, statErr := os.Lstat(filepath.Join(handoffs, string(m[2])))
		if statErr != nil { // it had no name yet
			return body
		}
		return fmt.Append(m[1], info.Sys().(*syscall.Stat_t).Ino)
	})
	return errors.Join(err, os.WriteFile(path, fmt.Appendf(nil, `{"version":1,"intent":%s,"sha256":"%s"}`+"\n", inner, hash(inner)), 0o600))
}
