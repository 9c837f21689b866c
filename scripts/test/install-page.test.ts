import { existsSync, globSync, readFileSync } from 'node:fs'
import { readConfig } from 'gateway/config.ts'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { installPage } from './support/install-page.ts'

// tarball.test.ts types the commands without containers. Docker is not there where tests run.

interface Service {
  readonly build?: unknown
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly tmpfs?: readonly string[]
}

const { containersEnv: env } = installPage
const files = String(env.COMPOSE_FILE).split(':')
const composed = files.map((file) => readFileSync(file, 'utf8'))
const services: Record<string, Service> = Object.assign(
  {},
  ...composed.map((text) => parse(text, { merge: true }).services).toReversed(),
)
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const notInImage = new Set(readFileSync('.dockerignore', 'utf8').split('\n'))

test('what is written into .env for containers is read by the compose files or by the gateway', () => {
  const { DOMAIN, COMPOSE_FILE: _, ...settings } = env
  expect(composed.join('\n')).toContain('${DOMAIN:?')
  expect(DOMAIN).toBe('example.com')
  const secret = Buffer.alloc(32).toString('base64')
  expect(settings.ALERT_WEBHOOK_SECRET).toBe('$(openssl rand -base64 32)')
  const config = readConfig({ ...settings, ALERT_WEBHOOK_SECRET: secret })
  expect(config.alertWebhook?.url).toBe(settings.ALERT_WEBHOOK_URL)
})

test.each(installPage.containers)('compose.yaml has what this needs: %s', (line) => {
  const [, , command, ...args] = line.split(/ +/)
  if (command === 'up') {
    expect(line).toMatch(/^docker compose up -d( --remove-orphans)?$/)
    return
  }
  const [name = ''] = args.join(' ').match(/\bgateway\b/) ?? []
  const { volumes = [], tmpfs = [], environment = {} } = services[name] as Service
  const kept = [...volumes.map((volume) => volume.split(':')[1]), ...tmpfs]
  const paths = [...line.matchAll(/(?:[ :']|file:)(\/[\w./]+)/g)].map(([, path]) => path)
  for (const path of paths) expect(kept).toContain(`/${path?.split('/')[1]}`)
  for (const [, setting] of line.matchAll(/ -e ([A-Z_]+)=/g))
    expect(environment).toHaveProperty(`${setting}`)
  const [, npmScript] = /npm run ([\w-]+)/.exec(line) ?? []
  if (npmScript === undefined) return
  expect(scripts).toHaveProperty(npmScript)
  expect(existsSync(`scripts/src/${npmScript}.ts`)).toBe(true)
  expect(notInImage).not.toContain(`scripts/src/${npmScript}.ts`)
})

test('the master key is made as verify-images makes it, where the gateway looks for it', () => {
  const [, script = ''] = /node -e +"(.*)"/.exec(installPage.containers.join('\n')) ?? []
  expect(script).toContain('/keys/master.key')
  const verified = readFileSync('scripts/src/verify-images/world.ts', 'utf8')
  expect(verified).toContain(script.replace('\\n', '\\\\n'))
  expect(services.gateway?.environment?.MASTER_KEY_FILE).toBe('/keys/master.key')
})

test('the console has each label that the page names', () => {
  const texts = globSync('console/src/**/*texts.ts').map((path) => readFileSync(path, 'utf8'))
  const found = new Set(texts.flatMap((text) => text.match(/(?<=['`])[A-Z][^'`:]+(?=['`:])/g)))
  expect(installPage.labels.length).toBeGreaterThan(10)
  expect(installPage.labels.filter((label) => !found.has(label))).toEqual([])
})
