import { type DatasetCitation, formatBibtexEntry, formatText } from './cite.ts';
import { formatCslJson } from './csl-json.ts';
import { formatRis } from './ris.ts';

export interface CitationForm {
  /** Of its file: `citation.bib`. */
  ending: 'txt' | 'bib' | 'ris' | 'json';
  name: string;
  /** Who reads it. */
  use: string;
  /** The whole file. Throws artifact_invalid for BibTeX where a character has no form in LaTeX. */
  format(citation: DatasetCitation): string;
}

/** Every form in which one file can be cited. */
export const CITATION_FORMS: readonly CitationForm[] = [
  {
    ending: 'txt',
    name: 'Text',
    use: 'to paste into a text',
    format: (citation) => `${formatText(citation)}\n`,
  },
  { ending: 'bib', name: 'BibTeX', use: 'for LaTeX and biblatex', format: formatBibtexEntry },
  {
    ending: 'ris',
    name: 'RIS',
    use: 'for reference managers',
    format: (citation) => formatRis([citation]),
  },
  {
    ending: 'json',
    name: 'CSL-JSON',
    use: 'for Zotero, Pandoc and citation styles',
    format: (citation) => formatCslJson([citation]),
  },
];
