import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { shared } from '../../../gateway/test/support/shared-app.ts'
import { GATEWAY, headersOf, SITE_PATHS, servedConsole } from '../support/served-console.ts'

const nginx = readFileSync('deploy/console/nginx.conf', 'utf8')
const served = shared(servedConsole)

// nginx evaluates its headers after the inner redirect: by the served file, not by the requested
// address.
test.each([
  ...['/', '/clients'].map((asked) => ({ asked, file: '/index.html', status: 200 })),
  ...['/index.html', '/assets/index-abc.js', '/scheme.js', '/favicon.svg', '/config.json'].map(
    (file) => ({ asked: file, file, status: 200 }),
  ),
  { asked: '/assets/gone.js', file: '/assets/gone.js', status: 404 },
  ...SITE_PATHS.map(({ path, file, status }) => ({
    ...{ asked: path, file: `/docs/guide/${file}`, status },
  })),
])('$asked has the same headers in the image as in the demo', async ({ asked, file, status }) => {
  const response = await fetch(`${served().url}${asked}`)
  expect(response.status).toBe(status)
  expect(headersOfNginx(status, file)).toEqual(headersOf(response))
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
