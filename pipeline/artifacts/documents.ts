import { CathedralError } from '../errors.ts';
import { type DocumentFiles, decodeText, digestFiles, readFiles } from './documents/files.ts';
import { Citations, Papers } from './documents/papers.ts';
import { Protocols } from './documents/protocols.ts';
import { assertReferences } from './documents/references.ts';
import { Standards } from './documents/standards.ts';
import { TreatyFramework } from './documents/treaty-framework.ts';
import { parseJsonFile } from './format/json.ts';
import { formatPlace } from './format/schema-fault.ts';

/** The folder's name in messages, wherever it is. */
const LABEL = 'data/documents';

const FILES = {
  treatyFramework: 'treaty-framework.json',
  standards: 'standards.json',
  protocols: 'protocols.json',
  papers: 'papers.json',
  citations: 'citations.json',
} as const;

/** The published texts that people write: checked as a whole, never changed afterwards. */
export interface Documents {
  treatyFramework: TreatyFramework;
  standards: Standards;
  protocols: Protocols;
  papers: Papers;
  /** The text of each paper by its id: Markdown that begins with `# <title>`. */
  paperTexts: ReadonlyMap<string, string>;
  citations: Citations;
  /** SHA-256 over all files with their names, hex. Changed documents mean a new release. */
  digest: string;
}

/**
 * Reads and checks the folder of documents. Throws document_invalid with the place
 * (`data/documents/treaty-framework.json: articles[3].title`) if a file is missing, unexpected or does not fit its schema,
 * if an id occurs twice, or if a reference leads nowhere.
 */
export async function readDocuments(dir: string): Promise<Documents> {
  const files = await readFiles(dir, LABEL);
  const parse = <S extends Parameters<typeof parseJsonFile>[1]>(name: string, schema: S) =>
    parseJsonFile(text(files, name), schema, `${LABEL}/${name}`, 'document_invalid');
  const diplomacy = {
    treatyFramework: parse(FILES.treatyFramework, TreatyFramework),
    standards: parse(FILES.standards, Standards),
    protocols: parse(FILES.protocols, Protocols),
  };
  assertReferences(diplomacy, {
    treatyFramework: `${LABEL}/${FILES.treatyFramework}`,
    standards: `${LABEL}/${FILES.standards}`,
    protocols: `${LABEL}/${FILES.protocols}`,
  });
  const papers = parse(FILES.papers, Papers);
  const citations = parse(FILES.citations, Citations);
  assertSamePapers(papers, citations);
  const paperTexts = readPapers(files, papers);
  assertNothingElse(files, papers);
  return { ...diplomacy, papers, paperTexts, citations, digest: digestFiles(files) };
}

function text(files: DocumentFiles, name: string): string {
  const bytes = files.get(name);
  if (!bytes) refuse(`${LABEL}/${name}`, 'a file', 'nothing');
  return decodeText(bytes, `${LABEL}/${name}`);
}

function readPapers(files: DocumentFiles, { papers }: Papers): ReadonlyMap<string, string> {
  return new Map(
    papers.map(({ id, title }) => {
      const name = `papers/${id}.md`;
      const markdown = text(files, name);
      const heading = markdown.slice(0, markdown.indexOf('\n'));
      if (heading !== `# ${title}`) refuse(`${LABEL}/${name}:1`, `# ${title}`, heading);
      return [id, markdown];
    }),
  );
}

/** The citations list exactly the papers of the index. */
function assertSamePapers({ papers }: Papers, citations: Citations): void {
  const cited = new Set(citations.papers.map(({ id }) => id));
  const missing = papers.find(({ id }) => !cited.delete(id));
  const place = formatPlace(`${LABEL}/${FILES.citations}`, ['papers']);
  if (missing) refuse(place, `an entry for the paper ${missing.id}`, 'none');
  const [extra] = cited;
  if (extra !== undefined) refuse(place, 'papers of the index only', extra);
}

function assertNothingElse(files: DocumentFiles, { papers }: Papers): void {
  const expected = new Set<string>([...Object.values(FILES), ...papers.map(({ id }) => `papers/${id}.md`)]);
  for (const name of files.keys()) {
    if (!expected.has(name)) refuse(`${LABEL}/${name}`, 'no file of this name', 'one');
  }
}

function refuse(place: string, expected: string, found: string): never {
  throw new CathedralError('document_invalid', { place, expected, found });
}
