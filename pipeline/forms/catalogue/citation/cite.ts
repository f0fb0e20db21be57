import { type Cited, citeDataset } from '../../../artifacts/academics/citations.ts';
import type { Artifact } from '../../../artifacts/artifact.ts';
import { formatBibtex } from '../../../artifacts/format/bibtex.ts';

/** A file as it is cited: the entry of `citations.bib`, and the day of the data. */
export interface DatasetCitation extends ReturnType<typeof citeDataset> {
  /** Time of the last event counted. */
  asOf: string;
}

export function citeFile(cited: Cited, artifact: Artifact): DatasetCitation {
  return { ...citeDataset(cited, artifact), asOf: cited.state.asOf };
}

/** One line to quote: who (year), what, which state, where. */
export function formatText({ author, year, title, note, url }: DatasetCitation): string {
  return `${author} (${year}). ${title} [data set]. ${note} ${url}`;
}

/** The entry as it stands in `citations.bib`. Throws artifact_invalid for a character without a form in LaTeX. */
export function formatBibtexEntry(citation: DatasetCitation): string {
  return formatBibtex(`Cite with the time of the data: ${citation.asOf}.`, [citation], citation.key);
}
