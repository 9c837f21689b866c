import { type Plugin, parseSync } from 'vite'

/** The files that every text of the console is in. */
const CATALOGUE = /\/console\/src\/.*texts\.ts$/

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ACCENTED = 'ÀƁĆĐÉƑĜĤÎĴĶĹṀŃÓṔɊŔŠŤÛṼŴẊÝŽàƀćđéƒĝĥîĵķĺṁńóṕɋŕšťûṽŵẋýž'

/** A text with another letter for each of the 52 that English has. */
export function accented(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter)
}

/**
 * Builds the console in a language of tests: the texts of the catalogue have no letter of English,
 * and stand in brackets that show where each begins and ends. What is still English is no text of
 * the catalogue.
 */
export function testLanguage(): Plugin {
  return {
    name: 'test-language',
    enforce: 'pre',
    transform(source, id) {
      return CATALOGUE.test(id) ? { code: inTestLanguage(source, id), map: null } : null
    },
  }
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/**
 * The source of a catalogue file in the language of tests. Text is every string and template, apart
 * from keys, types, imports and what the program compares: the cases of a `switch`, the operands of
 * a comparison, the default of a parameter. A code beside its text is named as one.
 */
export function inTestLanguage(source: string, file = 'texts.ts'): string {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  let code = source
  for (const { start, end, text } of textsIn(program as unknown as Node).reverse())
    code = code.slice(0, start) + text + code.slice(end)
  return code
}

/** The names of properties that are a code and no text. */
const CODES = ['value', 'href', 'column', 'tone']

interface Text {
  readonly start: number
  readonly end: number
  readonly text: string
}

function textsIn(node: Node): Text[] {
  if (node.type === 'Literal') return typeof node.value === 'string' ? literal(node) : []
  if (node.type === 'TemplateLiteral') return template(node)
  return childrenOf(node).flatMap(textsIn)
}

function childrenOf(node: Node): readonly Node[] {
  const { type } = node
  if (type === 'ImportDeclaration' || (type.startsWith('TS') && !('expression' in node))) return []
  if (type === 'Property' && CODES.includes(nameOf(node.key as Node))) return []
  if (type === 'BinaryExpression' && node.operator !== '+')
    return nodesOf([node.left, node.right]).filter((side) => side.type !== 'Literal')
  const code = CODE_FIELDS[type]
  return Object.entries(node).flatMap(([field, value]) => (field === code ? [] : nodesOf(value)))
}

/** What of a node is a code. */
const CODE_FIELDS: Readonly<Record<string, string>> = {
  Property: 'key',
  SwitchCase: 'test',
  AssignmentPattern: 'right',
  MemberExpression: 'property',
  TSAsExpression: 'typeAnnotation',
  TSSatisfiesExpression: 'typeAnnotation',
}

const nameOf = (key: Node) => String(key.name ?? key.value)

function nodesOf(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf)
  return typeof value === 'object' && value !== null && 'type' in value ? [value as Node] : []
}

function literal({ start, end, value }: Node): Text[] {
  const text = String(value)
  return hasLetters(text) ? [{ start, end, text: JSON.stringify(`⟦${accented(text)}⟧`) }] : []
}

interface Quasi extends Node {
  readonly value: { readonly raw: string; readonly cooked: string }
}

function template(node: Node): Text[] {
  const quasis = node.quasis as readonly Quasi[]
  const expressions = (node.expressions as readonly Node[]).map(textsIn)
  const isText = quasis.some(({ value }) => hasLetters(value.cooked))
  return quasis.flatMap(({ start, value: { raw, cooked } }, index) => {
    const [open, close] = [index === 0 ? '⟦' : '', index === quasis.length - 1 ? '⟧' : '']
    // The place of a part includes the backtick or brace before it.
    const place = { start: start + 1, end: start + 1 + raw.length }
    const text = accented(cooked).replace(/[\\`]|\$(?=\{)/g, '\\$&')
    const part = { ...place, text: `${open}${text}${close}` }
    return [...(isText ? [part] : []), ...(expressions[index] ?? [])]
  })
}

const hasLetters = (text: string) => /[A-Za-z]/.test(text)
