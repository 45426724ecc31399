package models

import "time"

// Config says which models think.
type Config struct {
	Preset string `mapstructure:"preset" about:"Who thinks: reflex (rules, no model), free (GLM-4.7-Flash of Z.AI), four-vendors (one for each thread), local (Ollama)."`
	// Gate is that of the threads, which have no key of their own for it.
	Gate      string        `mapstructure:"gate" env:"SUBCONSCIOUS_GATE" about:"When a thread thinks: adaptive (something is new to it, or long nothing was), changed (something is new to it), always."`
	Providers []Provider    `mapstructure:"providers" about:"Accounts and servers of your own; what is left out, the vendor's preset fills in."`
	Roles     []Role        `mapstructure:"roles" about:"Which model has which role, on top of the preset."`
	Prices    []Price       `mapstructure:"prices" about:"What models cost, where the list that is shipped is silent or wrong."`
	Privacy   Privacy       `mapstructure:"privacy" about:"What of you remote models are not told, beside secrets: placeholders stand for it, and are put back in the answer."`
	Timeout   time.Duration `mapstructure:"timeout" about:"How long one attempt at an answer may take; never longer than the thread's own deadline."`
}

// Provider is an account somewhere, or a server of one's own.
type Provider struct {
	ID      string `mapstructure:"id" about:"A short name, unique among the providers; that of a vendor takes its preset."`
	Vendor  string `mapstructure:"vendor" about:"Whose preset fills what is left out; without it, that of the id."`
	Kind    string `mapstructure:"kind" about:"The protocol: openai (any compatible endpoint) or anthropic."`
	BaseURL string `mapstructure:"base_url" about:"The address, up to what stands before /chat/completions; https, or http on this machine and its network."`
	// The key, by reference only; at most one of them.
	KeyEnv        string `mapstructure:"key_env" about:"The variable that holds the key; without any key_… the vendor's own is looked up."`
	KeyFile       string `mapstructure:"key_file" path:"secret" about:"A file whose first line is the key, readable by you alone (0600)."`
	KeyKeyring    string `mapstructure:"key_keyring" about:"The keyring's entry that holds the key: SERVICE/USER."`
	KeyCredential string `mapstructure:"key_credential" about:"The systemd credential that holds the key: a file of $CREDENTIALS_DIRECTORY."`
	Local         bool   `mapstructure:"local" about:"It costs nothing and is given plain text, secrets and names included: for servers of your own alone."`
	Schema        string `mapstructure:"schema" about:"What it enforces of an answer's shape: json_schema, json_object or none; answers are checked here always."`
}

// Role assigns a model.
type Role struct {
	ID          string   `mapstructure:"id" about:"watcher, librarian, oracle, dreamer, chat, fast, reasoning, extraction, synthesis, deliberation or embedding."`
	Provider    string   `mapstructure:"provider" about:"The id of a provider, or the name of a vendor."`
	Model       string   `mapstructure:"model" about:"The model, as the provider calls it."`
	Temperature *float64 `mapstructure:"temperature" about:"How freely it answers, 0 to 2; without it the role's own."`
	MaxTokens   int      `mapstructure:"max_tokens" about:"The most tokens of an answer, thinking included; 0 is the role's own."`
	Thinking    int      `mapstructure:"thinking" about:"How many of them it may think, in tokens; 0 is the role's own, -1 is none."`
	Fallbacks   []string `mapstructure:"fallbacks" about:"Who is asked, in order, where the model fails: PROVIDER/MODEL. None is asked that is not listed here."`
	Accepts     []string `mapstructure:"accepts" about:"Further names under which the model may answer; an answer under any other is thrown away."`
}

// Price of a model in US dollars for a million tokens.
type Price struct {
	Provider string  `mapstructure:"provider" json:"provider" about:"The id of a provider, or the name of a vendor."`
	Model    string  `mapstructure:"model" json:"model" about:"The model, as the provider calls it."`
	Input    float64 `mapstructure:"input" json:"input" about:"US dollars for a million tokens that it takes in."`
	Output   float64 `mapstructure:"output" json:"output" about:"US dollars for a million tokens that it gives out."`
	Cached   float64 `mapstructure:"cached" json:"cached" about:"US dollars for a million tokens of input that the provider had kept; 0 is the price of input."`
	Written  float64 `mapstructure:"written" json:"written" about:"US dollars for a million tokens of input that the provider is asked to keep; 0 is the price of input."`
}

// Privacy says what of the person's remote models are not told. They are given
// placeholders, which are put back in their answers.
type Privacy struct {
	MailAddresses bool   `mapstructure:"mail_addresses" about:"Whether mail addresses are replaced."`
	PhoneNumbers  bool   `mapstructure:"phone_numbers" about:"Whether phone numbers are replaced."`
	Contacts      string `mapstructure:"contacts" path:"secret" about:"A vCard file, or one name a line: these names are replaced. Empty: none."`
}
