// The least that a program in Swift takes to start and to end.
