import type { DatasetCitation } from './cite.ts';

/** RIS: a tag of two characters, two spaces, a hyphen, a space; lines end with CR LF. */
export function formatRis(citations: readonly DatasetCitation[]): string {
  return citations.map(formatEntry).join('');
}

function formatEntry({ key, author, title, year, url, note, asOf }: DatasetCitation): string {
  const lines: [tag: string, value: string][] = [
    ['TY', 'DATA'],
    ['ID', key],
    // A comma at the end: a name of one part, that of an organisation.
    ['AU', `${author},`],
    ['TI', title],
    ['PY', year],
    ['DA', `${asOf.slice(0, 10).replaceAll('-', '/')}/`],
    ['PB', author],
    ['UR', url],
    ['N1', note],
    ['ER', ''],
  ];
  return `${lines.map(([tag, value]) => `${tag}  - ${oneLine(value)}\r\n`).join('')}\r\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
