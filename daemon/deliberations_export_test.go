package daemon

// APIDeliberation is a deliberation as it travels.
var APIDeliberation = apiDeliberation
