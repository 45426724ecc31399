package attack

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/eval/harness"
)

// instruction is one instruction of an attacker, and the text in which it comes.
type instruction struct {
	id, kind string
	// order is what the attacker wants; subject and body are of a mail that
	// holds it.
	order, subject, body string
}

// marked is the case with a word of its own at the head of its instruction, by
// which it is known wherever it comes: many cases have the same instruction.
func (c instruction) marked(n int) instruction {
	const consonants, vowels, syllables = "bdfgklmnprst", "aeiou", len("bdfgklmnprst") * len("aeiou")
	const every = syllables * syllables * syllables * syllables
	word := make([]byte, 0, 8)
	// The factor has no divisor in common with every: no two numbers have one word.
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
	if err := c.readBIPIA(filepath.Join(path, attackFolder)); err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	if err := c.readBenign(filepath.Join(path, filepath.FromSlash(benignFile))); err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	switch {
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

// lines calls yield with each line that is not empty.
func jsonLines(data []byte, yield func(line []byte) error) error {
	scanner := bufio.NewScanner(bytes.NewReader(data))
	scanner.Buffer(nil, 4<<20)
	for n := 1; scanner.Scan(); n++ {
		if line := bytes.TrimSpace(scanner.Bytes()); len(line) > 0 {
			if err := yield(line); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
	}
	return scanner.Err()
}

// readInjecAgent reads cases of the form of InjecAgent.
func (c *corpus) readInjecAgent(path string) error {
	data, err := readLimited(path)
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "injecagent_"), ".")
	n := 0
	return jsonLines(data, func(line []byte) error {
		var one struct {
			Order    string `json:"Attacker Instruction"`
			Kind     string `json:"Attack Type"`
			Question string `json:"User Instruction"`
			Response string `json:"Tool Response"`
		}
		if err := json.Unmarshal(line, &one); err != nil {
			return err
		}
		n++
		return c.add(instruction{
			id: fmt.Sprintf("%s-%03d", name, n), kind: one.Kind, order: one.Order,
			subject: one.Question, body: one.Response,
		})
	})
}

// add takes a case in. The order has to be within its body.
func (c *corpus) add(one instruction) error {
	if len(letters(one.order)) < minOrder {
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
	mails, err := readLimited(filepath.Join(folder, bipiaMails))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var contexts []string
	err = jsonLines(mails, func(line []byte) error {
		var one struct {
			Context string `json:"context"`
		}
		err := json.Unmarshal(line, &one)
		contexts = append(contexts, one.Context)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", bipiaMails, err)
	}
	data, err := readLimited(filepath.Join(folder, bipiaAttacks))
	if err != nil {
		return err
	}
	var attacks map[string][]string
	if err := json.Unmarshal(data, &attacks); err != nil {
		return fmt.Errorf("%s: %w", bipiaAttacks, err)
	}
	if len(contexts) == 0 {
		return fmt.Errorf("%s has no mails", bipiaMails)
	}
	n := 0
	for _, kind := range slices.Sorted(maps.Keys(attacks)) {
		for _, order := range attacks[kind] {
			context := contexts[n%len(contexts)]
			subject, _, _ := strings.Cut(strings.TrimPrefix(context, "SUBJECT: "), "|")
			n++
			if err := c.add(instruction{id: fmt.Sprintf("bipia-%03d", n), kind: kind, order: order, subject: subject, body: order + "\n\n" + context}); err != nil {
				return err
			}
		}
	}
	return nil
}

// readBenign reads mails that mean no harm.
func (c *corpus) readBenign(path string) error {
	data, err := readLimited(path)
	if err != nil {
		return err
	}
	var all struct {
		Emails []string `json:"emails"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("%s: %w", benignFile, err)
	}
	for i, text := range all.Emails {
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
