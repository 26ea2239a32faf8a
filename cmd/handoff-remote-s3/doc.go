// Command handoff-remote-s3 is the helper program of handoff for object stores that speak the protocol of S3. handoff
// runs it for a remote whose URL in the user's settings begins with s3:
//
//	remotes: {farm: {url: "s3://bucket/prefix", endpoint: "https://…", region: eu-north-1, profile: farm}}
//
// The credentials are those that the AWS SDK finds: environment, profiles, SSO, roles, credential_process, web
// identity, containers. They need s3:GetObject, s3:PutObject and s3:ListBucket.
//
// # The protocol of helper programs
//
// For a URL with the scheme NAME, handoff runs handoff-remote-NAME, without arguments. It looks next to itself, then in
// PATH. The program reads requests from its standard input and answers each one before it reads the next, until the
// input ends. A request is a line of JSON:
//
//	{"verb":"versions","remote":{"url":"s3://bucket","endpoint":"","region":"","profile":""}}
//	{"verb":"read","remote":{…},"items":[{"log":"t-07","at":"4:9f86…"}, …]}
//	{"verb":"append","remote":{…},"items":[{"log":"t-07","at":"4:9f86…","text":"<base64>"}, …]}
//	{"verb":"announce","remote":{…},"items":[{"log":"t-07"}, …]}
//
// remote is the same in all requests, and has what the user's settings say. An answer is a line of JSON for each item,
// and a last one, {"end":true}. The items are:
//
//	{"log":"t-07","version":"…"}   of versions: a word for each log that changes when the log does
//	{"log":"t-07","at":"5:60303ae2…","text":"<base64>"}  of read: a batch behind the position, and where it ends
//	{"log":"t-07","at":"6:fd61a03a…"}                 of append: where a log ends now
//	{"problem":"…","class":"…","hint":"…","log":"…"}  of all: what failed, and a command that ends it
//
// read gives the batches of one log after another, in the order of the request, oldest first. at is left out for the
// beginning of a log, and text for a batch that is too large (16 MiB) or damaged. append adds a batch behind a
// position, and makes the version change. announce only does the latter.
//
// class is moved (a log does not end where append was told), rewritten (log does not continue its position; the other
// logs are read), config (settings, credentials, rights), or left out for all else. An answer can have several
// problems.
//
// # The objects
//
//	log/<name>/<10 digits>   a batch, numbered from 1: the SHA-256 of the object before, a line feed, the batch
//	heads/<name>             random text, replaced when the log has grown
//	test                     created twice before a program begins a log: the store must refuse the second
//
// A position is NUMBER:SHA256 of an object, of which at most the first 16 MiB and 100 bytes count. An object is never
// changed: If-None-Match: * lets one of several clones create it. A log ends where the next object is missing. An
// object that does not name the one before is damaged, and the log goes on behind it.
//
// A head only says that it is worth looking. A clone that was killed between an object and its head announces the log.
package main
