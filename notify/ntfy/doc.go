// Package ntfy sends messages over an ntfy server, and takes the answers of
// their buttons back over a topic of its own.
//
// A message is one JSON document, posted to the server. Each button is an
// action that the phone performs by itself: it posts the button's token to the
// reply topic. The action carries nothing else, above all no password and no
// token of the account: it passes through the server, through whatever pushes
// to the phone, and lies on the phone. So anybody must be allowed to write to
// the reply topic, which nobody can guess, and whose tokens work once. On a
// server that asks for signing in:
//
//	ntfy access everyone 'REPLY-TOPIC' write-only
//
// What broke off is looked for among the messages that the server keeps. That
// takes an account that may read the topic, and a server that keeps messages;
// elsewhere nobody can tell.
//
// It stores nothing. The outbox of package notify calls Send, Arrived and
// Listen.
package ntfy
