package threads

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// fileRead is how much of a file can be read, and secretRead how much is
	// looked at beyond for secrets, which are shorter.
	fileRead   = 16 << 10
	secretRead = 8 << 10
	// observationsOfFile is how many observations are shown that a file's notes hold,
	// and notesLooked how many of all notes are looked at for it.
	observationsOfFile = 5
	notesSifted        = 5000
)

// readFile reads a text below one of the roots.
func readFile(r *Registry) tool {
	type arguments struct {
		Path     string `json:"path" required:"true" about:"FOLDER/FILE"`
		FromLine int    `json:"from_line" minimum:"1" about:"first line; default 1"`
	}
	return define(readFileTool, "Reads a text file of the person's folders, some 5 KB at once. The path begins with the folder: "+r.folders()+".",
		func(ctx context.Context, snapshot subconscious.Snapshot, a arguments) (prompts.Result, error) {
			root, file, err := r.find(a.Path)
			if err != nil {
				return prompts.Result{}, err
			}
			root.Trust = r.trustOf(root, file)
			text, more, err := r.readText(ctx, root, file)
			if errors.Is(err, errBinary) || errors.Is(err, errOwn) {
				return prompts.Result{Quoted: []prompts.Excerpt{{Trust: root.Trust}}}, err // it says what is in it
			}
			if err != nil {
				return prompts.Result{}, err
			}
			return fileResult(snapshot, root, file, text, more, max(a.FromLine, 1))
		})
}

// folders are the names of the roots.
func (r *Registry) folders() string {
	var ids []string
	for _, root := range r.options.Roots {
		ids = append(ids, root.ID)
	}
	if len(ids) == 0 {
		return "there is none"
	}
	return strings.Join(ids, ", ")
}

// find names the root and the file below it. Titles name a file by the sense's
// instance, which counts where it is one root's alone.
func (r *Registry) find(name string) (root Root, file string, err error) {
	id, file, ok := strings.Cut(name, "/")
	var named []Root
	for _, root := range r.options.Roots {
		if ok && root.ID == id {
			return root, path.Clean(file), nil
		}
		if ok && root.Instance == id {
			named = append(named, root)
		}
	}
	if len(named) != 1 {
		return Root{}, "", fmt.Errorf("the path must be FOLDER/FILE, where the folder is one of: %s", r.folders())
	}
	return named[0], path.Clean(file), nil
}

// readText reads one file of a root, without its secrets.
func (r *Registry) readText(ctx context.Context, root Root, file string) (text string, more bool, err error) {
	c, err := r.confine(root)
	if err != nil {
		return "", false, err
	}
	defer c.Close()
	text, more, err = c.read(ctx, file, fileRead+secretRead)
	if err != nil {
		return "", false, err
	}
	if text = whole(r.options.Redact(text), more); len(text) > fileRead {
		text, more = subconscious.Head(text, fileRead), true
	}
	return text, more, nil
}

// whole is a redacted text without its end where the file goes on: half a
// secret may stand there, which is not known for one.
func whole(text string, more bool) string {
	if !more {
		return text
	}
	return subconscious.Head(text, len(text)-secretRead)
}

// fileResult is a file as a model is shown it, with what is observed of it.
func fileResult(snapshot subconscious.Snapshot, root Root, file, text string, more bool, from int) (prompts.Result, error) {
	excerpt := prompts.Excerpt{Name: root.ID + "/" + file, Trust: root.Trust}
	if root.Ref != nil {
		if ref, ok := root.Ref(file); ok {
			excerpt.Ref = ref
		}
	}
	lines := strings.Split(text, "\n")
	if from > len(lines) {
		return prompts.Result{Quoted: []prompts.Excerpt{excerpt}}, fmt.Errorf("it has %d lines that can be read", len(lines))
	}
	said := fmt.Sprintf("%d lines", len(lines))
	if more {
		said = fmt.Sprintf("the first %d lines, of more than %d KB", len(lines), fileRead>>10)
	}
	if from > 1 {
		said += fmt.Sprintf(", from line %d", from)
	}
	result := prompts.Result{Said: []string{said}, More: "Ask again with from_line."}
	result.Observations = observationsOf(snapshot.World, root, file)
	excerpt.Text = strings.Join(lines[from-1:], "\n")
	result.Excerpts = []prompts.Excerpt{excerpt}
	return result, nil
}

// observationsOf are what the notes hold of a file, without their text, which
// is in the file.
func observationsOf(world subconscious.World, root Root, file string) []subconscious.Observation {
	if !root.Notes {
		return nil
	}
	var observations []subconscious.Observation
	looked := 0
	world.Of("notes", func(o subconscious.Observation) bool {
		if o.Instance == root.Instance && o.Attrs["file"] == file {
			o.Text, o.Attrs = "", nil
			observations = append(observations, o)
		}
		looked++
		return len(observations) < observationsOfFile && looked < notesSifted
	})
	return observations
}
