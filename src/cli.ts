#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Strips the types of hundreds of modules and compiles them once instead of at each start. If the folder is not writable, Node works
// without the cache.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
await import('./commands/main.ts');
