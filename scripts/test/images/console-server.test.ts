import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleServer, serveConsole } from '../../src/serve-console.ts'

// What differs from server to server and says nothing about safety or caching.
const TRANSPORT =
  /^(accept-ranges|connection|content-(encoding|length|type)|date|etag|keep-alive|last-modified|transfer-encoding|vary)$/
const GATEWAY = 'https://api.example.com'
const nginx = readFileSync('deploy/console/nginx.conf', 'utf8')

let dist = ''
let served: ConsoleServer

beforeAll(async () => {
  dist = mkdtempSync(join(tmpdir(), 'sluice-dist-'))
  mkdirSync(join(dist, 'assets'))
  for (const file of ['index.html', 'favicon.svg', 'scheme.js', 'assets/index-abc.js'])
    writeFileSync(join(dist, file), 'x')
  served = await serveConsole({ dist, host: '127.0.0.1', port: 0, gatewayUrl: GATEWAY })
})
afterAll(async () => {
  await served.close()
  rmSync(dist, { recursive: true })
})

// nginx evaluates its headers after the inner redirect: by the served file, not by the requested
// address.
test.each([
  { asked: '/', file: '/index.html', status: 200 },
  { asked: '/clients', file: '/index.html', status: 200 },
  { asked: '/index.html', file: '/index.html', status: 200 },
  { asked: '/assets/index-abc.js', file: '/assets/index-abc.js', status: 200 },
  { asked: '/assets/gone.js', file: '/assets/gone.js', status: 404 },
  { asked: '/scheme.js', file: '/scheme.js', status: 200 },
  { asked: '/favicon.svg', file: '/favicon.svg', status: 200 },
  { asked: '/config.json', file: '/config.json', status: 200 },
])('$asked has the same headers in the image as in the demo', async ({ asked, file, status }) => {
  const response = await fetch(`${served.url}${asked}`)
  expect(response.status).toBe(status)
  const expected = [...response.headers].filter(([name]) => !TRANSPORT.test(name))
  expect(headersOfNginx(status, file)).toEqual(Object.fromEntries(expected))
})

test('no location of the image sets its own headers: nginx would drop all others', () => {
  const locations = nginx.slice(nginx.search(/^ *location /m))
  expect(locations).not.toContain('add_header')
})

function headersOfNginx(status: number, file: string): Record<string, string> {
  const lines = nginx.matchAll(/^\s*add_header (\S+) (?:"([^"]*)"|(\S+)) always;$/gm)
  return Object.fromEntries(
    [...lines].map(([, name = '', quoted, plain = '']) => [
      name.toLowerCase(),
      (quoted ?? plain)
        .replace('$gateway_origin', GATEWAY)
        .replace('$cache_control', cachingOfNginx(`${status}:${file}`)),
    ]),
  )
}

/**
 * Evaluates the map of the configuration: its first regular expression that fits, else the default.
 */
function cachingOfNginx(key: string): string {
  const [, map = ''] = /map \$status:\$uri \$cache_control \{(.*?)\n {2}\}/s.exec(nginx) ?? []
  const entries = [...map.matchAll(/^\s*(\S+) (?:'([^']*)'|(\S+));$/gm)].map(
    ([, pattern = '', quoted, plain = '']) => ({ pattern, value: quoted ?? plain }),
  )
  const found = entries.find(
    ({ pattern }) => pattern.startsWith('~') && new RegExp(pattern.slice(1)).test(key),
  )
  return (found ?? entries.find(({ pattern }) => pattern === 'default'))?.value ?? ''
}
