import type { CsvPlot, Shape, Source } from './source.ts';
import { lines, type Snippet } from './source.ts';

const KEY = `key = {"Authorization": f"Bearer {os.environ['API_KEY']}"}`;
const TOOL = 'Python (pandas)';
/** Only an empty cell is missing: by default pandas also takes the texts `NA`, `None` and others for that, and they may be ids. */
const MISSING = 'keep_default_na=False, na_values=[""]';

/** Loads a data frame, or a dictionary from a file without a table. */
export function python(source: Source): Snippet {
  const { shape, url, fileName } = source;
  if (shape.kind === 'csv')
    return { tool: TOOL, ...noteOf(source), code: readCsv(source, shape), ...pinnedCsv(source, shape) };
  if (shape.kind === 'bibtex' || shape.kind === 'pdf') {
    const code = lines('from urllib.request import urlretrieve', '', `urlretrieve("${url}", "${fileName}")`);
    return { tool: 'Python', code };
  }
  return { tool: TOOL, code: readJson(source, FRAMES[shape.kind](shape as { member: string })) };
}

/** A double holds fifteen digits. */
function noteOf({ exact }: Source): Pick<Snippet, 'note'> {
  if (exact === null) return {};
  return {
    note: `Amounts become doubles. To keep every digit, add dtype={"${exact}": "string"} and use decimal.Decimal.`,
  };
}

function pinnedCsv(
  { pinned, isNewestFirst }: Source,
  { time }: Extract<Shape, { kind: 'csv' }>,
): Pick<Snippet, 'pinned'> {
  if (pinned === null) return {};
  const code = lines(
    'from hashlib import sha256',
    'from io import BytesIO',
    'from urllib.request import urlopen',
    'import pandas as pd',
    '',
    `with urlopen("${pinned.url}") as answer:`,
    '    data = answer.read()',
    `if sha256(data).hexdigest() != "${pinned.sha256}":`,
    '    raise ValueError("these are not the bytes that were cited")',
    `df = pd.read_csv(BytesIO(data), ${MISSING}${time ? `,\n                 parse_dates=["${time.name}"]` : ''})`,
    time && isNewestFirst ? sorted(time.name) : null,
  );
  return { pinned: code };
}

/** Rows are newest first, and `diff` would have the wrong sign. */
function sorted(time: string): string {
  return `df = df.sort_values("${time}", kind="stable", ignore_index=True)`;
}

const FRAMES: Record<'list' | 'map' | 'record' | 'tree', (shape: { member: string }) => string> = {
  list: ({ member }) => `pd.json_normalize(data["${member}"])`,
  map: ({ member }) => `pd.DataFrame.from_dict(data["${member}"], orient="index")`,
  record: () => 'pd.json_normalize(data)',
  tree: () => 'pd.json_normalize(data).T',
};

function readCsv(
  { url, restricted, isNewestFirst }: Source,
  { time, plot }: Extract<Shape, { kind: 'csv' }>,
): string {
  const dates = time ? `, parse_dates=["${time.name}"]` : '';
  const indent = ' '.repeat('df = pd.read_csv('.length);
  const key = restricted ? ', storage_options=key' : '';
  return lines(
    restricted ? 'import os' : null,
    'import pandas as pd',
    '',
    restricted ? KEY : null,
    restricted ? `url = "${url}"` : null,
    `df = pd.read_csv(${restricted ? 'url' : `"${url}"`}${key},\n${indent}${MISSING}${dates})`,
    time && isNewestFirst ? sorted(time.name) : null,
    'print(df.tail())',
    ...(time && plot ? draw(time.name, plot) : []),
  );
}

function draw(time: string, { value, by, sum }: CsvPlot): string[] {
  const line = sum
    ? `df.resample("D", on="${time}")["${value}"].sum().plot()`
    : by
      ? `df.pivot(index="${time}", columns="${by}", values="${value}").plot()`
      : `df.plot(x="${time}", y="${value}")`;
  return ['', 'import matplotlib.pyplot as plt  # only to draw it', '', line, 'plt.show()'];
}

function readJson({ url, restricted }: Source, frame: string): string {
  const request = restricted
    ? [
        `key = {"Authorization": f"Bearer {os.environ['API_KEY']}"}`,
        `request = Request("${url}", headers=key)`,
      ]
    : [];
  return lines(
    'import json',
    restricted ? 'import os' : null,
    `from urllib.request import ${restricted ? 'Request, ' : ''}urlopen`,
    'import pandas as pd',
    '',
    ...request,
    `with urlopen(${restricted ? 'request' : `"${url}"`}) as answer:`,
    '    data = json.load(answer)',
    `df = ${frame}`,
    'print(df)',
  );
}
