// Package mail is the sense "mail": what arrives in the folders of a mail
// account, what of it is still open, and what the person promised or asked in
// what they sent.
//
// It reads and changes nothing: folders are opened with EXAMINE and bodies read
// with BODY.PEEK, so that no message is ever marked as read.
//
// # Kinds
//
//   - "mail", stands: any other message. Until it is read, answered, deleted or moved
//     out of the folders, until the last time that it names is over, and at most 3
//     days; at most 300, and the oldest of strangers give way. Momentary where it was
//     read already, is junk or forged, or claims to be the person's.
//   - "request", stands: a message to the person that asks something of them, or
//     has them do something by a date, from somebody who writes to them and not to
//     a list, as a bulk sender or as a machine. A copy counts where it begins with
//     their name, and a stranger to them alone or by name, where nothing speaks for one
//     who writes to everybody.
//     Until it is answered, deleted or moved out of the folders, and at most 14
//     days, or to 3 days after its date.
//   - "deadline", stands: a message from a machine or an office to the person that
//     names a day until when something has to be done or paid, with Due. Until it
//     is deleted or moved away, and to 3 days after Due.
//   - "promise", stands: what the person promised in a message that they sent, with
//     Due where they named a day. Until they write in that thread again, 7 days
//     past Due, or 14 days.
//   - "awaiting", stands: a question of the person's in what they sent that nobody
//     in the thread has answered; what a machine answers is none. Until then, and
//     at most 30 days. It appears when it is sent; how long nobody has answered is
//     reckoned from At.
//
// What the person writes to themselves alone is a promise where it reads as
// something to be done, else plain. On the first collect only what stands is told.
// A message that is older than the look-back when it turns up, since it was moved
// there, is not told, and neither is a draft.
//
// # Identity
//
// The ID is "mid:" and the Message-ID without its brackets, in lower case behind
// the last "@"; of a message without one it is "mid:" and a hash of its header, and
// of one that looks like a secret a hash of the Message-ID. A
// "promise" has "#promise" and an "awaiting" "#awaiting" behind it. The same
// message in two folders or two accounts is one thing. A second message that
// claims the Message-ID of one that is known, with another sender or date, has "#"
// and a hash of these behind it, so that nobody can hide a message by its name.
//
// # Attributes
//
// from (the address, lower case), domain (the part of it that somebody had to
// register: "acme.co.uk"), from_name, thread (the identity of the first
// message of its thread, "mid:…", by References, In-Reply-To), addressed ("to" or "cc"
// where one of the person's addresses is named there, else ""), list (the List-Id,
// or "true"), bulk ("true": sent to many), automated ("true": a machine wrote it),
// junk ("true": the server or a filter calls it so), asks ("true": it is a request), urgent ("true": its words or header say so), known (how many
// messages the person sent to that address in the last year, where any), forged ("true": the
// server that is believed found that it does not come from its sender's address; then it is
// plain mail, and nobody's whom the person knows; see vouch.go), awaited
// ("true": it answers a message in which the person asked something), seen
// ("true": it was read), attachments (how many), date_text (the words that Due was
// read from), to (the first three recipients of what the person sent), folder,
// received (when the server took it in, RFC 3339).
//
// The form of a message, of which it is scored: passed ("true": the server that is
// believed vouches for its sender's address; without it and forged that is unknown), ours ("true": it answers a message of the person's), ago (days since
// the person wrote there), acquainted ("own": of the person's domain; "written": they
// wrote to somebody there), role ("true": an office), names ("true": it calls the person by
// name), others ("true": another to whom it went), recipients, bytes, urls and doubts (how many; those of stranger.go),
// hours and days (until the first time of day that it names within two days, and until the
// first day within a week), says (what sentences are in it: "asks", "advertises",
// "codes", "commands") and words (by how much its words speak for it, as prose.Weigh says); quote (the
// sentences that say most of what matters) and names_at (the time of
// day within two days that these name, a deadline before others, RFC 3339); retracts
// ("true": it takes back an earlier one), taken_back and corrected (the words that did so to
// this one), corrects (what the one said whose time it changes, and whose thread it takes).
//
// At is when the server took the message in. The fingerprint of what stands is its
// kind, "unread" or "read", and its date, so that having been read is a change; it
// makes the severity less: 1 where unread, 2 where it is urgent and from somebody
// known, 0 where it was read. A promise has 1 with a date and 0 without, a question
// 0; plain mail 1 where it was awaited, or is urgent and from somebody known, else 0.
//
// # Links
//
// As those of internal/links ("url:…", "invoice:…", "order:…", "ticket:…",
// "disk:…", "unit:…"), of subject and text without their secrets, and "uid:…" of an
// invitation.
//
// # What it stores
//
// No tables. Its rows in the ledger are documented in rows.go. The collector of
// package senses calls it once a tick, the tool read_mail calls Read, and setup's
// doctor and init call Try.
package mail
