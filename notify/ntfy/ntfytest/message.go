package ntfytest

// Message is a message as a server answers and streams it.
type Message struct {
	ID       string   `json:"id"`
	Time     int64    `json:"time"` // seconds since 1970
	Expires  int64    `json:"expires,omitempty"`
	Event    string   `json:"event"` // message, open, keepalive
	Topic    string   `json:"topic"`
	Sequence string   `json:"sequence_id,omitempty"`
	Title    string   `json:"title,omitempty"`
	Message  string   `json:"message,omitempty"`
	Priority int      `json:"priority,omitempty"` // 1 to 5
	Tags     []string `json:"tags,omitempty"`
	Click    string   `json:"click,omitempty"`
	Actions  []Action `json:"actions,omitempty"`
}

// Action is a button of a message.
type Action struct {
	ID      string            `json:"id"`
	Action  string            `json:"action"` // view, http, broadcast
	Label   string            `json:"label"`
	Clear   bool              `json:"clear"`
	URL     string            `json:"url,omitempty"`
	Method  string            `json:"method,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

// kept is a message in the memory of the server.
type kept struct {
	Message
	number   int64 // of the server, from 1
	replaced bool  // by a later one of its sequence
	cleared  bool  // taken off the phone
}
