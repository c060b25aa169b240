//! Contract suites and tools for tests of your own: a scripted model, disks and workspaces that fail.
