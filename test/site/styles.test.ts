import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const SITE = new URL('../../src/site/', import.meta.url).pathname;
const DRAWING = new URL('../../pipeline/charts/', import.meta.url).pathname;

const filesOf = (folder: string, ending: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

const sheets = filesOf(SITE, /\.css$/).map(({ name, text }) => ({
  name,
  css: text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/"[^"]*"/g, '""'),
}));
/** Where elements get their classes: in components, in scripts, in drawings of charts. */
const sources = [...filesOf(SITE, /\.(astro|ts)$/), ...filesOf(DRAWING, /\.ts$/)].map(({ text }) => text);

/**
 * The parts of a source that may name a class: attributes, and texts of scripts. A word of a page, a comment, the name of a variable or the
 * beginning of an id is no use of a class.
 */
function namingParts(source: string): string[] {
  const text = source.replaceAll(/\/\*\*?\s.*?\*\/|^\s*\/\/[^\n]*/gms, '');
  const script = text.startsWith('---') ? text.split('---')[1]! : text;
  const attributes = /(?:class|text)="[^"]*"|class(?::list)?=\{.*?\}(?=[\s>/])/gs;
  const texts = text.startsWith('<') ? [] : (script.match(/'[^'\n]*'|`[^`]*`/g) ?? []);
  return [...(text.match(attributes) ?? []), ...texts];
}

const naming = sources.flatMap(namingParts);
const used = new Set(naming.flatMap((text) => text.match(/[A-Za-z_][\w-]*/g) ?? []));
/** Of names that are put together: `is-${verdict}`. */
const prefixes = naming.flatMap((text) => [...text.matchAll(/\b(is-)\$\{/g)].map(([, prefix]) => prefix!));
const isUsed = (name: string) => used.has(name) || prefixes.some((prefix) => name.startsWith(prefix));

describe('a style sheet', () => {
  test.each(sheets)('$name styles only what a component has', ({ css }) => {
    const classes = [...css.matchAll(/\.([A-Za-z_][\w-]*)(?=[^{};]*\{)/g)].map(([, name]) => name!);
    expect([...new Set(classes)].filter((name) => !isUsed(name))).toEqual([]);
  });

  test.each(sheets)('$name uses only tokens that there are', ({ css }) => {
    const known = new Set(
      sheets.flatMap((sheet) => [...sheet.css.matchAll(/(--[\w-]+)\s*:/g)].map(([, name]) => name)),
    );
    const asked = [...css.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
    // What a script sets on an element has no rule.
    expect(asked.filter((name) => !known.has(name) && !sources.some((text) => text.includes(name!)))).toEqual(
      [],
    );
  });
});
