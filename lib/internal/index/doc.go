// Package index makes INDEX.md, the table of handoffs that people read, from the facts. No command reads its rows.
//
//	# Handoff Index
//	<!-- made from the log; rows typed here have no effect; OFFSET:HASH -->
//
//	| handoff_id | file | from | to | topic | ts_utc | read_by |
//	|------------|------|------|----|----|--------|---------|
//	| sha256:… | 2026-05-07-ann-ben-retry.md | ann | ben | retry | 2026-05-07T12:00:00Z | ben:2026-05-08T09:00:00Z |
//
// OFFSET:HASH is the point of the log that the file was made for. The rows are in the order of the log. read_by has an
// operator:timestamp for each reader, separated by commas. In a cell a pipe is written as \|, and a character that
// could deceive as its escape.
//
// # Archives
//
// A table of more than a maximum of rows gives its oldest half to INDEX-0001.md, later to INDEX-0002.md and so on. An
// archive has half the maximum of rows and no point. Which file has a row depends only on the number of handoffs.
//
// # Text of people
//
// All lines but those of the table, the comment and the heading belong to people: they stay byte for byte. The table
// begins with its column names and ends before the first line that does not begin with a pipe. Complete rows below and
// above it belong to it too: a merge of two branches leaves them between its markers.
package index
