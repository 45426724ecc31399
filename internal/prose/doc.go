// Package prose reads what people and offices write in six languages (English,
// German, French, Spanish, Italian, Portuguese): sentences, and in them what their
// writer promises and is to do (Promise, Oblige), what they ask of their reader (Asks),
// and what an office or a machine sets its reader (Limits); and by how
// much the words of a mail speak for it (Weigh).
//
// It knows words, phrases and endings, which are lists in lang that need no Go, and the
// weights of words, which are learnt from labelled letters. A doubt is decided against a
// reading, since one that is none annoys more than one that is missed.
//
// It stores nothing. senses/notes calls it on notes, senses/mail on messages. The
// text is hostile: of a text MaxText bytes, of a sentence MaxSentence and maxWords
// words are looked at, each phrase looks a bounded number of words ahead, and the
// number of results is capped. What it returns are words of the text as they stand
// there: secrets are to be taken out by who stores them.
package prose
