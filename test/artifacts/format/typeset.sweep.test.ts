import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatBibtex } from '../../../pipeline/artifacts/format/bibtex.ts';
import { SYMBOLS } from '../../../pipeline/artifacts/format/latex.ts';

const DATABASE = readFileSync(
  new URL('../../contract/release/examples/academics/citations.bib', import.meta.url),
  'utf8',
);

/** Overfull lines and errors of a document that lists every entry, with the style that docs/releases.md describes or with biblatex. */
function typeset(how: 'plain' | 'biblatex', packages: string, database = DATABASE): string[] {
  const dir = mkdtempSync(join(tmpdir(), 'typeset-'));
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, { cwd: dir, encoding: 'latin1' }).stdout;
  try {
    writeFileSync(join(dir, 'data.bib'), database);
    const found = run('kpsewhich', 'plain.bst').trim();
    const style = readFileSync(found, 'utf8').replace(
      /^FUNCTION \{phdthesis\}/m,
      'FUNCTION {software} {misc}\n\n$&',
    );
    writeFileSync(join(dir, 'own.bst'), style);
    const [head, list] =
      how === 'plain'
        ? ['', '\\bibliographystyle{own}\\bibliography{data}']
        : ['\\usepackage[backend=biber]{biblatex}\\addbibresource{data.bib}', '\\printbibliography'];
    writeFileSync(
      join(dir, 'x.tex'),
      `\\documentclass{article}${packages}${head}\\begin{document}\\nocite{*}${list}\\end{document}\n`,
    );
    run('pdflatex', '-interaction=nonstopmode', 'x');
    const log = run(how === 'plain' ? 'bibtex' : 'biber', 'x');
    run('pdflatex', '-interaction=nonstopmode', 'x');
    const pages = run('pdflatex', '-interaction=nonstopmode', 'x');
    expect(pages).toContain('Output written on x.pdf');
    return [...log.matchAll(/^.*\b(?:error|warn).*$/gim), ...pages.matchAll(/^(?:!|Overfull).*$/gm)].map(
      ([line]) => line,
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const has = (command: string) => spawnSync(command, ['--version']).status === 0;
/** Debian's biblatex does not bring with it what it needs. */
const hasBiblatex = has('biber') && has('pdflatex') && spawnSync('kpsewhich', ['etoolbox.sty']).status === 0;

test.skipIf(!has('bibtex') || !has('pdflatex')).each(['', '\\usepackage{url}'])(
  'the citation database is set by BibTeX without a line that runs off the page, after %j',
  (packages) => expect(typeset('plain', packages)).toEqual([]),
);

test.skipIf(!hasBiblatex)(
  'the citation database is set by biblatex without a line that runs off the page',
  () => expect(typeset('biblatex', '')).toEqual([]),
);

test.skipIf(!has('bibtex') || !has('pdflatex'))('each sign is set in a document that loads nothing', () => {
  const signs = [...Object.keys(SYMBOLS), '"', "'", '`', '@', 'é', 'ñ', 'č', 'ő', 'ç', 'Å'];
  const title = signs.map((sign) => `a ${sign} b`).join(' ');
  const entry = { key: 'signs', kind: 'data set', title, year: '2026', url: 'https://a.example/' } as const;
  const rest = { publisher: 'A', note: title, permanent: null, asOf: null };
  const authors = [{ name: 'The "A" Society', isOrganisation: true }];
  expect(typeset('plain', '', formatBibtex('h', [{ ...entry, ...rest, authors }], 'x'))).toEqual([]);
});
