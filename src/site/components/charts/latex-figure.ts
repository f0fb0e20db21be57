import { formatLatex } from '../../../../pipeline/artifacts/format/latex.ts';
import type { Chart } from '../../../../pipeline/charts/chart.ts';

/** A figure with its citation, as it is pasted into a LaTeX text beside which `<id>.pdf` and `<key>.bib` lie. */
export function latexFigure({ id, name }: Pick<Chart, 'id' | 'name'>, key: string): string {
  return [
    '% preamble: \\usepackage{graphicx}',
    '\\begin{figure}',
    '  \\centering',
    `  \\includegraphics[width=\\linewidth]{${id}.pdf}`,
    // The picture has its full title in it.
    `  \\caption{${formatLatex(name, `chart ${id}`)}~\\cite{${key}}.}`,
    `  \\label{fig:${id}}`,
    '\\end{figure}',
  ].join('\n');
}
