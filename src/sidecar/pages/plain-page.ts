import { hash } from 'node:crypto';
import { AREAS } from '../../../pipeline/artifacts/artifact.ts';
import type { Organisation } from '../../../pipeline/artifacts/documents/organisation.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { escapeText } from '../../../pipeline/charts/drawing/element.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { framedBy } from '../../../pipeline/release/format/response-headers.ts';
import type { Status } from '../../../pipeline/release/format/status.ts';
import { formatBytes } from '../../../pipeline/words/number.ts';
import { PROBLEMS, type Problem } from '../../api/problem.ts';
import type { ServedRelease } from '../files/releases.ts';
import type { RequestHead } from '../files/representation.ts';
import { type Answer, problemAnswer } from '../request/answer.ts';

export interface PlainPage {
  /** Null: the first one is being made. */
  release: ServedRelease | null;
  /** Null with a release whose publisher is not known. */
  organisation: Organisation | null;
  /** Of this release; null if it is not known. */
  status: Status | null;
  /** As it was requested, `economy/`. Anywhere but at the start page, '', a page is missing that is to come. */
  path: string;
}

/** Whether a request comes from somebody who reads pages. */
export function wantsPage({ headers }: RequestHead): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}

/** The colours of the site's own pages, without its fonts and scripts: there is nothing else to load. */
const STYLE = `
:root { color-scheme: light dark; --paper: #fcfaf5; --ink: #1f1e1b; --muted: #5d5950; --rule: #ddd8cb; --accent: #33485c; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #171614; --ink: #ece8de; --muted: #aba599; --rule: #3a3731; --accent: #a9bfd4; }
}
body { margin: 0 auto; max-width: 52rem; padding: 2.5rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 Georgia, "Times New Roman", serif; }
h1 { margin: 0 0 0.5rem; font-size: 2rem; line-height: 1.15; font-weight: 600; }
h2 { margin: 2.25rem 0 0.25rem; font-size: 1.2rem; font-weight: 600; }
a { color: var(--accent); }
.lead { margin: 0 0 0.75rem; }
.facts, td + td { color: var(--muted); font: 0.875rem/1.5 "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; }
td { padding: 0.35rem 0; border-top: 1px solid var(--rule); vertical-align: baseline; overflow-wrap: anywhere; }
td + td { padding-left: 1.25rem; text-align: right; white-space: nowrap; overflow-wrap: normal; }
td span { display: block; color: var(--muted); font: 0.875rem/1.4 "Helvetica Neue", Arial, sans-serif; }
`;

const POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ');

/** How soon a browser asks again for a page that is being made, seconds. */
const RETRY_S = 5;

const PART_WORDS: Readonly<Record<string, string>> = {
  formats: 'the tables in other formats',
  charts: 'the charts',
  pages: 'the pages',
  pdfs: 'the PDFs',
};

/** A page without a site: who publishes, as of when, what is still being made, and every public data file. */
export function plainPage(page: PlainPage): Answer {
  const { path, release } = page;
  const isThere = path === '' && release !== null;
  // Nobody has scrolled or typed here, and what was asked for takes its place.
  const again = isThere ? '' : `<meta http-equiv="refresh" content="${RETRY_S}">`;
  const title = page.organisation?.name ?? 'Cathedral Data Service';
  const body = documentOf(title, sentences(page), { head: again, more: release ? listOf(release) : '' });
  return {
    status: isThere ? 200 : 503,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `${POLICY}; ${framedBy(path)}`,
      Vary: 'Accept',
      ...(!isThere && { 'Retry-After': String(RETRY_S) }),
    },
    body,
  };
}

/** A problem in the frame of an embed, for its reader. `instance`: the requested path. */
export function problemPage(problem: Problem, instance: string): Answer {
  const { status, headers } = problemAnswer(problem, instance);
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `${POLICY}; ${framedBy(instance.slice(1))}`,
      Vary: 'Accept',
    },
    body: documentOf(PROBLEMS[problem.code].title, [problem.message]),
  };
}

function documentOf(title: string, words: readonly string[], { head = '', more = '' } = {}): Buffer {
  return Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">${head}
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeText(title)}</h1>
${words.map((one) => `<p class="lead">${escapeText(one)}</p>`).join('\n')}
${more}
</main>
</body>
</html>
`);
}

function sentences({ release, status, path }: PlainPage): string[] {
  if (!release)
    return [
      'The first release is being made. The data files come first, within a minute; this page then lists them.',
    ];
  const lacks = status?.release?.lacks ?? [];
  if (lacks.length === 0)
    return [`The data files of the current release.${status ? ' This service publishes no pages.' : ''}`];
  const words = lacks.map((part) => PART_WORDS[part] ?? part);
  const missing = `${words.slice(0, -1).join(', ')}${words.length > 1 ? ' and ' : ''}${words.at(-1)}`;
  const here = path === '' ? '' : 'This page is not made yet. ';
  const error = status?.running ? null : status?.last_run.error;
  return [
    `${here}The data files of the current release are published and complete.`,
    error
      ? `Missing are ${missing}: ${error.message}`
      : `Still being made are ${missing}. Reload this page to see them.`,
  ];
}

function listOf({ id, files, manifest }: ServedRelease): string {
  const open = ARTIFACTS.flatMap((artifact) => {
    const file = files.get(artifact.path);
    return file && !file.restricted ? [{ file, title: artifact.title, area: file.area }] : [];
  });
  const areas = AREAS.map((area) => ({ area, rows: open.filter((one) => one.area === area) }));
  const sections = areas.map(({ area, rows }) => {
    const heading = `<h2>${area[0]!.toUpperCase()}${area.slice(1)}</h2>`;
    return `${heading}\n<table>${rows.map(rowOf).join('')}</table>`;
  });
  const time = manifest.timestamp.slice(0, 16).replace('T', ' ');
  return `<p class="facts">As of ${time} UTC · release ${escapeText(id)} · <a href="/status.json">status.json</a> · <a href="/manifest.json">manifest.json</a></p>
${sections.join('\n')}`;
}

function rowOf({ file, title }: { file: ManifestFile; title: string }): string {
  const { path, bytes } = file;
  return `<tr><td><a href="/${escapeText(path)}">${escapeText(path)}</a><span>${escapeText(title)}</span></td><td>${formatBytes(bytes)}</td></tr>`;
}
