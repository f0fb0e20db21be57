#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Some hundred modules are stripped of their types and compiled once, and not at each start. Where the folder cannot be
// written, Node does without.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
await import('./commands/main.ts');
