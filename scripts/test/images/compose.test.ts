import { readdirSync, readFileSync } from 'node:fs'
import { isPaper, readConfig } from 'gateway/config.ts'
import { ENV } from 'gateway/env/table.ts'
import { createServer } from 'gateway/http/server.ts'
import { readDatabaseUrl } from 'gateway/store/postgres/url.ts'
import { EXCHANGES } from 'schema'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { IMAGES } from '../../src/verify-images/engine.ts'

interface Service {
  readonly image: string
  readonly build?: { readonly dockerfile: string }
  readonly environment?: Readonly<Record<string, string | null>>
  readonly volumes?: readonly string[]
  readonly networks?: readonly string[] | Readonly<Record<string, { aliases: string[] } | null>>
  readonly ports?: readonly string[]
  readonly restart?: string
  readonly depends_on?: unknown
  readonly cap_add?: readonly string[]
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes?: Readonly<Record<string, unknown>>
  readonly networks?: Readonly<Record<string, { internal?: boolean } | null>>
}

const FILES = readdirSync('.').filter((file) => /^compose.*\.yaml$/.test(file))
const read = (file: string): Compose => parse(readFileSync(file, 'utf8'), { merge: true })
const [alone, ha, demo, paper] = ['', 'ha.', 'demo.', 'paper.'].map((name) =>
  read(`compose.${name}yaml`),
) as [Compose, Compose, Compose, Compose]
const WHOLE = { 'compose.yaml': alone, 'compose.ha.yaml': ha, 'compose.demo.yaml': demo }
const caddyfile = readFileSync('deploy/Caddyfile', 'utf8')
const defaults = readConfig({})

const networksOf = ({ networks = [] }: Service): readonly string[] =>
  Array.isArray(networks) ? networks : Object.keys(networks)
const namesIn = ({ services }: Compose, fits: (service: Service) => boolean) =>
  Object.entries(services).flatMap(([name, service]) => (fits(service) ? name : []))
const on = (file: Compose, network: string) =>
  namesIn(file, (service) => networksOf(service).includes(network))

test.each(
  Object.entries(WHOLE).flatMap(([file, { services }]) =>
    Object.entries(services).map(([name, service]) => [`${file} ${name}`, service] as const),
  ),
)('%s has only what it needs', (name, service) => {
  expect(service).toMatchObject({
    ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
    ...{ mem_limit: expect.stringMatching(/^\d+m$/), pids_limit: expect.any(Number) },
  })
  expect(service).not.toHaveProperty('privileged')
  if (!name.startsWith('compose.ha.yaml')) expect(service).toMatchObject({ tmpfs: ['/tmp'] })
})

test.each(Object.entries(WHOLE))(
  'every volume of %s is a named one that is declared, or a file of ours',
  (_name, file) => {
    for (const { volumes = [] } of Object.values(file.services))
      for (const volume of volumes) {
        const [from = ''] = volume.split(':')
        if (from.startsWith('./deploy/')) expect(volume).toMatch(/:ro$/)
        else expect(file.volumes).toHaveProperty(from)
      }
  },
)

test.each([
  ['compose.yaml', alone, 'unless-stopped'],
  ['compose.ha.yaml', ha, 'always'],
] as const)(
  'all of %s restarts after a crash, and is reached through the proxy',
  (_name, file, restart) => {
    for (const service of Object.values(file.services)) expect(service.restart).toBe(restart)
    expect(namesIn(file, ({ ports }) => ports !== undefined)).toEqual(['proxy'])
  },
)

test.each(FILES)('%s: our images are built from their own Dockerfiles, once', (name) => {
  const built = Object.values(read(name).services).filter(({ build }) => build)
  for (const { image, build } of built)
    expect(Object.values(IMAGES)).toContainEqual({ tag: image, dockerfile: build?.dockerfile })
  expect(new Set(built.map(({ image }) => image)).size).toBe(built.length)
})

// With "never", Compose builds what it lacks. Otherwise it asks a registry for the name first.
test.each(FILES)('%s: our images are built when they are missing, and never pulled', (name) => {
  const ours = Object.values(read(name).services).filter(({ image }) => /^sluice-/.test(image))
  for (const service of ours) expect(service).toMatchObject({ pull_policy: 'never' })
  const built = new Set(ours.flatMap(({ image, build }) => (build ? [image] : [])))
  for (const { image } of ours) expect(built).toContain(image)
})

describe('one gateway', () => {
  const { gateway, backup } = alone.services

  test('the proxy alone may bind low ports', () => {
    const mayBind = (service: Service) => `${service.cap_add}` === 'NET_BIND_SERVICE'
    expect(namesIn(alone, mayBind)).toEqual(['proxy'])
    expect(namesIn(alone, ({ cap_add }) => cap_add !== undefined)).toEqual(['proxy'])
  })

  // The gateway believes any private address: nobody but the proxy may share its network.
  test('the gateway trusts the proxy, and shares its network with nothing else', () => {
    expect(gateway?.environment?.TRUST_PROXY).toBe('uniquelocal')
    const own = networksOf(gateway as Service)
    expect(new Set(own.flatMap((network) => on(alone, network)))).toEqual(
      new Set(['proxy', 'gateway']),
    )
    expect(alone.networks?.console?.internal).toBe(true)
  })

  test('the master key is a file on a volume of its own, and the file contains no secret', () => {
    expect(gateway?.environment).toMatchObject({
      ...{ MASTER_KEY_FILE: '/keys/master.key', DATABASE_URL: 'file:/data/sluice.db' },
    })
    expect(gateway?.volumes).toEqual(['data:/data', 'keys:/keys'])
    const names = Object.values(alone.services).flatMap((one) => Object.keys(one.environment ?? {}))
    expect(names.filter((name) => /PASSWORD|SECRET|TOKEN|KEY$/.test(name))).toEqual([])
  })

  test('a backup is made of the database of the gateway, without the master key and without a network', () => {
    expect(backup).toMatchObject({ image: gateway?.image, network_mode: 'none' })
    expect(backup?.environment?.DATABASE_URL).toBe(gateway?.environment?.DATABASE_URL)
    const volumes = ['data:/data', 'backups:/backups', './deploy/backup.sh:/backup.sh:ro']
    expect(backup?.volumes).toEqual(volumes)
  })

  test('behind your own proxy, only this machine reaches gateway and console', () => {
    const { services } = read('compose.own-proxy.yaml')
    const ports = Object.values(services).flatMap((service) => service.ports ?? [])
    expect(ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:8081:8080'])
    expect(services.proxy).toEqual({ profiles: ['own-proxy'] })
    expect(services.gateway).not.toHaveProperty('networks')
  })
})

describe('the proxy', () => {
  test('waits longer than the queue, the exchange and the look-up take', () => {
    const seconds = Number(/response_header_timeout (\d+)s/.exec(caddyfile)?.[1])
    const { maxQueueWaitMs } = defaults.lane
    expect(seconds * 1000).toBeGreaterThan(maxQueueWaitMs + 2 * defaults.upstreamTimeoutMs)
  })

  test('closes an idle connection before the gateway does', async () => {
    const app = await createServer({ consoleOrigins: [], trustProxy: [], logger: false })
    const keeps = [...caddyfile.matchAll(/keepalive (\d+)s/g)].map(([, seconds]) => Number(seconds))
    expect(keeps).toHaveLength(2)
    for (const seconds of keeps) expect(seconds * 1000).toBeLessThan(app.server.keepAliveTimeout)
    await app.close()
  })

  test('has the timeouts that the page for operators shows for others', () => {
    const page = readFileSync('docs/operations/containers.md', 'utf8')
    const found = (pattern: RegExp, text: string) =>
      new Set([...text.matchAll(pattern)].map(([, seconds]) => seconds))
    const response = /(?:response_header_timeout|proxy_read_timeout) (\d+)s/g
    expect(found(response, page)).toEqual(found(response, caddyfile))
    const idle = /keepalive(?:_timeout)? (\d+)s/g
    expect(found(idle, page)).toEqual(found(idle, caddyfile))
  })

  test('lets no metrics leave the machine', () => {
    expect(caddyfile).toMatch(/@metrics path \/metrics \/metrics\/\*\n\trespond @metrics 404/)
  })

  test('of several gateways sends to every one, and in its times and refusals it is as that of one', () => {
    const ofHa = readFileSync('deploy/Caddyfile.ha', 'utf8')
    const to = /reverse_proxy ((?:gateway-\S+ ?)+)\{/.exec(ofHa)?.[1]?.trim().split(' ')
    expect(to).toEqual(['gateway-1:8080', 'gateway-2:8080'])
    const rules = /response_header_timeout .*|keepalive .*|@metrics.*|read_header .*/g
    expect(ofHa.match(rules)).toEqual(caddyfile.match(rules))
    const mounted = './deploy/Caddyfile.ha:/etc/caddy/Caddyfile:ro'
    expect(ha.services.proxy?.volumes).toContain(mounted)
  })
})

describe('without real money', () => {
  test.each([demo, paper])(
    'the exchange is the paper exchange, which only the gateway reaches',
    (file) => {
      const origin = 'http://paper-exchange:8082'
      const urls = { MEXC_SPOT_URL: origin, MEXC_FUTURES_URL: origin, BITGET_URL: origin }
      const socket = 'ws://paper-exchange:8082'
      const sockets = {
        ...{ MEXC_SPOT_WS_URL: socket, MEXC_FUTURES_WS_URL: socket, BITGET_WS_URL: socket },
      }
      const settings = { ...urls, ...sockets, ALLOW_INSECURE_ORIGINS: origin }
      expect(file.services.gateway?.environment).toMatchObject(settings)
      const config = readConfig(settings)
      for (const exchange of EXCHANGES) expect(isPaper(config, exchange)).toBe(true)
      expect(file.networks?.paper?.internal).toBe(true)
      const exchange = file.services['paper-exchange']
      expect(exchange).not.toHaveProperty('ports')
      expect(on(file, 'paper')).toEqual(['gateway', 'paper-exchange'])
      expect(exchange).toEqual(demo.services['paper-exchange'])
      expect(exchange?.image).toBe('sluice-paper-exchange')
    },
  )

  test('several gateways have the same paper exchange, which only they reach', () => {
    const file = read('compose.ha.paper.yaml')
    expect(Object.keys(file.services)).toEqual(['gateway-1', 'gateway-2', 'paper-exchange'])
    for (const name of ['gateway-1', 'gateway-2']) {
      const { environment, networks } = file.services[name] as Service
      expect(environment).toEqual(paper.services.gateway?.environment)
      // Beside those that compose.ha.yaml gives it, which has them as a mapping.
      expect(networks).toEqual({ paper: null })
    }
    const exchange = { ...paper.services['paper-exchange'], restart: 'always' }
    expect(file.services['paper-exchange']).toEqual(exchange)
    expect(file.networks).toEqual({ paper: { internal: true } })
  })

  test('the demo is reached from this machine only, and asks for no password', () => {
    for (const port of Object.values(demo.services).flatMap(({ ports }) => ports ?? []))
      expect(port).toMatch(/^127\.0\.0\.1:/)
    // "logs" and "down" would ask for it as well, in a shell that does not know it.
    expect(readFileSync('compose.demo.yaml', 'utf8')).not.toContain(':?')
  })
})

describe('several gateways', () => {
  const names = ['gateway-1', 'gateway-2'] as const
  const gateways = names.map((name) => ha.services[name] as Service)
  const [first] = gateways as [Service, Service]
  const { postgres, backup } = ha.services as Record<string, Service>

  /** The settings of a gateway, with what .env has to have. */
  const settingsOf = ({ environment = {} }: Service): Record<string, string> =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        `${value}`
          .replace(/\$\{DOMAIN\}/g, 'example.com')
          .replace(/\$\{POSTGRES_PASSWORD:\?[^}]+\}/g, 's3cret'),
      ]),
    )

  test('nobody but them, PostgreSQL and its backup is on their network', () => {
    expect(on(ha, 'nodes')).toEqual([...names, 'postgres', 'backup'])
    expect(on(ha, 'api')).toEqual(['proxy', ...names])
    expect(networksOf(postgres as Service)).toEqual(['nodes'])
    expect(ha.networks?.nodes).toEqual({ internal: true })
  })

  test('each has a URL of its own, on the network of the nodes, and all else is equal', () => {
    const configs = gateways.map((gateway) => {
      const { NODE_URL = '', ...rest } = settingsOf(gateway)
      for (const name of Object.keys(rest))
        if (name !== 'GATEWAY_URL') expect(ENV).toHaveProperty(name)
      const { nodes } = gateway.networks as Record<string, { aliases: string[] } | null>
      expect(nodes?.aliases).toEqual([new URL(NODE_URL).hostname])
      expect(gateway.volumes).toEqual(['keys:/keys'])
      return { url: NODE_URL, rest }
    })
    expect(new Set(configs.map(({ url }) => url)).size).toBe(2)
    expect(configs[0]?.rest).toEqual(configs[1]?.rest)
  })

  test('PostgreSQL is their database, and no password is in the file', () => {
    const { environment = {} } = postgres as Service
    expect(readDatabaseUrl(`${settingsOf(first).DATABASE_URL}`)).toMatchObject({
      ...{ host: 'postgres', port: 5432, password: 's3cret', ssl: false },
      ...{ user: environment.POSTGRES_USER, database: environment.POSTGRES_DB },
    })
    // Taken from where the command is given, or from .env.
    expect(environment.POSTGRES_PASSWORD).toBeNull()
    for (const gateway of gateways)
      expect(gateway.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  })

  test('a backup is made of their database, by the tools of its version, without the master key', () => {
    const { POSTGRES_USER, POSTGRES_DB } = postgres?.environment ?? {}
    expect(backup?.environment).toMatchObject({
      ...{ PGHOST: 'postgres', PGUSER: POSTGRES_USER, PGDATABASE: POSTGRES_DB },
    })
    expect(backup?.image).toBe(postgres?.image)
    const folder = backup?.environment?.BACKUP_FOLDER
    expect(backup?.volumes).toEqual([`backups:${folder}`, './deploy/backup.sh:/backup.sh:ro'])
  })

  test('one that stops takes requests until the proxy has noticed', () => {
    for (const gateway of gateways) {
      const { MASTER_KEY_FILE: _, ...settings } = settingsOf(gateway)
      expect(readConfig(settings).drainMs).toBeGreaterThan(3_000)
    }
  })

  // Compose compares depends_on too: the next "up" would replace both gateways at once.
  test('the page replaces one gateway in the way that the next "docker compose up -d" leaves alone', () => {
    const page = readFileSync('docs/operations/high-availability.md', 'utf8')
    for (const name of names) expect(page).toContain(`docker compose up -d ${name}`)
    expect(page).not.toMatch(/up -d --no-deps/)
  })

  test('their console is that of one gateway', () => {
    expect(namesIn(ha, ({ build }) => build !== undefined)).toHaveLength(2)
    expect(ha.services.console).toEqual({ ...alone.services.console, restart: 'always' })
  })
})
