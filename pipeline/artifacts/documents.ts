import { join } from 'node:path';
import type * as z from 'zod/mini';
import { givenText, readGiven } from '../disk/read-given.ts';
import { CathedralError } from '../errors.ts';
import { formatList } from '../words/phrase.ts';
import { type DocumentFiles, digestFiles, readFiles } from './documents/files.ts';
import { ORGANISATION_FILE, Organisation } from './documents/organisation.ts';
import type { WrittenPaper } from './documents/papers.ts';
import { PAPERS_FILE, paperTextFile, readPapers } from './documents/papers-bib.ts';
import { Protocols } from './documents/protocols.ts';
import { assertReferences, type Diplomacy } from './documents/references.ts';
import { Standards } from './documents/standards.ts';
import { TreatyFramework } from './documents/treaty-framework.ts';
import { parseJsonFile } from './format/json.ts';

const FILES = {
  organisation: ORGANISATION_FILE,
  treatyFramework: 'treaty-framework.json',
  standards: 'standards.json',
  protocols: 'protocols.json',
} as const;

const WHO = 'a file that says who publishes, as docs/ledger.md describes it';

/** The published texts that people write: checked as a whole, never changed afterwards. What an organisation has not written is null or empty. */
export interface Documents extends Diplomacy {
  /** Who publishes. */
  organisation: Organisation;
  papers: readonly WrittenPaper[];
  /** The text of a paper by its id, where it is published here: Markdown that begins with `# <title>`. */
  paperTexts: ReadonlyMap<string, string>;
  /** SHA-256 over all files with their names, hex. Changed documents mean a new release. */
  digest: string;
}

/**
 * Reads and checks the folder of documents. Throws document_invalid with the place
 * (`<dir>/treaty-framework.json: articles[3].title`) if a file is unexpected or does not fit its schema,
 * if an id occurs twice, or if a reference leads nowhere.
 */
export async function readDocuments(dir: string): Promise<Documents> {
  const files = await readFiles(dir);
  const parse = <S extends z.ZodMiniType>(name: string, schema: S): z.output<S> | null => {
    const written = text(dir, files, name);
    return written === undefined ? null : parseJsonFile(written, schema, join(dir, name), 'document_invalid');
  };
  const diplomacy = {
    treatyFramework: parse(FILES.treatyFramework, TreatyFramework),
    standards: parse(FILES.standards, Standards),
    protocols: parse(FILES.protocols, Protocols),
  };
  assertReferences(diplomacy, {
    treatyFramework: join(dir, FILES.treatyFramework),
    standards: join(dir, FILES.standards),
    protocols: join(dir, FILES.protocols),
  });
  const organisation =
    parse(FILES.organisation, Organisation) ?? refuse(join(dir, FILES.organisation), WHO, 'nothing');
  const textOf = (key: string) => text(dir, files, paperTextFile(key));
  const papers = readPapers(text(dir, files, PAPERS_FILE) ?? '', textOf, join(dir, PAPERS_FILE));
  const paperTexts = new Map(papers.map((paper) => [paper.id, textOf(paper.id)] as const).filter(isPresent));
  for (const { id, title } of papers) assertTitled(dir, id, title, paperTexts.get(id));
  assertNothingElse(dir, files, papers);
  return { organisation, ...diplomacy, papers, paperTexts, digest: digestFiles(files) };
}

/** Who publishes, for a command that needs nothing else of the folder. Throws document_invalid. */
export async function readOrganisation(dir: string): Promise<Organisation> {
  const place = join(dir, FILES.organisation);
  const bytes = await readGiven(place, WHO, 'document_invalid');
  return parseJsonFile(givenText(bytes, place, 'document_invalid'), Organisation, place, 'document_invalid');
}

function text(dir: string, files: DocumentFiles, name: string): string | undefined {
  const bytes = files.get(name);
  return bytes && givenText(bytes, join(dir, name), 'document_invalid');
}

function isPresent(entry: readonly [string, string | undefined]): entry is readonly [string, string] {
  return entry[1] !== undefined;
}

/** A text under the wrong key would stand below another paper's title. */
function assertTitled(dir: string, id: string, title: string, markdown: string | undefined): void {
  if (markdown === undefined) return;
  const heading = /^.*/.exec(markdown)![0];
  if (heading !== `# ${title}`) refuse(`${join(dir, paperTextFile(id))}:1`, `# ${title}`, heading);
}

function assertNothingElse(dir: string, files: DocumentFiles, papers: readonly WrittenPaper[]): void {
  const names: string[] = [...Object.values(FILES), PAPERS_FILE];
  const expected = new Set([...names, ...papers.map(({ id }) => paperTextFile(id))]);
  for (const name of files.keys()) {
    if (expected.has(name)) continue;
    const paper = /^papers\/(.+)\.md$/.exec(name)?.[1];
    if (paper !== undefined)
      refuse(join(dir, name), `an entry with the key ${paper} in ${PAPERS_FILE}`, 'none');
    refuse(
      join(dir, name),
      `only ${formatList([...names, paperTextFile('<key>')])}`,
      'a file of another name',
    );
  }
}

function refuse(place: string, expected: string, found: string): never {
  throw new CathedralError('document_invalid', { place, expected, found });
}
