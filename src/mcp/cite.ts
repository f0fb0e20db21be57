import { z } from 'zod';
import { decisions } from '../../pipeline/artifacts/philosophy/decisions.ts';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import { citeChart } from '../../pipeline/charts/files/cite-chart.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { nearestName } from '../../pipeline/config/nearest-name.ts';
import { addressIn, CITATION_FORMS, type DatasetCitation } from '../../pipeline/forms/catalogue/citation.ts';
import { pageNames } from '../../pipeline/forms/catalogue/page-names.ts';
import { citeRecord } from '../../pipeline/forms/catalogue/record-citation.ts';
import { FilePath, knownFile } from './find-files.ts';
import type { OpenRelease } from './held-release.ts';
import { citationOf } from './provenance.ts';
import { AsOf } from './read-rows.ts';
import { defineTool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const FORMATS = { text: 'txt', bibtex: 'bib', ris: 'ris', csl: 'json' } as const;

export const cite = defineTool({
  name: 'cite',
  title: 'Cite a file, a chart or a decision',
  description:
    'Returns the citation of a file (also of an earlier version), a chart or a decision as text, BibTeX, RIS or CSL-JSON, with the time of the data and a permanent address.',
  input: z.strictObject({
    path: FilePath.optional(),
    chart: z.string().max(100).optional().meta({ description: 'Id of a chart, see describe_file' }),
    decision: z.string().max(100).optional().meta({ description: 'Id of a decision, decision-105-1' }),
    as_of: AsOf,
    format: z.enum(['text', 'bibtex', 'ris', 'csl']).default('text'),
  }),
  output: z.strictObject({
    citation: z.string(),
    as_of: z.string().nullable(),
    address: z.string(),
    permanent_address: z.string().nullable(),
  }),
  run: async ({ path, chart, decision, as_of, format }, { held }) => {
    if ([path, chart, decision].filter((one) => one !== undefined).length !== 1)
      throw new ToolError('Give exactly one of path, chart and decision.');
    if (as_of !== undefined && path === undefined)
      throw new ToolError('as_of: only a file has earlier versions here.');
    return held.read(async (release) => {
      const found =
        path !== undefined
          ? await fileCitation(release, path, as_of)
          : chart !== undefined
            ? await chartCitation(release, chart)
            : await decisionCitation(release, decision!);
      const { format: write } = CITATION_FORMS.find(({ ending }) => ending === FORMATS[format])!;
      const citation = write(found).trimEnd();
      const permanent = addressIn(found.permanent);
      return {
        text: citation,
        value: { citation, as_of: found.asOf, address: found.url, permanent_address: permanent },
      };
    });
  },
});

async function fileCitation(release: OpenRelease, path: string, asOf?: string): Promise<DatasetCitation> {
  const { artifact, file } = knownFile(release, path);
  if (asOf !== undefined) return citationOf(release, artifact, await release.read(file.path, asOf));
  return citationOf(release, artifact, { ...file, asOf: await release.statedTime(file.path) });
}

async function chartCitation(release: OpenRelease, id: string): Promise<DatasetCitation> {
  const chart = CHARTS.find((one) => one.id === id);
  if (!chart)
    throw unknown(
      'chart',
      id,
      CHARTS.map((one) => one.id),
    );
  const texts: Record<string, string> = {};
  for (const path of chart.sources) texts[path] = (await release.read(path)).text;
  const data = chart.prepare(PublishedFiles.of(texts));
  const { author, baseUrl } = await release.facts();
  const citation = citeChart({ chart, data, baseUrl }, author);
  if (citation) return citation;
  throw new ToolError(`The chart ${id} has no data yet, so there is nothing to cite.`);
}

async function decisionCitation(release: OpenRelease, id: string): Promise<DatasetCitation> {
  const { path } = decisions;
  const file = await release.read(path);
  const all = PublishedFiles.of({ [path]: file.text }).read(decisions);
  const records = (all as { decisions: readonly { id: string; date: string; topic: string }[] }).decisions;
  const decision = records.find((one) => one.id === id);
  if (!decision) throw unknown('decision', id, [], `read_rows of ${path} lists them.`);
  // The file has the newest first; names of pages follow the oldest first.
  const page = pageNames(records.map((one) => one.id).reverse()).get(id)!;
  return citeRecord(
    { ...(await release.facts()), origin: release.signed.manifest.log.origin },
    {
      kind: 'decision',
      href: `/decisions/${page}/`,
      title: `Decision ${id}: ${decision.topic}`,
      date: decision.date,
      events: null,
    },
  );
}

function unknown(what: string, id: string, names: readonly string[], advice?: string): ToolError {
  const nearest = nearestName(id, names);
  const hint = advice ?? (nearest === null ? `Known: ${names.join(', ')}.` : `Did you mean ${nearest}?`);
  return new ToolError(`${what}: there is no ${JSON.stringify(id)}. ${hint}`);
}
