/*
 * Three clones and one handoff: who holds it, for how long, and who finished it.
 *
 * A handoff is taken in turns. A turn begins with a take and ends with a release or a done of its holder, or
 * with a revoke by someone else. A revoke names the take that it ends. It is part of a take-over if the lease
 * is over, or the sender gives the handoff back.
 *
 * Each clone has a ledger of lines. The remote has two claims for each turn: one for its take and one for its
 * end, whatever kind that is. A push creates all its claims or none, and none that exists. A clone that knows
 * a claim believes it more than any line. See README.md for the invariants and for the switches BREAK_….
 */

#define CLONES 3
#ifndef TURNS
#define TURNS 2
#endif
#ifndef TIME
#define TIME 2
#endif
#ifndef FAULTS
#define FAULTS 3 /* how often a clone acts offline, is killed, or renews */
#endif
#define LEASE 1
#define GRACE 1
#define SKEW(i) ((i) == 1 -> GRACE : 0) /* of the clock of a clone */
#define CLOCK(i) (now + SKEW(i))
#define SENDER 2                        /* the clone of the sender of the handoff */

#define RELEASE 1
#define DONE 2
#define REVOKE 3

#ifdef BREAK_GRACE
#define WAIT 0
#else
#define WAIT GRACE
#endif

/* A turn in a ledger, or at the remote. Clones are counted from 1; 0 is none. */
typedef Turn {
	unsigned take  : 2; /* who took it */
	unsigned end   : 2; /* how it ended: the kind of line, */
	unsigned by    : 2; /* whose line, */
	unsigned ends  : 2; /* and whose take it ends */
	unsigned until : 3; /* the end of the lease, as far as it is known here */
	bit takeClaimed;    /* the claim is known here */
	bit endClaimed
};
typedef Ledger { Turn t[TURNS] };

Ledger book[CLONES];
Turn hub[TURNS];
unsigned now : 3;
bit calm;
unsigned faults : 3 = FAULTS;

/* The invariants. Each is set where it can be lost, and asserted there. */
bit oneHolder = 1, oneEnd = 1, fenced = 1, ordered = 1, grows = 1, inTime = 1, agreed = 1, kept = 1;

/* What was acknowledged. Only the invariants read it. */
unsigned top : 2;               /* the number of turns that began */
byte began[CLONES];    /* the last turn that a clone was told it has, from 1 */
unsigned doneTurn : 2;          /* the done that was acknowledged online, from 1 */
unsigned doneBy : 2;

/* Scratch, zero between steps. */
byte n, j, c, rounds, turn, holder, lost;
byte takeAt, endAt, endKind, endOf; /* the lines that an action wants; turns count from 1 */
bit isDone, isFenced, isSent;

#define T book[i].t[n]
#define H hub[n]
#ifdef BREAK_NAMELESS /* a revoke ends whatever take the turn has */
#define COUNTS (T.end == REVOKE && T.by != T.take || T.end != 0 && T.ends == T.take)
#else
#define COUNTS (T.end != 0 && T.ends == T.take)
#endif
#define isLast (turn + 1 >= TURNS)
#define isOthers (holder != 0 && holder != _pid + 1 && !isDone)

/* look finds the present turn of a ledger, its holder, and whether a revoke fences this clone off. */
inline look(i) {
	n = 0; holder = 0; isDone = 0; isFenced = 0;
	do
	:: n < TURNS && T.take != 0 && COUNTS && T.end != DONE ->
		if
		:: T.take == i + 1 -> isFenced = (T.end == REVOKE)
		:: else
		fi;
		n++
	:: else -> break
	od;
	turn = n;
	if
	:: n < TURNS && T.take != 0 && COUNTS -> isDone = 1; holder = T.take
	:: n < TURNS && T.take != 0 && !COUNTS -> holder = T.take
	:: else
	fi;
	n = 0
#ifdef BREAK_FENCE
	; isFenced = 0
#endif
}

#ifdef BREAK_NAMES /* each kind of end has a claim of its own */
#define isEnded(kind, who) (H.end == kind && H.by != who)
#else
#define isEnded(kind, who) (H.end != 0 && !(H.end == kind && H.by == who))
#endif
#define isTakenBy(who) (H.take != 0 && H.take != who)

/* The remote grants the take of turn n, and the end of it. */
inline grantTake(who, lease) {
	oneHolder = (H.take == 0 || H.take == who); assert(oneHolder);
	grows = (H.take == who || n >= top); assert(grows);
	ordered = (n == 0 || (hub[n-1].end != 0 && hub[n-1].end != DONE)); assert(ordered);
	H.take = who; H.until = lease;
	top = (top > n -> top : n + 1)
}

inline grantEnd(kind, who, whose) {
	oneEnd = (H.end == 0 || (H.end == kind && H.by == who)); assert(oneEnd);
	ordered = (H.take == whose && (n + 1 >= TURNS || H.end != 0 || hub[n+1].take == 0)); assert(ordered);
	fenced = !(kind == DONE && began[who-1] != 0 && began[who-1] != n + 1 &&
		hub[began[who-1]-1].take == who && hub[began[who-1]-1].end == REVOKE); assert(fenced);
	H.end = kind; H.by = who; H.ends = whose
#ifdef BREAK_REUSE /* a release removes the claim of the take */
	; if
	:: kind == RELEASE -> H.take = 0; H.end = 0; H.by = 0; H.ends = 0
	:: else
	fi
#endif
}

/* forget lets all ends of the story be one state. */
inline forget() {
	do
	:: n < TURNS ->
		H.take = 0; H.until = 0; H.end = 0; H.by = 0; H.ends = 0;
		do
		:: c < CLONES ->
			book[c].t[n].take = 0; book[c].t[n].until = 0; book[c].t[n].end = 0; book[c].t[n].by = 0;
			book[c].t[n].ends = 0; book[c].t[n].takeClaimed = 0; book[c].t[n].endClaimed = 0;
			began[c] = 0; c++
		:: else -> break
		od;
		c = 0; n++
	:: else -> break
	od;
	n = 0; now = 0; faults = 0; top = 0; doneTurn = 0; doneBy = 0
}

/* learn believes the claims of the remote. */
inline learn(i) {
	n = 0;
	do
	:: n < TURNS ->
		if
#ifdef BREAK_FORGET /* a clone takes its own claims for known */
		:: H.take == i + 1
#endif
#ifdef BREAK_NOTES /* an existing line stays */
		:: H.take != 0 && T.take != 0 && T.take != H.take -> T.takeClaimed = 1
#endif
		:: H.take == 0
		:: else ->
			if
			:: T.take != H.take || T.until < H.until -> T.until = H.until
			:: else
			fi;
			T.take = H.take; T.takeClaimed = 1
		fi;
		if
#ifdef BREAK_FORGET
		:: H.end != 0 && H.by == i + 1
#endif
#ifdef BREAK_NOTES
		:: H.end != 0 && T.end != 0 && (T.end != H.end || T.by != H.by) -> T.endClaimed = 1
#endif
#ifdef BREAK_JURY /* a clone that knows of a renewal does not believe a take-over */
		:: H.end == REVOKE && H.by - 1 != SENDER && T.until > H.until && !T.endClaimed
#endif
		:: H.end == 0
		:: else -> T.end = H.end; T.by = H.by; T.ends = H.ends; T.endClaimed = 1
		fi;
		n++
	:: else -> break
	od;
	n = 0
}

#define S book[j].t[n]

/* hear adds the lines that clone j wrote. The first take counts; a release counts more than a done or a revoke. */
inline hear(i) {
	printf("clone %d hears clone %d\n", i + 1, j + 1);
	learn(i);
	do
	:: n < TURNS ->
		if
		:: S.take == j + 1 && T.take == 0 -> T.take = S.take; T.until = S.until
		:: S.take == j + 1 && T.take == S.take && T.until < S.until -> T.until = S.until
		:: else
		fi;
		if
		:: S.by == j + 1 && !T.endClaimed && (T.end == 0 || S.end < T.end) -> T.end = S.end; T.by = S.by; T.ends = S.ends
		:: else
		fi;
		n++
	:: else -> break
	od;
	n = 0; j = 0
}

/* send claims the first line that counts and is not claimed. */
inline send(i) {
	printf("clone %d sends\n", i + 1);
	look(i); isSent = 0;
	do
	:: n < TURNS && n <= turn && !isSent ->
		if
		:: T.take != 0 && !T.takeClaimed ->
			isSent = 1;
			if
			:: isTakenBy(T.take)
			:: else -> grantTake(T.take, T.until); T.takeClaimed = 1
			fi
		:: else ->
			if
			:: T.take != 0 && COUNTS && !T.endClaimed ->
				isSent = 1;
				if
				:: isEnded(T.end, T.by)
				:: else -> grantEnd(T.end, T.by, T.ends); T.endClaimed = 1
				fi
			:: else
			fi
		fi;
		n++
	:: else -> break
	od;
	n = 0; isSent = 0
}

/* ask reports whether the remote refuses the wanted claims, or the lines before them that are not claimed yet. */
inline ask(i) {
	do
	:: n < TURNS ->
		if
		:: n <= turn && T.take != 0 && !T.takeClaimed && isTakenBy(T.take) -> lost = 1
		:: n < turn && !T.endClaimed && isEnded(T.end, T.by) -> lost = 1
		:: n + 1 == takeAt && isTakenBy(i + 1) -> lost = 1
		:: n + 1 == endAt && isEnded(endKind, i + 1) -> lost = 1
		:: else
		fi;
		n++
	:: else -> break
	od;
	n = 0
}

/* push creates these claims. */
inline push(i) {
	do
	:: n < TURNS ->
		if
		:: n <= turn && T.take != 0 && !T.takeClaimed -> grantTake(T.take, T.until); T.takeClaimed = 1
		:: else
		fi;
		if
		:: n < turn && !T.endClaimed -> grantEnd(T.end, T.by, T.ends); T.endClaimed = 1
		:: else
		fi;
		if
		:: n + 1 == takeAt -> grantTake(i + 1, CLOCK(i) + LEASE)
		:: else
		fi;
		if
		:: n + 1 == endAt -> grantEnd(endKind, i + 1, endOf)
		:: else
		fi;
		n++
	:: else -> break
	od;
	n = 0
}

/* record adds the wanted lines to the ledger. The command then tells that it succeeded. */
inline record(i, claimed) {
	if
	:: endAt != 0 ->
		n = endAt - 1; T.end = endKind; T.by = i + 1; T.ends = endOf; T.endClaimed = claimed
	:: else
	fi;
	if
	:: takeAt != 0 ->
		n = takeAt - 1; T.take = i + 1; T.until = CLOCK(i) + LEASE; T.takeClaimed = claimed; began[i] = takeAt;
		oneHolder = (!claimed || H.take == i + 1); assert(oneHolder)
	:: else
	fi;
#ifdef BREAK_REUSE
	if
	:: endAt != 0 && endKind == RELEASE && claimed -> n = endAt - 1; T.take = 0; T.end = 0; T.by = 0; T.ends = 0; T.takeClaimed = 0; T.endClaimed = 0
	:: else
	fi;
#endif
	n = 0
}

/* clear ends a step. */
inline clear() {
	turn = 0; holder = 0; lost = 0; takeAt = 0; endAt = 0; endKind = 0; endOf = 0; isDone = 0; isFenced = 0
}

/* tell shows a step when a story is replayed. Turns are counted from 0, clones from 1; kinds are as above. */
inline tell() { printf(": take %d, end %d (kind %d of %d)\n", takeAt - 1, endAt - 1, endKind, endOf) }

inline online(i) {
	ask(i);
	if
	:: lost -> printf("clone %d learns that it lost", i + 1); tell()
	:: else -> printf("clone %d acts", i + 1); tell()
	fi;
	if
	:: lost -> learn(i)
	:: else ->
		push(i); record(i, 1);
		if
		:: endKind == DONE -> doneTurn = endAt; doneBy = i + 1
		:: else
		fi
	fi;
	clear()
}

/* killed ends after the push. */
inline killed(i) {
	printf("clone %d acts and is killed", i + 1); tell();
	ask(i);
	if
	:: lost
	:: else ->
		push(i);
		if
		:: takeAt != 0 -> began[i] = takeAt
		:: else
		fi
	fi;
	faults--; clear()
}

inline offline(i) { printf("clone %d acts offline", i + 1); tell(); record(i, 0); faults--; clear() }

/* unasked tells success as online does, but has not asked the remote. */
inline unasked(i) {
	printf("clone %d acts unasked", i + 1); tell();
	record(i, 0);
	if
	:: endKind == DONE -> doneTurn = endAt; doneBy = i + 1
	:: takeAt != 0 ->
		n = takeAt - 1; oneHolder = (H.take == 0 || H.take == i + 1); assert(oneHolder); n = 0
	:: else
	fi;
	clear()
}

inline takeOver() {
#ifndef BREAK_REVOKE /* a take-over only takes the next turn */
	endAt = turn + 1; endKind = REVOKE; endOf = holder;
#endif
	takeAt = turn + 2
}

active [CLONES] proctype Clone() {
end:	do
	:: atomic { !calm -> look(_pid);
		if
		:: holder == 0 && turn < TURNS -> takeAt = turn + 1
		:: holder == 0 && turn < TURNS && !isFenced ->
			takeAt = turn + 1; endAt = turn + 1; endKind = DONE; endOf = _pid + 1
		:: holder == _pid + 1 && !isDone -> endAt = turn + 1; endKind = DONE; endOf = _pid + 1
		:: holder == _pid + 1 && !isDone -> endAt = turn + 1; endKind = RELEASE; endOf = _pid + 1
		:: isOthers && _pid == SENDER -> endAt = turn + 1; endKind = REVOKE; endOf = holder
		:: isOthers && !isLast && CLOCK(_pid) >= book[_pid].t[turn].until + WAIT ->
			inTime = (CLOCK(holder-1) >= book[_pid].t[turn].until); assert(inTime);
			takeOver()
		:: else
		fi;
		if
		:: takeAt + endAt == 0 -> clear()
		:: takeAt + endAt != 0 -> d_step { online(_pid) }
		:: takeAt + endAt != 0 && faults -> d_step { killed(_pid) }
		:: takeAt + endAt != 0 && faults -> d_step { offline(_pid) }
#ifdef BREAK_ASK /* done does not ask the remote */
		:: endKind == DONE && takeAt == 0 -> d_step { unasked(_pid) }
#endif
#ifdef BREAK_CLAIM /* a take-over does not ask the remote */
		:: endKind == REVOKE && takeAt != 0 -> d_step { unasked(_pid) }
#endif
		fi }
	:: atomic { !calm -> look(_pid);
		if
		:: holder == _pid + 1 && !isDone && book[_pid].t[turn].until < CLOCK(_pid) + LEASE && faults ->
			book[_pid].t[turn].until = CLOCK(_pid) + LEASE; faults--; printf("clone %d renews\n", _pid + 1)
		:: else
		fi;
		clear() }
	:: d_step { !calm -> j = (_pid + 1) % CLONES; hear(_pid) }
	:: d_step { !calm -> j = (_pid + 2) % CLONES; hear(_pid) }
	:: d_step { !calm -> send(_pid); clear() }
	od
}

active proctype Time() {
end:	do
	:: !calm && now < TIME -> now++
	od
}

/*
 * Calm ends the story: everyone syncs until nothing is new. Then what counts in each ledger is what the remote has.
 * Lines of a clone that lost can remain, but do not count.
 */
active proctype Calm() {
	d_step {
		do
		:: rounds < 2 * TURNS + 1 ->
			do
			:: c < CLONES ->
				j = (c + 1) % CLONES; hear(c); j = (c + 2) % CLONES; hear(c);
				send(c); clear(); send(c); clear();
				c++
			:: else -> break
			od;
			c = 0; rounds++
		:: else -> break
		od;
		rounds = 0;
		do
		:: c < CLONES ->
			look(c);
			do
			:: n < TURNS ->
				agreed = ((n > turn -> 0 : book[c].t[n].take) == H.take &&
					(n >= turn && !isDone || n > turn || book[c].t[n].end == H.end && book[c].t[n].by == H.by));
				assert(agreed);
				n++
			:: else -> break
			od;
			n = 0;
			kept = (doneTurn == 0 || isDone && turn + 1 == doneTurn && holder == doneBy); assert(kept);
			clear(); c++
		:: else -> break
		od;
		c = 0;
		forget(); calm = 1
	}
}
