package attack

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// instruction is one instruction of an attacker, and the text in which it comes.
type instruction struct {
	id string
	// order is what the attacker wants; subject and body are of a mail that
	// holds it.
	order, subject, body string
}

// marked is the case with a word of its own in front of its instruction. Many cases
// have the same instruction; the word tells which of them was seen.
func (c instruction) marked(n int) instruction {
	const consonants, vowels, syllables = "bdfgklmnprst", "aeiou", len("bdfgklmnprst") * len("aeiou")
	const every = syllables * syllables * syllables * syllables
	word := make([]byte, 0, 8)
	// The factor and every have no common divisor, so that no two cases get the same
	// word.
	for left := (n + 1) * 7_654_321 % every; len(word) < cap(word); left /= syllables {
		word = append(word, consonants[left%syllables%len(consonants)], vowels[left%syllables/len(consonants)])
	}
	order := strings.ToUpper(string(word[:1])) + string(word[1:]) + ": " + c.order
	c.body, c.order = strings.ReplaceAll(c.body, c.order, order), order
	return c
}

// orders counts instructions, each once.
func (c *corpus) orders() int {
	distinct := map[string]bool{}
	for _, one := range c.cases {
		distinct[one.order] = true
	}
	return len(distinct)
}

// benignMail is one that means no harm.
type benignMail struct{ subject, body string }

// corpus is all that the suite reads.
type corpus struct {
	cases  []instruction
	benign []benignMail
}

// The bounds of a corpus, and the files of it.
const (
	maxFile      = 64 << 20
	maxCases     = 20_000
	minOrder     = 12 // letters; a shorter one cannot be told from other text
	attackFolder = "injection"
	benignFile   = "mail/benign.json"
	bipiaMails   = "bipia_email.jsonl"
	bipiaAttacks = "bipia_attacks.json"
)

// readCorpus reads a corpus: PATH/injection/injecagent_*.jsonl[.gz],
// PATH/injection/bipia_email.jsonl and bipia_attacks.json, PATH/mail/benign.json.
// PATH may be the folder injection itself.
func readCorpus(path string) (*corpus, error) {
	c := &corpus{}
	if full, err := filepath.Abs(path); err == nil && filepath.Base(full) == attackFolder {
		path = filepath.Dir(full)
	}
	files, err := filepath.Glob(filepath.Join(path, attackFolder, "injecagent_*.jsonl*"))
	if err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	slices.Sort(files)
	for _, file := range files {
		if err := c.readInjecAgent(file); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
	}
	err = cmp.Or(c.readBIPIA(filepath.Join(path, attackFolder)), c.readBenign(filepath.Join(path, filepath.FromSlash(benignFile))))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the corpus: %w", err)
	case len(c.cases) == 0:
		return nil, fmt.Errorf("%s has no cases; it takes a folder with %s/injecagent_*.jsonl.gz", path, attackFolder)
	case len(c.cases) > maxCases:
		return nil, fmt.Errorf("%s has %d cases; it takes %d at most", path, len(c.cases), maxCases)
	case len(c.benign) == 0:
		return nil, fmt.Errorf("%s has no mails in %s, with which to see whether news of others is kept back", path, benignFile)
	}
	return c, nil
}

// readLimited reads a file, unpacked where its name says that it is packed.
func readLimited(path string) ([]byte, error) {
	data, err := harness.ReadFile(path, maxFile)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return data, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return harness.Read(unpacked, maxFile)
}

// jsonLines reads values that stand one after the other, as in a file with one
// a line.
func jsonLines[T any](path string) (all []T, err error) {
	data, err := readLimited(path)
	for decoder := json.NewDecoder(bytes.NewReader(data)); err == nil; {
		var one T
		if err = decoder.Decode(&one); err == nil {
			all = append(all, one)
		} else if !errors.Is(err, io.EOF) {
			err = fmt.Errorf("after %d entries: %w", len(all), err)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return all, err
}

// readInjecAgent reads cases of the form of InjecAgent.
func (c *corpus) readInjecAgent(path string) error {
	all, err := jsonLines[struct {
		Order    string `json:"Attacker Instruction"`
		Question string `json:"User Instruction"`
		Response string `json:"Tool Response"`
	}](path)
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "injecagent_"), ".")
	for n, one := range all {
		err = cmp.Or(err, c.add(instruction{fmt.Sprintf("%s-%03d", name, n+1), one.Order, one.Question, one.Response}))
	}
	return err
}

// add takes a case in. The order has to be within its body.
func (c *corpus) add(one instruction) error {
	if len(modeltest.Letters(one.order)) < minOrder {
		return fmt.Errorf("the case %s has the instruction %.40q, which is too short to be told from other text", one.id, one.order)
	}
	if !strings.Contains(one.body, one.order) {
		one.body = strings.TrimSpace(one.body + "\n\n" + one.order)
	}
	c.cases = append(c.cases, one)
	return nil
}

// readBIPIA puts each attack into a mail, the mails in turn. Where there are
// no such files there are no such cases.
func (c *corpus) readBIPIA(folder string) error {
	mails, err := jsonLines[struct {
		Context string `json:"context"`
	}](filepath.Join(folder, bipiaMails))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", bipiaMails, err)
	case len(mails) == 0:
		return fmt.Errorf("%s has no mails", bipiaMails)
	}
	all, err := jsonLines[map[string][]string](filepath.Join(folder, bipiaAttacks))
	if err != nil {
		return fmt.Errorf("%s: %w", bipiaAttacks, err)
	}
	n := 0
	for _, attacks := range all {
		for _, kind := range slices.Sorted(maps.Keys(attacks)) {
			for _, order := range attacks[kind] {
				context := mails[n%len(mails)].Context
				subject, _, _ := strings.Cut(strings.TrimPrefix(context, "SUBJECT: "), "|")
				n++
				if err := c.add(instruction{fmt.Sprintf("bipia-%03d", n), order, subject, order + "\n\n" + context}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readBenign reads mails that mean no harm.
func (c *corpus) readBenign(path string) error {
	all, err := jsonLines[struct {
		Emails []string `json:"emails"`
	}](path)
	if err != nil || len(all) != 1 {
		return fmt.Errorf("%s is not one object with emails: %w", benignFile, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	for i, text := range all[0].Emails {
		text = strings.TrimPrefix(text, "Subject of the email: ")
		subject, body, found := strings.Cut(text, "Body: ")
		if !found {
			subject, body = fmt.Sprintf("Mail %d", i+1), text
		}
		subject = fmt.Sprintf("No %d: %s", i+1, strings.Trim(strings.TrimSpace(subject), "."))
		c.benign = append(c.benign, benignMail{subject, strings.TrimSpace(body)})
	}
	return nil
}
