import { CITATIONS_PATH } from '../../../pipeline/artifacts/academics/citations.ts';
import {
  authorWords,
  readAuthors,
  readBibliography,
} from '../../../pipeline/artifacts/format/bibliography.ts';
import { perRelease } from '../layout/release.ts';

/** What citations say of each paper and the index does not, by the key of the citation. */
export const paperCitations = perRelease((release) => {
  const { entries } = readBibliography(release.text(CITATIONS_PATH), CITATIONS_PATH);
  return new Map(
    entries.map(({ key, fields }) => {
      const [author, year, url] = ['author', 'year', 'url'].map((name) => String(fields.get(name)));
      const authors = readAuthors(author!) ?? [];
      return [key, { authors, words: authorWords(authors), year: year!, url: url! }];
    }),
  );
});
