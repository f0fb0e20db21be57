import { lines, type Snippet } from './snippet.ts';
import type { Source } from './source.ts';

/** Of the citation database alone. */
export function latex({ shape, fileName }: Source): Snippet | null {
  if (shape.kind !== 'bibtex') return null;
  const code = lines(
    '\\usepackage[backend=biber]{biblatex}',
    `\\addbibresource{${fileName}}`,
    '% in the text, and where the list stands:',
    '\\cite{cathedral_data_service}',
    '\\printbibliography',
  );
  return { tool: 'LaTeX', code };
}
