#!/usr/bin/env node
import { enableCompileCache, registerHooks } from 'node:module';
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

// The messages of zod in sixty other languages, which its index loads, are a sixth of a start.
registerHooks({
  load: (url, context, next) =>
    url.endsWith('/zod/v4/locales/index.js')
      ? { format: 'module', shortCircuit: true, source: "export { default as en } from './en.js';" }
      : next(url, context),
});
await import('./commands/main.ts');
