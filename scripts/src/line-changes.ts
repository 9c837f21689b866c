import { parseSync } from 'vite'

/** A number above it is a size or a time: one more of it is no other behaviour. */
const NUMBER_MAX = 100
const OPERATORS: Readonly<Record<string, readonly [kind: string, other: string]>> = {
  '<': ['comparison', '<='],
  '<=': ['comparison', '<'],
  '>': ['comparison', '>='],
  '>=': ['comparison', '>'],
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
}
/** They hold an expression; all other nodes of TypeScript are types. */
const WRAPPERS = /^TS(?:As|NonNull|Satisfies)/

/** A change of one line. */
export interface Change {
  readonly file: string
  readonly kind: string
  readonly start: number
  readonly end: number
  /** What is written in place of the text from `start` to `end`. */
  readonly text: string
  readonly line: number
  /** The whole line before and after. */
  readonly shown: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Every change of one line that is still valid TypeScript. */
export function changesOf(file: string, source: string): Change[] {
  const found: Change[] = []
  const add = (kind: string, start: number, end: number, text: string) => {
    const before = source.slice(source.lastIndexOf('\n', start - 1) + 1, start)
    const [after = ''] = source.slice(end).split('\n', 1)
    const old = source.slice(start, end)
    if (old.includes('\n')) return
    const mutated = source.slice(0, start) + text + source.slice(end)
    if (parseSync(file, mutated).errors.length > 0) return
    const line = source.slice(0, start).split('\n').length
    const [from, to] = [old, text].map((middle) => `${before}${middle}${after}`.trim())
    found.push({ ...{ file, kind, start, end, text, line }, shown: `${from} → ${to}` })
  }
  const visit = (node: Node) => {
    if (node.type === 'ImportDeclaration') return
    if (node.type.startsWith('TS') && !WRAPPERS.test(node.type)) return
    addChanges(node, source, add)
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child)
  }
  visit(parseSync(file, source).program as unknown as Node)
  return found
}

function addChanges(
  node: Node,
  source: string,
  add: (kind: string, start: number, end: number, text: string) => void,
): void {
  const { type, start, end, operator, left, right, value, argument } = node
  const [kind, other] = OPERATORS[String(operator)] ?? []
  if (/^(?:Binary|Logical)Expression$/.test(type) && other !== undefined) {
    if (!isNode(left) || !isNode(right)) return
    const isText = [left, right].some((side) => /^['"`]/.test(source.slice(side.start, side.end)))
    const at = source.indexOf(String(operator), left.end)
    if (!isText) add(kind ?? '', at, at + String(operator).length, other)
  } else if (type === 'Literal' && typeof value === 'boolean')
    add('boolean', start, end, String(!value))
  else if (type === 'Literal' && Number.isInteger(value) && Number(value) <= NUMBER_MAX)
    add('number', start, end, String(Number(value) + 1))
  else if (type === 'UnaryExpression' && operator === '!' && isNode(argument))
    add('negation', start, argument.start, '')
  else if (type === 'ExpressionStatement' && !node.directive) add('statement', start, end, ';')
}
