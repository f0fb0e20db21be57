import type { Column } from '../../../../pipeline/formats/columns.ts';
import type { CsvPlot, Shape, Source } from './source.ts';
import { lines, type Snippet } from './source.ts';

const KEY = 'headers = c(Authorization = paste("Bearer", Sys.getenv("API_KEY")))';

/** Only an empty cell is missing: an id may be `NA`. */
const MISSING = 'na.strings = ""';

/** Loads a data frame with base R, and jsonlite for JSON. */
export function r(source: Source): Snippet {
  const { shape, url, fileName } = source;
  if (shape.kind === 'csv') return { tool: 'R', ...noteOf(source), code: readCsv(source, shape) };
  if (shape.kind === 'bibtex' || shape.kind === 'pdf') {
    return { tool: 'R', code: `download.file("${url}", "${fileName}", mode = "wb")` };
  }
  return {
    tool: 'R',
    code: shape.kind === 'map' && source.ndjson ? readLines(source.ndjson) : readJson(source, shape),
  };
}

function readCsv(
  { url, restricted, isNewestFirst }: Source,
  { time, plot }: Extract<Shape, { kind: 'csv' }>,
): string {
  return lines(
    restricted
      ? `df <- read.csv(url("${url}",\n                   ${KEY}), ${MISSING})`
      : `df <- read.csv("${url}", ${MISSING})`,
    time ? parseTime(time) : null,
    // Rows are newest first, and `diff` would have the wrong sign.
    time && isNewestFirst ? `df <- df[order(df$${time.name}), ]` : null,
    'str(df)',
    time && plot ? draw(time.name, plot) : null,
  );
}

/** A double holds fifteen digits. */
function noteOf({ exact }: Source): Pick<Snippet, 'note'> {
  return exact === null
    ? {}
    : { note: `Amounts become doubles. To keep every digit, add colClasses = c(${exact} = "character").` };
}

function draw(time: string, { value, by, sum }: CsvPlot): string {
  if (sum) return `plot(aggregate(${value} ~ as.Date(${time}), df, sum), type = "l")`;
  return by
    ? `plot(${value} ~ ${time}, df, col = factor(${by}))`
    : `plot(${value} ~ ${time}, df, type = "l")`;
}

function parseTime({ name, type }: Pick<Column, 'name' | 'type'>): string {
  if (type === 'date') return `df$${name} <- as.Date(df$${name})`;
  return `df$${name} <- as.POSIXct(df$${name}, format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC")`;
}

/** jsonlite already returns the rows of a list as a data frame. */
function readJson({ url, restricted }: Source, shape: Shape): string {
  const read = restricted
    ? `data <- parse_json(url("${url}",\n                       ${KEY}),\n                   simplifyVector = TRUE)`
    : `data <- fromJSON("${url}")`;
  const list = shape.kind === 'list' ? [`df <- data$${shape.member}`, 'str(df)'] : null;
  const whole = shape.kind === 'record' ? ['df <- as.data.frame(data)', 'str(df)'] : null;
  return lines('library(jsonlite)', '', read, ...(list ?? whole ?? ['str(data, max.level = 2)']));
}

function readLines(url: string): string {
  return lines('library(jsonlite)', '', `df <- stream_in(url("${url}"), verbose = FALSE)`, 'str(df)');
}
