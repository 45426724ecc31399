// Package prompts makes what models are told: a static part about the task,
// the same at each call, and a part of the moment, assembled each tick by one
// typed function a prompt. So is what a deliberation is told of one incident.
//
// The templates are the .md files of this folder. A file of the same name in
// the configuration folder stands in for one; it can say everything
// differently, in another order, but it is handed nothing but text that is
// already bounded, marked and within its block. It stores nothing. The threads
// ask for prompts, and subconsciousctl shows them.
package prompts
