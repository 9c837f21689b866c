import { readdirSync, readFileSync } from 'node:fs'
import { isPaper, readConfig } from 'gateway/config.ts'
import { createServer } from 'gateway/http/server.ts'
import { EXCHANGES } from 'schema'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { IMAGES } from '../../src/verify-images/build-images.ts'

interface Service {
  readonly image: string
  readonly build?: { readonly dockerfile: string }
  readonly env_file?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly networks?: readonly string[]
  readonly ports?: readonly string[]
  readonly restart?: string
  readonly cap_add?: readonly string[]
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly networks?: Readonly<Record<string, { internal?: boolean } | null>>
}

const read = (file: string): Compose => parse(readFileSync(file, 'utf8'), { merge: true })
const live = read('compose.yaml')
const ownProxy = read('compose.own-proxy.yaml')
const paper = read('compose.paper.yaml')
const demo = read('compose.demo.yaml')
const caddyfile = readFileSync('deploy/Caddyfile', 'utf8')
const defaults = readConfig({})

const services = [
  ...Object.entries(live.services).map(([name, service]) => [`compose.yaml ${name}`, service]),
  ...Object.entries(demo.services).map(([name, service]) => [`compose.demo.yaml ${name}`, service]),
] as const

test.each(services)('%s has only the capabilities that it needs', (_name, service) => {
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    tmpfs: ['/tmp'],
    mem_limit: expect.stringMatching(/^\d+m$/),
    pids_limit: expect.any(Number),
  })
  expect(service).not.toHaveProperty('privileged')
})

test.each([live, demo])(
  'every volume is a named one that is declared, or a file of ours',
  (file) => {
    for (const { volumes = [] } of Object.values(file.services))
      for (const volume of volumes) {
        const [from = ''] = volume.split(':')
        if (from.startsWith('./deploy/')) expect(volume).toMatch(/:ro$/)
        else expect(file.volumes).toHaveProperty(from)
      }
  },
)

test('everything is reached through the proxy, which alone may bind low ports', () => {
  const published = Object.entries(live.services).filter(([, { ports }]) => ports !== undefined)
  expect(published.map(([name]) => name)).toEqual(['proxy'])
  for (const [name, { cap_add }] of Object.entries(live.services))
    expect(cap_add).toEqual(name === 'proxy' ? ['NET_BIND_SERVICE'] : undefined)
})

// The gateway believes any private address: nobody but the proxy may share its network.
test('the gateway trusts the proxy, and shares its network with nothing else', () => {
  expect(live.services.gateway?.environment?.TRUST_PROXY).toBe('uniquelocal')
  const sharing = Object.entries(live.services).filter(([, { networks }]) =>
    networks?.some((network) => live.services.gateway?.networks?.includes(network)),
  )
  expect(sharing.map(([name]) => name)).toEqual(['proxy', 'gateway'])
  expect(live.networks?.console?.internal).toBe(true)
})

test('the master key is a file on a volume of its own, and the file contains no secret', () => {
  const { environment = {}, volumes } = live.services.gateway ?? {}
  expect(environment.MASTER_KEY_FILE).toBe('/keys/master.key')
  expect(environment.DATABASE_URL).toBe('file:/data/sluice.db')
  expect(volumes).toEqual(['data:/data', 'keys:/keys'])
  const names = Object.values(live.services).flatMap((one) => Object.keys(one.environment ?? {}))
  expect(names.filter((name) => /PASSWORD|SECRET|TOKEN|KEY$/.test(name))).toEqual([])
})

test('a backup is made of the database of the gateway, without the master key and without a network', () => {
  const { backup, gateway } = live.services
  expect(backup).toMatchObject({ image: gateway?.image, network_mode: 'none' })
  expect(backup?.environment?.DATABASE_URL).toBe(gateway?.environment?.DATABASE_URL)
  expect(backup?.volumes).toEqual([
    'data:/data',
    'backups:/backups',
    './deploy/backup.sh:/backup.sh:ro',
  ])
})

test('every service restarts after a crash or a reboot', () => {
  for (const { restart } of Object.values(live.services)) expect(restart).toBe('unless-stopped')
})

test('the proxy waits longer than the queue, the exchange and the look-up take', () => {
  const seconds = Number(/response_header_timeout (\d+)s/.exec(caddyfile)?.[1])
  const { maxQueueWaitMs } = defaults.lane
  expect(seconds * 1000).toBeGreaterThan(maxQueueWaitMs + 2 * defaults.upstreamTimeoutMs)
})

test('the proxy closes an idle connection before the gateway does', async () => {
  const app = await createServer({ consoleOrigins: [], trustProxy: [], logger: false })
  const keeps = [...caddyfile.matchAll(/keepalive (\d+)s/g)].map(([, seconds]) => Number(seconds))
  expect(keeps).toHaveLength(2)
  for (const seconds of keeps) expect(seconds * 1000).toBeLessThan(app.server.keepAliveTimeout)
  await app.close()
})

test('the page for operators shows proxies with the same timeouts', () => {
  const page = readFileSync('docs/operations/install.md', 'utf8')
  const found = (pattern: RegExp, text: string) =>
    new Set([...text.matchAll(pattern)].map(([, seconds]) => seconds))
  const response = /(?:response_header_timeout|proxy_read_timeout) (\d+)s/g
  expect(found(response, page)).toEqual(found(response, caddyfile))
  const idle = /keepalive(?:_timeout)? (\d+)s/g
  expect(found(idle, page)).toEqual(found(idle, caddyfile))
})

test('metrics do not leave the machine', () => {
  expect(caddyfile).toMatch(/@metrics path \/metrics \/metrics\/\*\n\trespond @metrics 404/)
})

test('behind your own proxy, only this machine reaches gateway and console', () => {
  const ports = Object.values(ownProxy.services).flatMap((service) => service.ports ?? [])
  expect(ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:8081:8080'])
  expect(ownProxy.services.proxy).toEqual({ profiles: ['own-proxy'] })
  expect(ownProxy.services.gateway).not.toHaveProperty('networks')
})

test.each([demo, paper])(
  'without real money the exchange is the paper exchange, which only the gateway reaches',
  ({ services, networks }) => {
    const { environment = {} } = services.gateway ?? {}
    const origin = 'http://paper-exchange:8082'
    const urls = { MEXC_SPOT_URL: origin, MEXC_FUTURES_URL: origin, BITGET_URL: origin }
    expect(environment).toMatchObject({ ...urls, ALLOW_INSECURE_ORIGINS: origin })
    const config = readConfig({ ...urls, ALLOW_INSECURE_ORIGINS: origin })
    for (const exchange of EXCHANGES) expect(isPaper(config, exchange)).toBe(true)
    expect(networks?.paper?.internal).toBe(true)
    expect(services['paper-exchange']).not.toHaveProperty('ports')
    const reaching = Object.entries(services).filter(([, one]) => one.networks?.includes('paper'))
    expect(reaching.map(([name]) => name)).toEqual(['gateway', 'paper-exchange'])
    expect(services['paper-exchange']).toEqual(demo.services['paper-exchange'])
    expect(services['paper-exchange']?.image).toBe('sluice-paper-exchange')
  },
)

test.each([live, paper, demo])('each of our images is built from its own Dockerfile', (file) => {
  for (const { image, build } of Object.values(file.services).filter(({ build }) => build))
    expect(Object.values(IMAGES)).toContainEqual({ tag: image, dockerfile: build?.dockerfile })
})

// With "never", Compose builds what it lacks. Otherwise it asks a registry for the name first.
test.each(readdirSync('.').filter((file) => /^compose.*\.yaml$/.test(file)))(
  '%s: our images are built when they are missing, and never pulled',
  (file) => {
    const ours = Object.values(read(file).services).filter(({ image }) => /^sluice-/.test(image))
    for (const service of ours) expect(service).toMatchObject({ pull_policy: 'never' })
    const built = new Set(ours.flatMap(({ image, build }) => (build ? [image] : [])))
    for (const { image } of ours) expect(built).toContain(image)
  },
)

test('the demo is reached from this machine only', () => {
  for (const port of Object.values(demo.services).flatMap(({ ports }) => ports ?? []))
    expect(port).toMatch(/^127\.0\.0\.1:/)
})

// "logs" and "down" would ask for it as well, in a shell that does not know it.
test('no command on the demo asks for the password again', () => {
  expect(readFileSync('compose.demo.yaml', 'utf8')).not.toContain(':?')
})
