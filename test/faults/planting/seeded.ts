import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';
import { ROOMS } from './rooms.ts';
import type { RoomFault } from './tables.ts';

/** In one file, so that a long one does not have them all. */
const MOST_IN_A_FILE = 3;

/** What stands in the text from one place to another, and what is to stand there. */
interface Mutation {
  start: number;
  end: number;
  to: string;
  kind: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '*': '/',
  '/': '*',
  '-': '+',
};

/**
 * As many faults as asked for, the same share in each room. A fault is chosen by the hash of what it changes, so that a change in
 * the product leaves the other faults what they are.
 */
export async function seededFaults(tree: string, seed: number, count: number): Promise<RoomFault[]> {
  const rooms = Object.keys(ROOMS);
  const perRoom = Math.ceil(count / rooms.length);
  const faults = await Promise.all(rooms.map((room) => faultsOf(tree, room, seed, perRoom)));
  return faults.flat();
}

async function faultsOf(tree: string, room: string, seed: number, count: number): Promise<RoomFault[]> {
  const { product, tests } = ROOMS[room]!;
  const found: { rank: string; fault: RoomFault }[] = [];
  const testFiles = await filesOf(tree, tests);
  const patterns = product.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
  for (const file of await filesOf(tree, patterns)) {
    const text = await readFile(join(tree, file), 'utf8');
    const ranked = mutationsOf(text)
      .map((mutation) => faultOf(text, file, mutation))
      .map(({ name, change }) => ({
        rank: createHash('sha256').update(`${seed} ${name} ${change[0]}`).digest('hex'),
        fault: { room, name, breaks: 'chosen by seed', file, change, tests: testFiles },
      }))
      .sort(byRank);
    found.push(...ranked.slice(0, MOST_IN_A_FILE));
  }
  return found
    .sort(byRank)
    .slice(0, count)
    .map(({ fault }) => fault);
}

function byRank(one: { rank: string }, other: { rank: string }): number {
  return one.rank < other.rank ? -1 : 1;
}

async function filesOf(tree: string, patterns: readonly string[]): Promise<string[]> {
  const files = await Array.fromAsync(glob(patterns, { cwd: tree }));
  return [...new Set(files)].filter((file) => !file.endsWith('.sweep.test.ts')).sort();
}

/** All mutations of a module after which it is still one. */
export function mutationsOf(text: string): Mutation[] {
  const found: Mutation[] = [];
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node, (node, parent) => {
    found.push(...mutationsOfNode(text, node, parent));
  });
  return found.filter((mutation) => isModule(applied(text, mutation)));
}

function applied(text: string, { start, end, to }: Mutation): string {
  return text.slice(0, start) + to + text.slice(end);
}

function isModule(text: string): boolean {
  try {
    parseAst(text, { lang: 'ts' });
    return true;
  } catch {
    return false;
  }
}

function visit(node: Node, see: (node: Node, parent: Node | null) => void, parent: Node | null = null): void {
  // Types, and the names of modules.
  if (/^TS(?!NonNull|As|Satisfies)|^(Import|Export.*From|ExportAll)Declaration/.test(node.type)) return;
  see(node, parent);
  for (const member of Object.values(node))
    for (const child of Array.isArray(member) ? member : [member]) if (isNode(child)) visit(child, see, node);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function mutationsOfNode(text: string, node: Node, parent: Node | null): Mutation[] {
  const { start, end } = node;
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return operatorChanged(text, node);
    case 'IfStatement':
      return [...negated(text, node.test as Node), ...guardRemoved(node)];
    case 'ConditionalExpression':
      return negated(text, node.test as Node);
    case 'ExpressionStatement':
      return statementRemoved(text, node);
    case 'Literal':
      if (parent?.type === 'Property' && parent.key === node) return [];
      if (typeof node.value === 'boolean') return [{ start, end, to: `${!node.value}`, kind: 'constant' }];
      if (typeof node.value === 'number') return [{ start, end, to: `${node.value + 1}`, kind: 'constant' }];
      return [];
    default:
      return [];
  }
}

function operatorChanged(text: string, node: Node): Mutation[] {
  const to = OPERATORS[node.operator as string];
  if (!to) return [];
  const start = text.indexOf(node.operator as string, (node.left as Node).end);
  return [{ start, end: start + (node.operator as string).length, to, kind: 'operator' }];
}

function negated(text: string, { start, end }: Node): Mutation[] {
  return [{ start, end, to: `!(${text.slice(start, end)})`, kind: 'condition negated' }];
}

/** `if (…) return …;` and `if (…) throw …;`, without an `else`. */
function guardRemoved({ start, end, consequent, alternate }: Node): Mutation[] {
  const leaves = /^(Return|Throw|Continue)Statement$/.test((consequent as Node).type);
  return leaves && !alternate ? [{ start, end, to: '{}', kind: 'guard removed' }] : [];
}

function statementRemoved(text: string, node: Node): Mutation[] {
  const expression = node.expression as Node;
  const { start, end } = node;
  const removed = { start, end, to: '{}', kind: 'statement removed' };
  if (expression.type === 'CallExpression') return [removed];
  if (expression.type !== 'AwaitExpression') return [];
  const { argument } = expression as unknown as { argument: Node };
  return [removed, { start, end, to: `${text.slice(argument.start, argument.end)};`, kind: 'await removed' }];
}

/** What is changed has to occur once: as many lines as that takes. */
function faultOf(text: string, file: string, mutation: Mutation): { name: string; change: [string, string] } {
  let start = text.lastIndexOf('\n', mutation.start - 1) + 1;
  let end = endOfLine(text, mutation.end);
  const short = (part: string) => part.replace(/\s+/g, ' ').trim();
  const name = `${file}: ${mutation.kind}: ${short(text.slice(start, end))} → ${short(
    text.slice(start, mutation.start) + mutation.to + text.slice(mutation.end, end),
  )}`;
  while (text.split(text.slice(start, end)).length !== 2) {
    start = text.lastIndexOf('\n', start - 2) + 1;
    end = endOfLine(text, end + 1);
  }
  const from = text.slice(start, end);
  const to = text.slice(start, mutation.start) + mutation.to + text.slice(mutation.end, end);
  return { name, change: [from, to] };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
