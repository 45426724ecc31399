package budget

// Config are hard limits. Money is in US dollars; a limit of 0 lets nothing
// through, and of -1 is none.
type Config struct {
	MoneyPerDay   float64 `mapstructure:"money_per_day"`
	MoneyPerMonth float64 `mapstructure:"money_per_month"`
	CallsPerDay   int     `mapstructure:"calls_per_day"`
	TokensPerDay  int     `mapstructure:"tokens_per_day"`
	// ExplorationCallsPerDay is how often threads may ask a model although
	// nothing in their field is unseen; 0: never.
	ExplorationCallsPerDay int `mapstructure:"exploration_calls_per_day"`
	// Threads are limits for one thread or role each, beside those of all.
	Threads []Thread `mapstructure:"threads"`
}

// Thread are the limits of one thread or role.
type Thread struct {
	ID           string  `mapstructure:"id"` // watcher, deliberation, …
	MoneyPerDay  float64 `mapstructure:"money_per_day"`
	CallsPerDay  int     `mapstructure:"calls_per_day"`
	TokensPerDay int     `mapstructure:"tokens_per_day"`
}
