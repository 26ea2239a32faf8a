package site_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/site"
)

// harbour is the work of nine people in a month, as people write it: who to whom, the state, minutes before the last
// event, and the title. A + before the title answers the line above it, a ~ takes its place.
const harbour = `
ann claude-1 done 4700 Split the berth planner out of the monolith
claude-1 ann read 4400 +Which tables go with the planner?
ann claude-1 done 4360 +Berths and slots move, ships stay
claude-1 codex-2 superseded 3200 +Port the slot queries to the planner’s own store
claude-1 codex-2 done 3100 ~Port the slot queries, with the time zone fix
codex-2 ben done 1320 +Slot queries are ported; please try the booking screen
codex-2 codex-2 read 1310 For my next session: the old index can go after the release
ben claude-1 taken 228 Booking screen works; the planner still reads ships directly
ben lea unread 12 Pilot roster: two ships share one pilot on Friday night
claude-1 codex-2 unread 48 Tide table import stops at the leap second
lea ann unread 120 岸壁クレーンの予約画面で夏時間の切り替え日に二重予約が起きる件の調査結果と残りの作業、および港湾局への連絡事項の一覧
ann claude-1 unread 180 Berth map stays blank on Safari when the tab was asleep
ann ben unread 300 جدول المد والجزر لشهر ديسمبر جاهز للمراجعة
codex-2 ben unread 1440 Customs export: the test files of October are out of date
lea next unread 8640 Where the night shift left the crane log
gemini-3 mia unread 51 Mooring sensors of quay 4 report metres, the rest reports feet
ann ben taken 60 Cache of the new runner
codex-2 lea taken 240 Deposit refund rounds to the wrong cent
ann codex-2 taken 540 Radar feed reconnects every 40 seconds
codex-2 claude-1 done 70 Delete 214 berth records that have no ship
claude-1 ben done 1440 Rotate the key of the customs gateway
lea codex-2 done 369 Night tariff starts at 22:00, not at 23:00
lea ann read 480 Office is closed on 8 December
ben ann done 1500 Weather warnings reach the tugs twice
ann ben done 1800 +Only the second sender is ours; the first is the weather office
ben lea read 2000 +Then let us drop ours on Monday
mia dov read 1470 Gate camera reads 0 as O on Maltese plates
cy gemini-3 done 1775 Count the containers on the photos of gate 2
dov ann done 1880 New cable plan for the tide gauge
ann mia withdrawn 3353 Wrong roster, please ignore
ann ben done 7200 Ship names with an apostrophe break the gate list
lea ben done 8700 Draw the new quay into the berth map
lea codex-2 done 2900 Invoices of October in one export
codex-2 lea done 2800 +The export is there; three invoices have no customer
lea ann done 2700 +Two are ours, the third is a test
mia claude-1 done 9100 The handbook says which buttons the old crane has, not the new one
dov codex-2 done 9600 Replace the certificates of the gauges before 1 December
cy mia done 10100 Photos of the damaged fender at quay 1
gemini-3 cy done 10800 Labels for 900 photos are ready to be checked
cy gemini-3 read 10700 +Twelve are wrong, all of them reefers
ben dov done 12000 Why the pump of dock 3 starts at night
dov ben read 11900 +A timer from 2019; it is off now
ann lea done 13200 Tariff table for 2027, first draft
lea ann superseded 13100 +Tariff table for 2027 with the discount of the ferry line
lea ann done 13000 ~Tariff table for 2027 with the discount of the ferry line and without the old footnotes
claude-1 claude-1 expired 14000 Retry the flaky test of the radio bridge on Tuesday
mia lea archived 15000 Menu of the canteen
mia lea archived 15100 Menu of the canteen, corrected
cy mia archived 15200 Parking on Friday
dov cy superseded 16000 Cable plan, version 1
dov cy superseded 16100 Cable plan, version 2
dov cy superseded 16200 Cable plan, version 3
ben ann done 17000 Handrail of the pontoon
ann claude-1 done 18000 Read the log of the night of the storm and say what failed first
claude-1 ann done 17900 +The radio bridge failed first, at 02:14
gemini-3 mia done 20000 Sensor 12 of quay 4 sleeps
mia dov done 24000 Spare parts for the gate
dov mia done 23000 +Ordered; they come on the 30th
lea cy done 30000 Photos for the yearly report
cy lea done 33000 https://harbour.example/planner/board?from=2026-10-28T00:00:00Z&quay=4&view=week&zoom=day is empty
`

const report = `# %s

I tried it for an hour with last week’s ships. Every booking lands in the planner’s own store, and the **double booking of quay 2 is gone**. One thing is left: the planner still opens the ` + "`ships`" + ` table of the monolith.

## Where it stands

| Check | Result | Bookings | Slowest |
|---|---|--:|--:|
| Book a free slot | works | 140 | 38 ms |
| Book a slot that is gone | refused, says why | 26 | 31 ms |
| Day of the clock change | works since ` + "`aa80135d`" + ` | 12 | 44 ms |
| Ship without a draught | **500**, see below | 3 | 2.1 s |

The three that failed are in ` + "`planner/berth.go`" + `; the query joins across the border that we drew on Monday:

` + "```go" + `
rows, err := db.QueryContext(ctx, ` + "`" + `
    SELECT s.slot_id, b.length_m, ships.draught_m
      FROM slots s
      JOIN berths b USING (berth_id)
      JOIN harbour.ships USING (ship_id)  -- not ours any more
     WHERE s.starts_at >= $1` + "`" + `, day)
` + "```" + `

## What to do next

- [x] Try the booking screen with real ships
- [x] Switch the staging gate to the planner
- [ ] Ask the ship service for the draught instead of joining, and take 9 m where it has none
- [ ] Run ` + "`go test ./planner/... -run Draught`" + `
- [ ] Tell lea when the old index may go

## Beware

> The ship service answers in local time. The [time zone fix](https://example.com/fix) does not cover it.
`

const arabic = `# %s

راجعت الجدول مع مكتب الأرصاد، وبقيت ثلاثة أيام فيها فرق أكثر من عشرة سنتيمترات.

## ما العمل الآن

- [x] استيراد القياسات من المحطة ` + "`QUAY-4`" + `
- [ ] مقارنة الأيام 3 و11 و24 يدويًا

The names of the stations stay in Latin letters; each paragraph finds its own direction.
`

// lastEvent is when the newest thing happened in the harbour.
var lastEvent = time.Date(2026, 11, 19, 16, 40, 0, 0, time.UTC)

// harbourSite is the site of the harbour.
func harbourSite() site.Site {
	pages := site.Site{Title: "harbour"}
	lines := strings.Split(strings.TrimSpace(harbour), "\n")
	did := map[string]string{"done": "done", "read": "read", "taken": "taken"}
	for i, line := range lines {
		field := strings.SplitN(line, " ", 5)
		ago, err := strconv.Atoi(field[3])
		if err != nil {
			panic(line)
		}
		when := func(minutes int) string {
			return lastEvent.Add(-time.Duration(max(minutes, 0)) * time.Minute).Format(time.RFC3339)
		}
		title := strings.TrimLeft(field[4], "+~")
		h := site.Handoff{ID: harbourID(i), From: field[0], To: field[1], State: field[2], Topic: fmt.Sprint("topic-", i), Title: title, Time: when(ago)}
		text := report
		if strings.HasPrefix(title, "جدول") {
			text = arabic
		}
		h.Body = fmt.Sprintf(text, title)
		switch field[4][0] {
		case '+':
			h.Re = []string{harbourID(i - 1)}
			h.References = []string{"re:" + h.Re[0], "git:0f2fd03a:main"}
		case '~':
			h.Supersedes = []string{harbourID(i - 1)}
			h.References = []string{"supersedes:" + h.Supersedes[0]}
		}
		if i%4 == 1 {
			h.Tags = []string{[]string{"planner", "tides", "gate", "tariff"}[i/4%4]}
		}
		if act := did[h.State]; act != "" {
			h.Events = append(h.Events, site.Event{Did: "read", Operator: h.To, Time: when(ago * 9 / 10)}, site.Event{Did: act, Operator: h.To, Time: when(ago * 8 / 10)})
		}
		if h.To == "next" {
			h.Expires = lastEvent.Add(26 * time.Hour).Format(time.RFC3339)
		}
		pages.Handoffs = append(pages.Handoffs, h)
	}
	pages.Handoffs[7].Re, pages.Handoffs[6].Re = []string{harbourID(5)}, []string{harbourID(4)}
	slices.SortStableFunc(pages.Handoffs, func(a, b site.Handoff) int { return strings.Compare(a.Time, b.Time) })
	return pages
}

// harbourID is the id of a line: its digits look like those of real ones.
func harbourID(i int) string { return fmt.Sprintf("sha256:%08x%056x", uint32(i+1)*2654435761, i) }

// harbourPage is the page of the first handoff whose title begins like this.
func harbourPage(pages site.Site, title string) string {
	i := slices.IndexFunc(pages.Handoffs, func(h site.Handoff) bool { return strings.HasPrefix(h.Title, title) })
	return "h/" + strings.TrimPrefix(pages.Handoffs[i].ID, "sha256:") + ".html"
}
