// Package mailtest is a mailbox that is served in this process over real IMAP:
// folders, messages, flags and changes are set by calls, and a client reads
// them over a connection, as it would those of a provider. It fails on demand
// as servers do, and keeps what clients asked of it, so that a test can show
// that none tried to change anything.
//
// It speaks IMAP4rev1 with CONDSTORE, IDLE, SPECIAL-USE, ESEARCH, MOVE and
// UIDPLUS, each of which can be left out. Of CONDSTORE it knows what a reader
// needs (HIGHESTMODSEQ, FETCH with CHANGEDSINCE and MODSEQ), and neither SEARCH
// MODSEQ nor STORE UNCHANGEDSINCE.
//
// It keeps everything in memory. The demo and the days serve their mail with
// it; tests of the sense "mail" and of what signs in to accounts start it. Its
// subpackage dovecot starts a real server behind the same interface.
package mailtest
