package threads

// watcher looks at what just happened.
func watcher() nature {
	return nature{
		senses:  []string{"mail", "health", "calendar", "files", "person"},
		tools:   []string{readMailTool, listEventsTool, readFileTool, healthTool},
		machine: true,
	}
}
