#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { PROJECT } from '../pipeline/config/project.ts';

// Strips the types of hundreds of modules, and compiles them, once instead of at each start. If the folder is not writable, Node works
// without the cache.
const cache = join(PROJECT, 'node_modules/.cache/node');
enableCompileCache(cache);
// A thread takes it from the environment only.
process.env.NODE_COMPILE_CACHE ??= cache;
await import('./commands/main.ts');
