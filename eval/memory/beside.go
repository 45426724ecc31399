package memory

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// server is another's program, which speaks MCP over its standard input and output: that
// of @modelcontextprotocol/server-memory, which keeps a graph in a file of JSON lines.
type server struct {
	program, folder string
	command         *exec.Cmd
	in              io.WriteCloser
	out             *bufio.Scanner
	asked           int
}

type entity struct {
	Type         string   `json:"type,omitempty"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
}

func (s *server) file() string { return filepath.Join(s.folder, "memory.jsonl") }

// fill writes the file: by its tools it would take days.
func (s *server) fill(_ context.Context, texts []string) (err error) {
	f, err := os.Create(s.file())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := json.NewEncoder(f)
	for n, text := range texts {
		if err := lines.Encode(entity{"entity", fmt.Sprint("record ", n), "fact", []string{text}}); err != nil {
			return err
		}
	}
	return nil
}

// longest is an answer with all records, in bytes.
const longest = 512 << 20

func (s *server) start(ctx context.Context) (err error) {
	s.command = exec.CommandContext(ctx, s.program)
	s.command.Env = append(os.Environ(), "MEMORY_FILE_PATH="+s.file())
	s.command.WaitDelay = time.Second
	if s.in, err = s.command.StdinPipe(); err != nil {
		return err
	}
	out, err := s.command.StdoutPipe()
	if err != nil {
		return err
	}
	s.out = bufio.NewScanner(out)
	s.out.Buffer(nil, longest)
	if err := s.command.Start(); err != nil {
		return err
	}
	_, err = s.call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "eval", "version": "1"}})
	if err == nil {
		err = json.NewEncoder(s.in).Encode(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	if err != nil {
		err = errors.Join(err, s.close())
	}
	return err
}

// call asks, and waits for the answer.
func (s *server) call(method string, params any) (json.RawMessage, error) {
	s.asked++
	if err := json.NewEncoder(s.in).Encode(map[string]any{"jsonrpc": "2.0", "id": s.asked, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for s.out.Scan() {
		var answer struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(s.out.Bytes(), &answer); err != nil {
			return nil, fmt.Errorf("%s answers what is no JSON: %w", s.program, err)
		}
		if answer.ID != s.asked {
			continue // a notification
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("%s: %s", s.program, answer.Error)
		}
		return answer.Result, nil
	}
	return nil, errors.Join(fmt.Errorf("%s ended; run it by hand to see why", s.program), s.out.Err())
}

func (s *server) search(_ context.Context, words string) (texts []string, _ error) {
	result, err := s.call("tools/call", map[string]any{"name": "search_nodes", "arguments": map[string]any{"query": words}})
	if err != nil {
		return nil, err
	}
	var found struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(result, &found); err != nil {
		return nil, fmt.Errorf("%s: search_nodes: %w", s.program, err)
	}
	for _, c := range found.Content {
		texts = append(texts, c.Text)
	}
	return texts, nil
}

func (s *server) write(_ context.Context, text string) error {
	_, err := s.call("tools/call", map[string]any{"name": "create_entities", "arguments": map[string]any{
		"entities": []entity{{Name: "new " + text, EntityType: "fact", Observations: []string{text}}}}})
	return err
}

func (s *server) process() string { return strconv.Itoa(s.command.Process.Pid) }

func (s *server) close() error {
	if err := s.in.Close(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.command.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(5 * time.Second): // it does not end with its input
		err := s.command.Process.Kill()
		<-ended
		return err
	}
}
