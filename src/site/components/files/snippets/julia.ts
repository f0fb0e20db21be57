import type { Shape, Source } from './source.ts';
import { lines, type Snippet } from './source.ts';

/** Loads a data frame with CSV.jl or JSON3.jl and DataFrames.jl. */
export function julia(source: Source): Snippet {
  const { shape, url, fileName } = source;
  const tool = 'Julia';
  if (shape.kind === 'bibtex' || shape.kind === 'pdf') {
    return { tool, code: lines('using Downloads', '', `Downloads.download("${url}", "${fileName}")`) };
  }
  const isCsv = shape.kind === 'csv';
  const using = [isCsv ? 'CSV' : 'JSON3', 'Downloads', ...(shape.kind === 'tree' ? [] : ['DataFrames'])];
  return {
    tool,
    code: lines(
      `using ${using.sort().join(', ')}`,
      '',
      download(source),
      ...(isCsv ? readCsv(source) : readJson(shape)),
    ),
  };
}

/** Rows are newest first, and `diff` would have the wrong sign. Both time formats sort as they are. */
function readCsv({ shape, isNewestFirst }: Source): string[] {
  const time = shape.kind === 'csv' && isNewestFirst ? shape.time : null;
  return ['df = CSV.read(file, DataFrame)', ...(time ? [`sort!(df, :${time.name})`] : [])];
}

function download({ url, restricted }: Source): string {
  if (!restricted) return `file = Downloads.download("${url}")`;
  return lines(
    'key = ["Authorization" => "Bearer " * ENV["API_KEY"]]',
    `url = "${url}"`,
    'file = Downloads.download(url; headers = key)',
  );
}

function readJson(shape: Shape): string[] {
  const data = 'data = JSON3.read(read(file, String))';
  if (shape.kind === 'list') return [data, `df = DataFrame([(; row...) for row in data.${shape.member}])`];
  if (shape.kind === 'map') {
    return [data, `df = DataFrame([(; name, row...) for (name, row) in data.${shape.member}])`];
  }
  return shape.kind === 'record' ? [data, 'df = DataFrame([(; data...)])'] : [data, 'keys(data)'];
}
