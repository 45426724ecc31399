package budget_test

func runChild(string) int { return 1 }
