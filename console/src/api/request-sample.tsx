import { type Endpoint, urlOf } from 'schema'
import {
  CodeBlock,
  type CodeLanguage,
  colouringOf,
  LanguageSwitch,
  useCodeLanguage,
} from '../components/code-block.tsx'
import type { CallInput } from './client.ts'
import { gatewayUrl } from './gateway-url.ts'
import * as texts from './texts.ts'

interface RequestSampleProps extends SampleOptions {
  readonly title: string
  /** What the copy button copies; the title when absent. */
  readonly label?: string
  readonly endpoint: Endpoint
  readonly input: CallInput
}

/** A request as a command or program, in the language that was chosen for all samples. */
export function RequestSample({ title, label, endpoint, input, ...options }: RequestSampleProps) {
  const { language } = useCodeLanguage()
  return (
    <CodeBlock
      title={title}
      label={label ?? title}
      language={colouringOf[language]}
      code={codeOf(language, endpoint, input, options)}
      actions={<LanguageSwitch label={texts.language(label ?? title)} />}
    />
  )
}

interface SampleOptions {
  /** The text after `Bearer`: a token, or a `shellVariable`. Absent: no such header. */
  readonly token?: string | undefined
  /** Absent: no such header. */
  readonly idempotencyKey?: string | undefined
}

/** Longer than the queue may hold a request. */
const PATIENCE_SECONDS = 200

/** What sends the request that the console would send, as a command or as a whole program. */
export function codeOf(
  language: CodeLanguage,
  endpoint: Endpoint,
  input: CallInput,
  options: SampleOptions = {},
): string {
  const { body } = input
  const { token, idempotencyKey } = options
  const kind = kindOf(endpoint)
  const base = kind === 'socket' ? gatewayUrl().replace(/^http/, 'ws') : gatewayUrl()
  return WRITERS[kind][language]({
    url: `${base}${urlOf(endpoint, input)}`,
    method: endpoint.method,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body,
  })
}

/** `events` and `socket` do not end by themselves. */
function kindOf({ responseTypes, status }: Endpoint): keyof typeof WRITERS {
  if (status === 101) return 'socket'
  return responseTypes?.includes('text/event-stream') === true ? 'events' : 'response'
}

interface Request {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: none. */
  readonly body: unknown
}

/** Safe to paste into a POSIX shell. */
function curlOf({ url, method, headers, body }: Request): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellQuote(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ')
}

/** For Node 18 and browsers. */
function javascriptOf({ url, method, headers, body }: Request): string {
  return [
    `const response = await fetch(${JAVASCRIPT.text(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(Object.keys(headers).length === 0 ? [] : [`  headers: ${literal(headers, JAVASCRIPT)},`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body, JAVASCRIPT)}),`]),
    `  signal: AbortSignal.timeout(${PATIENCE_SECONDS}_000),`,
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

/** For Python 3.9 and later, without a package. */
function pythonOf({ url, method, headers, body }: Request): string {
  const names = [url, ...Object.values(headers), JSON.stringify(body) ?? '']
  return [
    ...(body === undefined ? [] : ['import json']),
    ...(names.some(hasVariable) ? ['import os'] : []),
    'import urllib.error',
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${PYTHON.text(url)},`,
    `    method="${method}",`,
    ...(Object.keys(headers).length === 0 ? [] : [`    headers=${literal(headers, PYTHON)},`]),
    ...(body === undefined ? [] : [`    data=json.dumps(${literal(body, PYTHON)}).encode(),`]),
    ')',
    'try:',
    `    response = urllib.request.urlopen(request, timeout=${PATIENCE_SECONDS})`,
    'except urllib.error.HTTPError as error:',
    '    response = error',
    'print(response.status, response.read().decode())',
  ].join('\n')
}

/** Prints each event as it comes: curl alone would wait until much has come. */
function curlEventsOf(request: Request): string {
  return curlOf(request).replace('curl ', 'curl --no-buffer ')
}

function javascriptEventsOf({ url, headers }: Request): string {
  return [
    `const response = await fetch(${JAVASCRIPT.text(url)}, {`,
    `  headers: ${literal(headers, JAVASCRIPT)},`,
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    "let rest = ''",
    'for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {',
    "  const lines = (rest + piece).split('\\n')",
    '  rest = lines.pop()',
    "  for (const line of lines) if (line.startsWith('data: ')) console.log(line.slice(6))",
    '}',
  ].join('\n')
}

/** A comment comes every 15 s: longer silence is a connection that is lost. */
const SILENCE_SECONDS = 60

function pythonEventsOf({ url, headers }: Request): string {
  return [
    ...(Object.values(headers).some(hasVariable) ? ['import os'] : []),
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${PYTHON.text(url)},`,
    `    headers=${literal(headers, PYTHON)},`,
    ')',
    `for line in urllib.request.urlopen(request, timeout=${SILENCE_SECONDS}):`,
    '    if line.startswith(b"data: "):',
    '        print(line[6:].decode().strip(), flush=True)',
  ].join('\n')
}

function curlSocketOf(request: Request): string {
  return `# curl 8.11 or later\n${curlEventsOf(request)}`
}

/** For Node 22 and browsers, which can send no header on a WebSocket. */
function javascriptSocketOf({ url, headers }: Request): string {
  const token = (headers.Authorization ?? '').replace('Bearer ', 'sluice.bearer.')
  return [
    `const socket = new WebSocket(${JAVASCRIPT.text(url)}, [`,
    "  'sluice',",
    `  ${JAVASCRIPT.text(token)},`,
    '])',
    'socket.onmessage = ({ data }) => console.log(data)',
    'socket.onclose = ({ code, reason }) => console.log(code, reason)',
  ].join('\n')
}

/** With the package `websockets`: Python has no WebSocket of its own. */
function pythonSocketOf({ url, headers }: Request): string {
  return [
    ...(Object.values(headers).some(hasVariable) ? ['import os'] : []),
    'from websockets.sync.client import connect  # pip install websockets',
    '',
    `with connect(${PYTHON.text(url)}, additional_headers=${literal(headers, PYTHON, 1)}) as socket:`,
    '    for message in socket:',
    '        print(message, flush=True)',
  ].join('\n')
}

const WRITERS = {
  response: { curl: curlOf, javascript: javascriptOf, python: pythonOf },
  events: { curl: curlEventsOf, javascript: javascriptEventsOf, python: pythonEventsOf },
  socket: { curl: curlSocketOf, javascript: javascriptSocketOf, python: pythonSocketOf },
} as const satisfies Readonly<
  Record<string, Readonly<Record<CodeLanguage, (request: Request) => string>>>
>

interface Writer {
  readonly constants: Readonly<Record<string, string>>
  readonly indent: string
  readonly text: (text: string) => string
  readonly name: (name: string) => string
}

const JAVASCRIPT: Writer = {
  constants: { true: 'true', false: 'false', null: 'null' },
  indent: '  ',
  name: (name) => (/^[A-Za-z]\w*$/.test(name) ? name : `'${name}'`),
  text: (text) =>
    hasVariable(text)
      ? `\`${fillVariables(text.replace(/[\\`$]/g, '\\$&'), (name) => `\${process.env.${name}}`)}\``
      : JSON.stringify(text),
}

const PYTHON: Writer = {
  constants: { true: 'True', false: 'False', null: 'None' },
  indent: '    ',
  name: (name) => JSON.stringify(name),
  text: (text) =>
    hasVariable(text)
      ? `f${fillVariables(JSON.stringify(text.replace(/[{}]/g, '$&$&')), (name) => `{os.environ['${name}']}`)}`
      : JSON.stringify(text),
}

/** A JSON value in the notation of a language. */
function literal(value: unknown, writer: Writer, depth = 2): string {
  if (typeof value === 'string') return writer.text(value)
  if (typeof value !== 'object' || value === null)
    return writer.constants[String(value)] ?? String(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, writer, depth + 1))
    : Object.entries(value).map(
        ([name, each]) => `${writer.name(name)}: ${literal(each, writer, depth + 1)}`,
      )
  if (parts.length === 0) return `${open}${close}`
  const pad = writer.indent.repeat(depth)
  return `${open}\n${parts.map((part) => `${pad}${part},\n`).join('')}${writer.indent.repeat(depth - 1)}${close}`
}

const OPEN = '\ue000'
const CLOSE = '\ue001'
// Characters from Unicode's private use area: no keyboard types them, and JSON leaves them as they
// are.
const PLACEHOLDER = new RegExp(`${OPEN}(\\w+)${CLOSE}`, 'g')

/**
 * A placeholder for a secret in a text that becomes part of a command or program: there it is the
 * variable `name`.
 */
export function shellVariable(name: string): string {
  return `${OPEN}${name}${CLOSE}`
}

/** Whether a `shellVariable` is in a text. */
const hasVariable = (text: string) => text.search(PLACEHOLDER) >= 0

/** A text with something else in the place of each `shellVariable`. */
function fillVariables(text: string, write: (name: string) => string): string {
  return text.replace(PLACEHOLDER, (_found, name: string) => write(name))
}

/**
 * One word of a POSIX shell, whatever the text holds: quotes, spaces, `$`, `!` and line breaks
 * arrive as they are, and a `shellVariable` becomes the variable's value.
 */
export function shellQuote(text: string): string {
  const withoutNames = text.replace(PLACEHOLDER, '')
  if (hasVariable(text) && !/["$`\\!]/.test(withoutNames))
    return `"${text.replace(PLACEHOLDER, '$$$1')}"`
  const quoted = `'${text.replaceAll("'", `'\\''`)}'`
  return quoted.replace(PLACEHOLDER, `'"$$$1"'`)
}
