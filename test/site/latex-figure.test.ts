import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { latexFigure } from '../../src/site/components/charts/chart-facts.ts';

const run = promisify(execFile);
const hasLatex = await run('pdflatex', ['--version']).then(
  () => true,
  () => false,
);

test('the figure for LaTeX has the picture and its citation, and does not repeat the title in the picture', () => {
  expect(latexFigure('supply', 'cathedral_chart_supply')).toBe(
    [
      '% preamble: \\usepackage{graphicx}',
      '\\begin{figure}',
      '  \\centering',
      '  \\includegraphics[width=\\linewidth]{supply.pdf}',
      '  % Title, unit and source are in the picture.',
      '  \\caption{Chart and data:~\\cite{cathedral_chart_supply}.}',
      '  \\label{fig:supply}',
      '\\end{figure}',
    ].join('\n'),
  );
});

test.runIf(hasLatex)('LaTeX sets the figures of all charts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-latex-'));
  try {
    const figures = CHARTS.map((chart) => latexFigure(chart.id, `cathedral_chart_${chart.id}`));
    // A draft shows a frame where the picture is, so that no picture has to be made here.
    const text = `\\documentclass{article}\\usepackage[demo]{graphicx}\\begin{document}${figures.join('\n')}\\end{document}`;
    await writeFile(join(folder, 'text.tex'), text);
    const { stdout } = await run('pdflatex', ['-halt-on-error', 'text.tex'], { cwd: folder });
    expect(stdout).toMatch(/Output written on text\.pdf/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
