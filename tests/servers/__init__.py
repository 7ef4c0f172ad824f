"""Real servers for tests: each starts on the loopback interface and is gone when its `with` block ends."""
