import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { httpServer } from '../../gateway/test/support/http-server.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { basesOf, FILES_WITH_BASES, pinImages } from '../src/pin-images.ts'

const TAGS = [
  ...['node:24-bookworm-slim', 'nginxinc/nginx-unprivileged:stable', 'caddy:2', 'postgres:17'],
]
const PATHS = [
  '/v2/library/node/manifests/24-bookworm-slim',
  '/v2/nginxinc/nginx-unprivileged/manifests/stable',
  '/v2/library/caddy/manifests/2',
  '/v2/library/postgres/manifests/17',
]

interface Registry {
  readonly url: string
  /** By path; without one the manifest is unknown. */
  readonly digests: Map<string, string>
  readonly asked: string[]
}

/** A registry that gives nothing without a token, and a token to everybody. */
async function registry(): Promise<Registry> {
  const digests = new Map(PATHS.map((path, index) => [path, `sha256:${`${index}`.repeat(64)}`]))
  const asked: string[] = []
  let url = ''
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    asked.push(`${request.method} ${pathname}`)
    const repository = /^\/v2\/(.+)\/manifests\//.exec(pathname)?.[1]
    const scope = `repository:${repository}:pull`
    if (pathname === '/token')
      return response.end(JSON.stringify({ token: `of ${searchParams.get('scope')}` }))
    if (request.headers.authorization !== `Bearer of ${scope}`) {
      const challenge = `Bearer realm="${url}/token",service="stub",scope="${scope}"`
      return response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
    const digest = digests.get(pathname)
    if (digest === undefined || !request.headers.accept?.includes('oci.image.index'))
      return response.writeHead(404).end()
    return response.writeHead(200, { 'docker-content-digest': digest }).end()
  }
  url = await httpServer(respond)
  return { url, digests, asked }
}

/** A copy of the files, and what the command does with it. */
function project() {
  const folder = tempFolder()
  for (const file of FILES_WITH_BASES) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    cpSync(file, join(folder, file))
  }
  const read = () => FILES_WITH_BASES.map((file) => readFileSync(join(folder, file), 'utf8'))
  const pin = (url: string) => pinImages(folder, url)
  return { read, pin }
}

test('the files name these images by tag, so that another machine may have its own', () => {
  const named = FILES_WITH_BASES.flatMap((file) => basesOf(readFileSync(file, 'utf8')))
  expect(new Set(named.map(({ tag }) => tag))).toEqual(new Set(TAGS))
  // Of one tag there is one digest.
  expect(new Set(named.map(({ tag, digest }) => `${tag}${digest}`)).size).toBe(TAGS.length)
  for (const file of FILES_WITH_BASES.filter((name) => name.endsWith('.yaml') === false))
    for (const [, base = ''] of readFileSync(file, 'utf8').matchAll(/^FROM (\S+)/gm))
      expect(base).toMatch(/^\$\{(NODE|NGINX)_IMAGE\}$/)
})

test('each tag gets the digest that the registry has for it, and a newer one when run again', async () => {
  const { url, digests, asked } = await registry()
  const { read, pin } = project()
  const before = read()
  await pin(url)
  expect(asked.filter((call) => !call.startsWith('GET /token'))).toEqual(
    PATHS.flatMap((path) => [`HEAD ${path}`, `HEAD ${path}`]),
  )
  const pinned = read()
  const named = pinned.flatMap((text) => basesOf(text))
  expect(named).toHaveLength(8)
  for (const { tag, digest } of named)
    expect(digest).toBe(`@sha256:${`${TAGS.indexOf(tag)}`.repeat(64)}`)
  // Nothing else is changed.
  expect(pinned.map((text) => text.replaceAll(/@sha256:[0-9a-f]{64}/g, ''))).toEqual(before)

  digests.set(PATHS[0] ?? '', `sha256:${'a'.repeat(64)}`)
  await pin(url)
  const [node] = basesOf(read()[0] ?? '')
  expect(node?.digest).toBe(`@sha256:${'a'.repeat(64)}`)
})

test.each([
  ['has no such image', (r: Registry) => r.digests.delete(PATHS[2] ?? ''), /caddy:2.*404/],
  [
    'gives something else than a digest',
    (r: Registry) => r.digests.set(PATHS[2] ?? '', 'sha256:latest'),
    /caddy:2.*without a digest/,
  ],
])('nothing is written when the registry %s', async (_what, fail, words) => {
  const stub = await registry()
  const { read, pin } = project()
  const before = read()
  fail(stub)
  await expect(pin(stub.url)).rejects.toThrow(words)
  expect(read()).toEqual(before)
})

test('nothing is written when no registry can be reached', async () => {
  const { read, pin } = project()
  const before = read()
  await expect(pin('http://127.0.0.1:1')).rejects.toThrow('cannot be reached')
  expect(read()).toEqual(before)
})
