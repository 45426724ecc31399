// Package prose reads what people write in English, German, French and
// Spanish: sentences, and in them what their writer promises and is to do.
//
// It stores nothing. Senses call it: senses/notes on notes, senses/mail on
// messages. The text is hostile: every reading is one pass over it, the grammar
// looks at a bounded number of words of each sentence, and the number of results
// is capped.
package prose
