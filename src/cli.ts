#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { PROJECT } from '../pipeline/config/project.ts';

// Strips the types of hundreds of modules, and compiles them, once instead of at each start. If the folder is not writable, Node works
// without the cache.
enableCompileCache(join(PROJECT, 'node_modules/.cache/node'));
await import('./commands/main.ts');
