import { ARTIFACTS, LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { Changes } from '../live-changes.ts';
import type { ArtifactFacts } from './artifact-operations.ts';
import type { Operation, Parameter } from './operation.ts';
import { problemsByStatus } from './problem-responses.ts';
import { referToHeaders } from './response-headers.ts';

const DESCRIPTION = `Server-sent events: an event of each real-time file, named for its path, when it changes. \`data\` is a JSON object with \`path\`, \`timestamp\` and the whole new \`value\`; without \`value\`, what was said last is still right at that time. First comes everything as it is now.

Who comes back with the id of the last event, as browsers do by themselves, gets what is newer than that. The stream stays open, with a comment now and then as a sign of life. It is of no area: without a key, and not counted.`;

const PARAMETERS: Parameter[] = [
  {
    name: 'paths',
    in: 'query',
    required: false,
    description: `Which files, separated by commas: ${LIVE_PATHS.map((path) => `\`${path}\``).join(', ')}. Without it: all.`,
    schema: { type: 'string' },
    example: LIVE_PATHS.slice(0, 2).join(','),
  },
  {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The id of the last event that was received; the stream goes on after it.',
    schema: { type: 'string' },
    example: 'k7x2-17',
  },
];

/** What is shown of the stream, as it is written. */
const SHOWN = 'economy/supply';

export function liveOperation({ example }: Pick<ArtifactFacts, 'example'>): Operation {
  return {
    operationId: 'listen',
    tags: ['service'],
    summary: 'What changes, as it changes',
    description: DESCRIPTION,
    parameters: PARAMETERS,
    responses: {
      '200': {
        description: 'The stream.',
        headers: referToHeaders(['Cache-Control', 'X-Request-Id']),
        content: {
          'text/event-stream': {
            schema: { type: 'string' },
            examples: { excerpt: { summary: 'Its beginning', value: beginning(example) } },
          },
        },
      },
      ...problemsByStatus(['BadStream', 'InvalidKey', 'NotFound', 'MethodNotAllowed', 'StreamUnavailable']),
    },
    security: [{}],
  };
}

/** Of the stream as it would be now. */
function beginning(example: ArtifactFacts['example']): string {
  const artifact = ARTIFACTS.find(({ path }) => path === SHOWN)!;
  const changes = new Changes('k7x2');
  changes.update([[SHOWN, `${JSON.stringify(example(artifact), null, 2)}\n`]]);
  return `retry: 3000\n\n${changes.since(null, [SHOWN])}`;
}
