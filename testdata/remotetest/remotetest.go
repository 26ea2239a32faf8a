// Package remotetest has the tests that each implementation of a remote must pass. Only tests import it.
package remotetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
)

// Run tests a remote. Each call of open returns a new client of it, which remembers nothing of the others. The remote
// is empty at first.
func Run(t *testing.T, open func(t *testing.T) remote.Remote) {
	for _, one := range []struct {
		name string
		test func(*place)
	}{
		{"empty", empty}, {"order", order}, {"moved", moved}, {"racers", racers}, {"rewritten", rewritten},
		{"many logs", many}, {"big batches", big}, {"any bytes", anyBytes}, {"a lost answer", lost}, {"killed", killed},
	} {
		t.Run(one.name, func(t *testing.T) {
			one.test(&place{t, func() remote.Remote {
				r := open(t)
				t.Cleanup(func() {
					if err := r.Close(); err != nil {
						t.Error(err)
					}
				})
				return r
			}})
		})
	}
}

// A place is the remote in a test.
type place struct {
	*testing.T
	open func() remote.Remote
}

func (p *place) append(r remote.Remote, all ...remote.Addition) map[string]remote.Position {
	p.Helper()
	ends, err := r.Append(p.Context(), all)
	if err != nil || len(ends) != len(all) {
		p.Fatalf("appended %d of %d: %v", len(ends), len(all), err)
	}
	return ends
}

func (p *place) refused(r remote.Remote, log string, after remote.Position, text string) {
	p.Helper()
	_, err := r.Append(p.Context(), []remote.Addition{{Log: log, After: after, Text: []byte(text)}})
	if !errors.Is(err, remote.ErrMoved) {
		p.Errorf("%s behind %q: %v, want ErrMoved", log, after, err)
	}
}

// read returns what a remote has behind positions, as lines of a log and a text.
func (p *place) read(r remote.Remote, after positions) (lines []string, ends positions, err error) {
	ends = maps.Clone(after)
	err = r.Read(p.Context(), after, func(log string, b remote.Batch) error {
		lines, ends[log] = append(lines, log+" "+string(b.Text)), b.At
		return nil
	})
	return lines, ends, err
}

func (p *place) expect(r remote.Remote, after positions, want ...string) positions {
	p.Helper()
	lines, ends, err := p.read(r, after)
	if err != nil || !slices.Equal(lines, want) {
		p.Fatalf("read %.300q, %v\nwant %.300q", lines, err, want)
	}
	return ends
}

func (p *place) versions(r remote.Remote) map[string]string {
	p.Helper()
	all, err := r.Versions(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return all
}

// one returns an addition of a text.
func one(log string, after remote.Position, text string) remote.Addition {
	return remote.Addition{Log: log, After: after, Text: []byte(text)}
}

type positions = map[string]remote.Position

func empty(p *place) {
	r := p.open()
	if all := p.versions(r); len(all) != 0 {
		p.Errorf("%v", all)
	}
	p.expect(r, nil)
	p.expect(r, positions{"t-00": "", "w-0123456789abcdef": ""})
}

func order(p *place) {
	a, b := p.open(), p.open()
	const t, w = "t-01", "w-0000000000000001"
	first := p.append(a, one(w, "", "1\n"), one(t, "", "2\n"))
	before := p.versions(b)
	second := p.append(b, one(w, first[w], "3\n"))
	after := p.versions(a)
	if before[t] == "" || before[t] != after[t] || before[w] == after[w] || !maps.Equal(after, p.versions(b)) {
		p.Errorf("versions %v, then %v", before, after)
	}
	third := p.append(a, one(w, second[w], "4\n"))
	ends := p.expect(p.open(), positions{w: "", t: ""}, t+" 2\n", w+" 1\n", w+" 3\n", w+" 4\n")
	if ends[w] != third[w] || ends[t] != first[t] {
		p.Errorf("ends %v, appended %v and %v", ends, third, first)
	}
	p.expect(b, positions{w: first[w], t: first[t]}, w+" 3\n", w+" 4\n")
	p.expect(b, ends)
	enough, n := errors.New("enough"), 0
	err := a.Read(p.Context(), positions{w: "", t: ""}, func(string, remote.Batch) error {
		n++
		return enough
	})
	if !errors.Is(err, enough) || n != 1 {
		p.Errorf("%d batches, %v", n, err)
	}
}

func moved(p *place) {
	a, b := p.open(), p.open()
	const log, other = "t-02", "t-03"
	first := p.append(a, one(log, "", "1"), one(other, "", "1"))
	second := p.append(b, one(log, first[log], "2"))
	p.refused(a, log, first[log], "late")
	p.refused(a, log, "", "late")
	p.refused(a, log, first[other], "of another log")
	p.refused(a, "t-04", first[log], "of another log")
	_, err := a.Append(p.Context(), []remote.Addition{one(log, first[log], "x"), one("t-04", "", "x")})
	if !errors.Is(err, remote.ErrMoved) {
		p.Errorf("%v", err)
	}
	ends := p.expect(a, positions{log: first[log]}, log+" 2")
	p.append(a, one(log, ends[log], "3"))
	p.expect(b, second, log+" 3")
}

func racers(p *place) {
	const log = "t-05"
	all := []remote.Remote{p.open(), p.open(), p.open()}
	var end remote.Position
	var want []string
	for round := range 3 {
		results := make(chan error, len(all))
		for i, r := range all {
			go func() {
				_, err := r.Append(p.Context(), []remote.Addition{one(log, end, fmt.Sprint(round, " ", i))})
				results <- err
			}()
		}
		won := 0
		for range all {
			err := <-results
			if err == nil {
				won++
			} else if !errors.Is(err, remote.ErrMoved) {
				p.Errorf("round %d: %v", round, err)
			}
		}
		lines, ends, err := p.read(all[round%3], positions{log: ""})
		if won != 1 || len(lines) != round+1 || err != nil || !slices.Equal(lines[:round], want) {
			p.Fatalf("round %d: %d won, read %q, %v", round, won, lines, err)
		}
		want, end = lines, ends[log]
	}
}

func rewritten(p *place) {
	a := p.open()
	const log, other, absent = "t-06", "t-07", "t-08"
	ends := p.append(a, one(log, "", "1"), one(other, "", "2"))
	for _, r := range []remote.Remote{a, p.open()} {
		lines, _, err := p.read(r, positions{log: ends[other], absent: ends[other], other: ""})
		text := fmt.Sprint(err)
		if !slices.Equal(lines, []string{other + " 2"}) || !strings.Contains(text, log) ||
			!strings.Contains(text, absent) || strings.Contains(text, other) {
			p.Errorf("read %q, %v", lines, err)
		}
		one, is := errors.AsType[*remote.Rewritten](err)
		if !is || one.Log != log || !errors.Is(err, fault.ErrIntegrity) {
			p.Errorf("%v", err)
		}
	}
	p.expect(a, ends)
}

func many(p *place) {
	var all []remote.Addition
	var want []string
	after := positions{}
	for i := range 64 {
		a := one(fmt.Sprintf("t-%02x", 0x80+i), "", fmt.Sprint(i))
		all, want, after[a.Log] = append(all, a), append(want, a.Log+" "+string(a.Text)), ""
	}
	p.append(p.open(), all...)
	p.expect(p.open(), after, want...)
}

func big(p *place) {
	const log = "w-00000000000000b1"
	text := bytes.Repeat([]byte("{\"event\":0123456789abcdef}\r\n"), 1<<20)[:remote.MaxBatch]
	a := p.open()
	ends := p.append(a, remote.Addition{Log: log, Text: text})
	got := []byte(nil)
	err := p.open().Read(p.Context(), positions{log: ""}, func(_ string, b remote.Batch) error {
		got = append(got, b.Text...)
		return nil
	})
	if err != nil || !bytes.Equal(got, text) {
		p.Errorf("%d of %d bytes came back, %v", len(got), len(text), err)
	}
	tooLong := remote.Addition{Log: log, After: ends[log], Text: append(text[:remote.MaxBatch:remote.MaxBatch], 'x')}
	if _, err := a.Append(p.Context(), []remote.Addition{tooLong}); !errors.Is(err, fault.ErrInvalid) {
		p.Errorf("a batch that is too large: %v", err)
	}
	p.expect(a, ends)
}

func anyBytes(p *place) {
	const log = "w-00000000000000aa"
	var want []string
	var end remote.Position
	r := p.open()
	for _, text := range []string{"\x00\xff\r\n", "", "\n", "data 3\nabc", "done\n"} {
		end = p.append(r, one(log, end, text))[log]
		want = append(want, log+" "+text)
	}
	p.expect(p.open(), positions{log: ""}, want...)
}

func lost(p *place) {
	const log, other = "t-09", "t-0a"
	start := p.append(p.open(), one(log, "", "0"))
	all := []remote.Addition{one(log, start[log], "1"), one(other, "", "2")}
	ends := p.append(p.open(), all...)
	if again := p.append(p.open(), all...); !maps.Equal(again, ends) {
		p.Errorf("appended again: %v, want %v", again, ends)
	}
	p.expect(p.open(), positions{log: "", other: ""}, log+" 0", log+" 1", other+" 2")
}

func killed(p *place) {
	const log = "t-0b"
	var end remote.Position
	var want []string
	for i := range 5 {
		ctx, cancel := context.WithTimeout(p.Context(), time.Duration(rand.IntN(120))*time.Millisecond)
		text := fmt.Sprint("kill ", i)
		_, err := p.open().Append(ctx, []remote.Addition{one(log, end, text)})
		cancel()
		if errors.Is(err, remote.ErrMoved) {
			p.Errorf("%v", err)
		}
		end = p.append(p.open(), one(log, end, text))[log]
		want = append(want, log+" "+text)
	}
	p.expect(p.open(), positions{log: ""}, want...)
}
