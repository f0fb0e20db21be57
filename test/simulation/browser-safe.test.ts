import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SIMULATION = resolve(import.meta.dirname, '../../src/simulation');
/** With values; types leave nothing behind. */
const IMPORT = /^(?:import|export)\s(?!type\b)[^'"`;]*?from\s+'([^']+)'/gm;

/** Every package and every platform module that a file loads, with those that it loads. */
function loads(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const specifiers = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map((match) => match[1]!);
  return specifiers.flatMap((specifier) =>
    specifier.startsWith('.') ? loads(resolve(dirname(file), specifier), seen) : [specifier],
  );
}

test('the engine runs where there is nothing but the language', () => {
  for (const file of ['run.ts', 'view.ts', 'scenarios.ts']) expect(loads(join(SIMULATION, file))).toEqual([]);
});

test('what reads and describes messages needs their schemas, and nothing of the platform', () => {
  for (const file of ['protocol/session.ts', 'protocol/parse-message.ts', 'protocol/async-api-document.ts'])
    expect(loads(join(SIMULATION, file)).filter((name) => !/^zod(\/mini)?$/.test(name))).toEqual([]);
});
