import type { Shape, Source } from './source.ts';
import { lines, type Snippet } from './source.ts';

/** Loads the data set of a table; null for a file that is none. Stata reads no JSON, so such a file comes from its workbook. */
export function stata(source: Source): Snippet | null {
  const { shape, xlsx, isNewestFirst } = source;
  const tool = 'Stata';
  if (shape.kind === 'csv') return { tool, code: importCsv(source, shape) };
  return xlsx === null
    ? null
    : {
        tool,
        note: `Stata reads no JSON, so this reads the workbook${isNewestFirst ? ' of the newest year' : ''}.`,
        code: importExcel(xlsx),
      };
}

function importCsv(source: Source, { time }: Extract<Shape, { kind: 'csv' }>): string {
  const { url, fileName, restricted, columns, texts } = source;
  // Numbers as doubles: a float has seven digits. Identifiers as text, whatever they look like.
  const options = [
    'clear',
    'varnames(1)',
    'case(preserve)',
    'encoding("UTF-8")',
    'bindquote(strict)',
    'asdouble',
  ];
  const strings = texts.length > 0 ? [`stringcols(${texts.join(' ')})`] : [];
  return lines(
    ...(restricted ? download(url, fileName) : []),
    `import delimited using "${restricted ? fileName : url}", ///`,
    `    ${[...options, ...strings].join(' ')}`,
    ...(time ? parseTime(time, columns) : []),
    'describe',
  );
}

/** A dollar sign would begin a macro of Stata, so the shell never sees the variable. */
function download(url: string, fileName: string): string[] {
  return [
    'local key : environment API_KEY',
    `shell curl --fail --header "Authorization: Bearer \`key'" --output ${fileName} "${url}"`,
  ];
}

/** A day is a whole number of days, a time a double of milliseconds, both since 1960. `#` stands for the T and the Z. */
function parseTime({ name, type }: { name: string; type: string }, columns: readonly string[]): string[] {
  const [wanted, make, format] =
    type === 'date'
      ? (['day', `generate long NEW = daily(${name}, "YMD")`, '%td'] as const)
      : (['time', `generate double NEW = clock(${name}, "YMD#hms#")`, '%tc'] as const);
  const made = columns.includes(wanted) ? `${wanted}_of_row` : wanted;
  return [make.replace('NEW', made), `format ${made} ${format}`, `sort ${made}, stable`];
}

function importExcel(xlsx: string): string {
  const file = xlsx.split('/').at(-1)!;
  return lines(
    `copy "${xlsx}" "${file}", replace`,
    `import excel using "${file}", firstrow case(preserve) clear`,
    'describe',
  );
}
