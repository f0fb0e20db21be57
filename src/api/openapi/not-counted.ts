import { type Operation, refer } from './operation.ts';
import { referToHeaders } from './response-headers.ts';

/** Of a file that no limit counts: a part of it, and that the client has it. */
export const NOT_COUNTED: Operation['responses'] = {
  '206': refer('responses', 'PartOfFile'),
  '304': {
    description: 'The file is still the one that the request names.',
    headers: referToHeaders(['ETag', 'Last-Modified', 'Cache-Control']),
  },
};
