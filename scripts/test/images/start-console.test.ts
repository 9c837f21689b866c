import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'sluice-start-'))
const written = join(folder, 'gateway.conf')
// The script as it is in the image, but for the folder; in the place of the web server something
// that ends at once.
const script = readFileSync('deploy/console/start.sh', 'utf8').replaceAll('/tmp/', `${folder}/`)
writeFileSync(join(folder, 'nginx'), '#!/bin/sh\nexit 0\n')
chmodSync(join(folder, 'nginx'), 0o755)
afterAll(() => rmSync(folder, { recursive: true }))

function start(gatewayUrl: string, issuer = '') {
  rmSync(written, { force: true })
  const { status, stderr } = spawnSync('sh', ['-c', script], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env.PATH}`, GATEWAY_URL: gatewayUrl, OIDC_ISSUER: issuer },
  })
  return { status, stderr, conf: existsSync(written) ? readFileSync(written, 'utf8') : '' }
}

test.each([
  { url: 'https://api.example.com', origin: 'https://api.example.com' },
  { url: 'http://localhost:8080', origin: 'http://localhost:8080' },
  { url: 'https://example.com/sluice', origin: 'https://example.com' },
  { url: 'http://[::1]:8080', origin: 'http://[::1]:8080' },
])('GATEWAY_URL $url is given to browsers and allowed by the policy', ({ url, origin }) => {
  const { status, conf } = start(url)
  expect(status).toBe(0)
  expect(conf).toContain(`default '{"gatewayUrl":"${url}"}'`)
  expect(conf).toContain(`$gateway_origin { default '${origin}'; }`)
})

test('without GATEWAY_URL the console takes its own origin', () => {
  const { status, conf } = start('')
  expect(status).toBe(0)
  expect(conf).toContain("$console_config { default '{}'; }")
  expect(conf).toContain("$gateway_origin { default ''; }")
})

test('with OIDC_ISSUER the sign-in page asks how people can sign in', () => {
  const issuer = "https://id.example.com/'; }"
  expect(start('', issuer).conf).toContain(`default '{"openId":true}'`)
  expect(start('https://api.example.com', issuer).conf).toContain(
    `default '{"gatewayUrl":"https://api.example.com","openId":true}'`,
  )
})

test.each([
  ...['api.example.com', 'javascript:alert(1)', "https://a';}", 'https://a b', 'https://a;b'],
  ...['https://a\nhttps://b', 'https://user:secret@example.com', 'https://a$host'],
])('an invalid GATEWAY_URL stops the start: %j', (url) => {
  const { status, stderr, conf } = start(url)
  expect(status).toBe(1)
  expect(stderr).toContain('GATEWAY_URL is not usable')
  expect(stderr).not.toContain('secret')
  expect(conf).toBe('')
})
