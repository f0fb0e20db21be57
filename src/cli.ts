#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { PROJECT } from '../pipeline/config/project.ts';

// As bin/cathedral tells: SIGHUP after nohup, which Node has reset.
for (const signal of process.env.IGNORED_SIGNALS?.trim().split(' ') ?? [])
  if (signal !== '') process.on(signal, () => {});

// Strips the types of hundreds of modules, and compiles them, once instead of at each start. If the folder is not writable, Node works
// without the cache.
const cache = join(PROJECT, 'node_modules/.cache/node');
enableCompileCache(cache);
// A thread takes it from the environment only.
process.env.NODE_COMPILE_CACHE ??= cache;
await import('./commands/main.ts');
