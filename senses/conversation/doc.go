// Package conversation is the sense that follows what the person and the agents
// who work for them say to each other: in the mind's own log of conversations,
// and in a folder of transcripts that agents write (JSON lines and markdown).
//
// Only what the person says is taken for a fact. What an agent says to the
// person is reported with the agent's trust, and what the daemon said itself
// never is. In the log the person's words are the owner's. A transcript is a
// file that any program may write: its words have the trust of an agent, and
// the person's in it are the owner's only where the configuration says so.
//
// Kind "promise" stands: what the person undertook, in English, German, French
// or Spanish ("I'll send the plan by Friday", "TODO: …"). Its identity is the
// conversation and a hash of its own words. It stands until 7 days after its
// date, or for 30 days without one; until the person says in the same
// conversation that it is done, naming it ("Sent the plan."); or until its
// transcript is deleted. Severity is 1 with a date and 0 without. A relative
// date is resolved once, against the time at which it was said. Attributes:
// form (promise, todo, reminder, deadline or duty), date_text and state (open).
//
// Kind "question" stands: an agent asks the person something. Its identity is
// the conversation and the message. It stands until the person writes in that
// conversation again, for 14 days at most, and 8 of a conversation at once. Its
// attribute words is what they weigh (see prose.Weigh).
//
// Kind "message" is momentary: what the person said, and what an agent said to
// the person at the end of its turn. What is reported as a promise or a question
// is not reported as a message as well.
//
// All have the attributes conversation, author (person or agent) and, where it
// is known, name; and the link "conversation:ID".
//
// On the first collect nothing is told but promises with a date to come that were
// made in the last 14 days; nor is what is older in a transcript that is found
// later. Of the log the last hour before the very first collect is new.
//
// A transcript that is renamed, rotated, cut, or copied is known again by its
// beginning and by its messages, which count once: by an identity or a time of
// their own where the file gives one, else by their words. A copy that was
// changed before anybody looked, of messages without either, is told as new.
//
// Quotes, code and comments in a message are not read, nor is a message or a
// transcript with the daemon's mark. Rows are kept of each conversation that has
// something open, and of each transcript how far it was read and hashes of its
// last messages; see senses.Row. Files are read through os.Root and symlinks
// are not followed. The daemon makes one sense of the log, and one of each
// configured folder.
package conversation
