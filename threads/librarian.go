package threads

// librarian looks at what was written and said, and at what came before.
func librarian() nature {
	return nature{
		senses: []string{"notes", "conversation", "person", "mail", "health"},
		tools:  []string{searchNotesTool, readFileTool, searchMemoryTool, getMemoryTool, searchConversationsTool},
	}
}
