package actions_test

func runChild(string) int { return 0 }
