// Package dovecot starts a real Dovecot for a test, apart from all else on the
// machine: its files are in a folder of its own and its ports on loopback, and
// it ends with the test. A Box of it changes a mailbox as one of mailtest does,
// so that one test runs on both.
//
// It runs Dovecot 2.3 as Debian and Ubuntu install it by
//
//	apt-get install -y --no-install-recommends dovecot-imapd dovecot-lmtpd
//
// Where that is missing a test is skipped, and fails if CI is set.
//
// It stores nothing but in that folder. Tests of the sense "mail" call it.
package dovecot
