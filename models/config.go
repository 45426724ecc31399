package models

import "time"

// Config says which models think.
type Config struct {
	// Preset assigns models to all roles: reflex (none), free, four-vendors,
	// local. Roles below are set on top of it.
	Preset string `mapstructure:"preset"`
	// Gate is that of the threads, which have no key of their own for it.
	Gate      string     `mapstructure:"gate"`
	Providers []Provider `mapstructure:"providers"`
	Roles     []Role     `mapstructure:"roles"`
	Prices    []Price    `mapstructure:"prices"`
	Privacy   Privacy    `mapstructure:"privacy"`
	// Timeout is of one attempt.
	Timeout time.Duration `mapstructure:"timeout"`
}

// Provider is an account somewhere, or a server of one's own.
type Provider struct {
	ID string `mapstructure:"id"`
	// Vendor names the preset that fills what is left empty here: groq,
	// ollama, …; empty means the id, where a vendor has that name.
	Vendor string `mapstructure:"vendor"`
	// Kind is the protocol: openai or anthropic.
	Kind    string `mapstructure:"kind"`
	BaseURL string `mapstructure:"base_url"`
	// The key, by reference only; at most one of them.
	KeyEnv        string `mapstructure:"key_env"`
	KeyFile       string `mapstructure:"key_file"`
	KeyKeyring    string `mapstructure:"key_keyring"` // "SERVICE/USER"
	KeyCredential string `mapstructure:"key_credential"`
	// Local: it costs nothing and is given plain text.
	Local bool `mapstructure:"local"`
	// Schema is what it enforces: json_schema, json_object, none; empty is the
	// vendor's.
	Schema string `mapstructure:"schema"`
}

// Role assigns a model.
type Role struct {
	ID       string `mapstructure:"id"` // watcher, librarian, oracle, dreamer, chat, …
	Provider string `mapstructure:"provider"`
	Model    string `mapstructure:"model"`
	// Temperature nil is the role's own.
	Temperature *float64 `mapstructure:"temperature"`
	// MaxTokens and Thinking 0 are the role's own; Thinking -1 is none.
	MaxTokens int `mapstructure:"max_tokens"`
	Thinking  int `mapstructure:"thinking"`
	// Fallbacks are asked in order where the model fails: "PROVIDER/MODEL".
	Fallbacks []string `mapstructure:"fallbacks"`
	// Accepts are further names under which the model may answer.
	Accepts []string `mapstructure:"accepts"`
}

// Price of a model in US dollars for a million tokens.
type Price struct {
	Provider string  `mapstructure:"provider" json:"provider"`
	Model    string  `mapstructure:"model" json:"model"`
	Input    float64 `mapstructure:"input" json:"input"`
	Output   float64 `mapstructure:"output" json:"output"`
	Cached   float64 `mapstructure:"cached" json:"cached"`   // taken in, kept by the provider
	Written  float64 `mapstructure:"written" json:"written"` // taken in, put there
}

// Privacy says what of the person's remote models are not told. They are given
// placeholders, which are put back in their answers.
type Privacy struct {
	MailAddresses bool `mapstructure:"mail_addresses"`
	PhoneNumbers  bool `mapstructure:"phone_numbers"`
	// Contacts is a vCard file, or one name a line: names that are not told.
	Contacts string `mapstructure:"contacts"`
}
