// Package chat keeps what the person, the agents and the mind say to each
// other: a log of conversations that can be read, searched and listened to.
//
// The person's words are the owner's, an agent's are that agent's. What the
// mind says itself is kept with the taint that it was written under, and is
// never evidence.
//
// It stores the tables chat_conversations, chat_messages, chat_counts and the
// index chat_words. The daemon opens it; the API, the deliberation and the
// sense of conversations call it.
package chat
