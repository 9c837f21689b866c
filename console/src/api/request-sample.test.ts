import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bgSpotPlaceOrder, mxTickerPrice, urlOf } from 'schema'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CODE_LANGUAGES, type CodeLanguage } from '../components/code-block.tsx'
import { codeOf, shellQuote, shellVariable } from './request-sample.tsx'

// The page that the module asks for its origin when it is loaded.
vi.hoisted(() => vi.stubGlobal('window', { location: { origin: 'http://console.test' } }))

const hasPython = spawnSync('python3', ['--version']).status === 0
const LANGUAGES = CODE_LANGUAGES.filter((language) => language !== 'python' || hasPython)

/** Runs a command or program. Returns what it said. */
function run(language: CodeLanguage, code: string, env: Record<string, string>): Promise<string> {
  const [program, ...args] = {
    curl: ['sh', '-c', code],
    javascript: [process.execPath, '--input-type=module', '-e', code],
    python: ['python3', '-c', code],
  }[language]
  return new Promise((resolve, reject) => {
    execFile(program ?? '', args, { env: { ...process.env, ...env } }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    )
  })
}

/** A server that responds with what it received. */
async function openMirror(): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    const { method, url, headers } = request
    const { authorization, 'idempotency-key': key, 'content-type': type } = headers
    response.end(JSON.stringify({ method, url, authorization, key, type, body }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const body = {
  ...bgSpotPlaceOrder.sample.body,
  clientOid: 'it\'s "quoted" {braced} $HOME `id` \\ ü',
  list: [1, true, null, []],
}

test.each(LANGUAGES)('what is shown in %s sends the request', async (language) => {
  const url = await openMirror()
  const code = codeOf(
    language,
    bgSpotPlaceOrder,
    { body: { ...body, secret: shellVariable('SECRET') } },
    { token: shellVariable('TOKEN'), idempotencyKey: 'key-1' },
  ).replace('http://console.test', url)
  const said = await run(language, code, { TOKEN: 'the-token', SECRET: 's{e}c' })
  const received = JSON.parse(said.slice(said.indexOf('{')))
  expect(received).toMatchObject({
    method: 'POST',
    url: bgSpotPlaceOrder.path,
    authorization: 'Bearer the-token',
    key: 'key-1',
    type: 'application/json',
  })
  expect(JSON.parse(received.body)).toEqual({ ...body, secret: 's{e}c' })
})

test.each(LANGUAGES)('a request without a body is short in %s', async (language) => {
  const url = await openMirror()
  const input = { query: { symbol: 'BTC&USDT' } }
  const code = codeOf(language, mxTickerPrice, input).replace('http://console.test', url)
  const said = await run(language, code, {})
  expect(JSON.parse(said.slice(said.indexOf('{')))).toEqual({
    method: 'GET',
    url: urlOf(mxTickerPrice, input),
    body: '',
  })
})

const echoed = (word: string, env: Record<string, string> = {}) =>
  execFileSync('sh', ['-c', `printf %s ${word}`], { env: { ...process.env, ...env } }).toString()

test.each(['plain', "it's", 'say "no"', '$HOME `id` \\ !! *', 'two\nlines', '', "''"])(
  'a shell reads %j back as it was',
  (text) => {
    expect(echoed(shellQuote(text))).toBe(text)
  },
)

test('a variable is put in double quotes when nothing else needs single ones', () => {
  expect(shellQuote(`Bearer ${shellVariable('TOKEN')}`)).toBe('"Bearer $TOKEN"')
})

test('a variable is filled in by the shell beside quotes of either kind', () => {
  const word = shellQuote(`{"a":"it's","b":"${shellVariable('SECRET')}"}`)
  expect(echoed(word, { SECRET: 's e c' })).toBe(`{"a":"it's","b":"s e c"}`)
})
