import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { docHtml, ON_THE_SITE } from '../../src/site/layout/doc-html.ts';

test('a document on the site names the service at its own address, also for a socket and within a query', () => {
  const words =
    "curl 'https://data.example.org/oembed?url=https%3A%2F%2Fdata.example.org%2F' wss://data.example.org/x";
  expect(docHtml(words, 'https://data.northby.example')).toBe(
    "curl 'https://data.northby.example/oembed?url=https%3A%2F%2Fdata.northby.example%2F' wss://data.northby.example/x",
  );
  expect(docHtml(words, 'http://localhost:8080')).toContain('ws://localhost:8080/x');
  const documents = readdirSync('docs').filter((file) => file in ON_THE_SITE);
  expect(documents).toEqual(Object.keys(ON_THE_SITE).sort());
  for (const file of documents)
    expect(docHtml(readFileSync(`docs/${file}`, 'utf8'), 'https://data.northby.example')).not.toMatch(
      /data\.example\.org/,
    );
});
