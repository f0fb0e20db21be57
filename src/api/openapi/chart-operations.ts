import { allowedControls, CONTROLS, type ControlName } from '../../../pipeline/charts/chart-state.ts';
import { CHART_FORMS, type ChartForm, isAnyState } from '../../../pipeline/charts/files/chart-forms.ts';
import { CHARTS } from '../../../pipeline/charts/table.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { CHART_CSV, CHART_DOCUMENT } from './chart-examples.ts';
import { NOT_COUNTED } from './not-counted.ts';
import { type Content, type Operation, type Parameter, type PathOperation, refer } from './operation.ts';
import { problemsByStatus } from './problem-responses.ts';
import { referToRequestHeaders } from './request-headers.ts';
import { FILE_HEADERS, referToHeaders } from './response-headers.ts';

const IDS = CHARTS.map(({ id }) => id);
const DARK = '-dark';
const TEXT = { type: 'string' };

const CONTROL_WORDS: Readonly<Record<ControlName, [text: string, example: string]>> = {
  tab: ['Which tab the chart’s page shows; it makes no difference to a file.', 'table'],
  series: ['What is shown of the chart, by the names that its page has. Without it: all.', 'burned'],
  from: ['First day that is shown.', '2026-01-01'],
  to: ['Last day that is shown.', '2026-06-30'],
  scale: ['How values are laid out on the axis.', 'log'],
  s: ['A point of your own in the reward curve: coordination score.', '60'],
  multiplier: ['A point of your own in the reward curve: multiplier.', '1.5'],
};

/** Of the endings without a dark one: `-dark.svg` is the `.svg` of `supply-dark`. */
export function chartOperations(baseUrl: string): PathOperation[] {
  return CHART_FORMS.filter(({ ending }) => !ending.startsWith(DARK)).map((form) => [
    pathOf(form),
    operationOf(form, baseUrl),
  ]);
}

function pathOf(form: ChartForm): string {
  return `/charts/{${isDrawn(form) ? 'drawing' : 'id'}}${form.ending}`;
}

function isDrawn({ ending }: ChartForm): boolean {
  return CHART_FORMS.some((other) => other.ending === DARK + ending);
}

function operationOf(form: ChartForm, baseUrl: string): Operation {
  const { ending, title, content } = form;
  const name = ending.slice(1).toUpperCase();
  const anyState = isAnyState(content);
  const state = anyState
    ? 'In the state that the parameters tell; without any, the release’s own file.'
    : 'Of the chart as it is without parameters.';
  return {
    operationId: `getChart${name.charAt(0)}${name.slice(1).toLowerCase()}`,
    tags: ['charts'],
    summary: `A chart as ${name}`,
    description: `${title.charAt(0).toUpperCase()}${title.slice(1)}. ${state}\n\nPublic. Changes with the files that the chart is made of.`,
    externalDocs: { description: 'All charts', url: `${baseUrl}/charts/` },
    parameters: [nameParameter(form), ...(anyState ? stateParameters() : []), ...referToRequestHeaders()],
    responses: { '200': wholeFile(form), ...otherResponses(anyState) },
    security: [{}],
  };
}

function nameParameter(form: ChartForm): Parameter {
  const drawn = isDrawn(form);
  return {
    name: drawn ? 'drawing' : 'id',
    in: 'path',
    required: true,
    description: drawn ? `Name of the chart, with ${DARK} after it on dark ground.` : 'Name of the chart.',
    schema: { type: 'string', enum: drawn ? IDS.flatMap((id) => [id, id + DARK]) : IDS },
    example: 'supply',
  };
}

function stateParameters(): Parameter[] {
  return (Object.keys(CONTROLS) as ControlName[]).map((name) => {
    const [text, example] = CONTROL_WORDS[name];
    const charts = CHARTS.filter(({ controls }) => allowedControls(controls).includes(name));
    const which = charts.length === CHARTS.length ? '' : ` Charts: ${charts.map(({ id }) => id).join(', ')}.`;
    const { expected } = CONTROLS[name];
    const description = `${text} Expected: ${expected}.${which}`;
    // Once for each name; a single one is a list, too.
    const schema = name === 'series' ? { type: ['array', 'string'], items: TEXT } : TEXT;
    return { name, in: 'query', required: false, description, schema, example };
  });
}

function wholeFile(form: ChartForm) {
  const mediaType = mediaTypeOf(`chart${form.ending}`);
  return {
    description: `The chart, ${form.ending.slice(1)}.`,
    headers: referToHeaders(FILE_HEADERS),
    content: { [mediaType]: contentOf(form) },
  };
}

function contentOf({ content }: ChartForm): Content {
  const invented = (value: unknown) => ({ invented: { summary: 'Invented', value } });
  if (content.kind === 'document')
    return { schema: refer('schemas', 'ChartDocument'), examples: invented(CHART_DOCUMENT) };
  if (content.kind === 'rows') return { schema: TEXT, examples: invented(CHART_CSV) };
  return { schema: {} };
}

function otherResponses(anyState: boolean): Operation['responses'] {
  return {
    ...NOT_COUNTED,
    ...problemsByStatus([
      anyState ? 'BadState' : 'BadRequest',
      'InvalidKey',
      'NotFound',
      'MethodNotAllowed',
      'PreconditionFailed',
      'RangeNotSatisfiable',
      'Unavailable',
    ]),
  };
}
