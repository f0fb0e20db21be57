import { z } from 'zod';
import { embedFrame } from '../../../pipeline/charts/drawing/embed-frame.ts';
import { OembedDocument } from '../oembed-document.ts';
import type { Operation, Parameter } from './operation.ts';
import { problemsByStatus } from './problem-responses.ts';
import { referToHeaders } from './response-headers.ts';

const DESCRIPTION = `What turns a link to a chart into a frame: the address of a chart’s page or embed, in any state, as an [oEmbed](https://oembed.com) 1.0 document. Parameters that it does not know are ignored, as consumers add their own. A host of files alone has \`/oembed/<id>.json\` for each chart.`;

const PIXELS = { type: 'integer', minimum: 1, maximum: 100_000 };

function parametersAt(baseUrl: string): Parameter[] {
  const query = { in: 'query', required: false } as const;
  return [
    {
      ...query,
      name: 'url',
      required: true,
      description: 'Address of a chart’s page or embed.',
      schema: { type: 'string', format: 'uri' },
      example: `${baseUrl}/charts/supply/`,
    },
    {
      ...query,
      name: 'maxwidth',
      description: 'The frame is no wider; pixels.',
      schema: PIXELS,
      example: '600',
    },
    {
      ...query,
      name: 'maxheight',
      description: 'The frame is no higher; pixels.',
      schema: PIXELS,
      example: '500',
    },
    {
      ...query,
      name: 'format',
      description: 'There is this one.',
      schema: { type: 'string', enum: ['json'] },
      example: 'json',
    },
  ];
}

function exampleAt(baseUrl: string): OembedDocument {
  const [title, width, height] = ['MIC supply over time: circulating, locked and burned', 600, 500];
  return {
    version: '1.0',
    type: 'rich',
    title,
    provider_name: 'Cathedral Data Service',
    provider_url: `${baseUrl}/`,
    cache_age: 21_600,
    width,
    height,
    html: embedFrame({ baseUrl, id: 'supply', query: '', title, width, height }),
  };
}

export function oembedOperation(baseUrl: string): Operation {
  const { $schema: _, ...schema } = z.toJSONSchema(OembedDocument, { target: 'draft-2020-12' });
  return {
    operationId: 'getOembed',
    tags: ['charts'],
    summary: 'A chart as an embed',
    description: DESCRIPTION,
    parameters: parametersAt(baseUrl),
    responses: {
      '200': {
        description: 'The frame, with its size.',
        headers: referToHeaders(['Cache-Control', 'X-Request-Id']),
        content: { 'application/json': { schema, examples: { example: { value: exampleAt(baseUrl) } } } },
      },
      ...problemsByStatus(['BadState', 'InvalidKey', 'NotFound', 'MethodNotAllowed', 'FormatNotOffered']),
    },
    security: [{}],
  };
}
