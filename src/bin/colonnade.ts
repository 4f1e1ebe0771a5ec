#!/usr/bin/env node
// The command line's entry.
