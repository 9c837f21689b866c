import { readFileSync } from 'node:fs'
import { readConfig } from 'gateway/config.ts'
import { ENV } from 'gateway/env/table.ts'
import { readDatabaseUrl } from 'gateway/store/postgres/url.ts'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { IMAGES } from '../../src/verify-images/build-images.ts'

interface Service {
  readonly image: string
  readonly build?: { readonly dockerfile: string }
  readonly environment?: Readonly<Record<string, string | null>>
  readonly volumes?: readonly string[]
  readonly networks: readonly string[] | Readonly<Record<string, { aliases: string[] } | null>>
  readonly ports?: readonly string[]
  readonly restart?: string
  readonly depends_on?: unknown
  readonly cap_add?: readonly string[]
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly networks: Readonly<Record<string, { internal?: boolean } | null>>
}

const text = readFileSync('compose.ha.yaml', 'utf8')
const { services, volumes, networks }: Compose = parse(text, { merge: true })
const alone: Compose = parse(readFileSync('compose.yaml', 'utf8'), { merge: true })
const caddyfile = readFileSync('deploy/Caddyfile.ha', 'utf8')
const alonesCaddyfile = readFileSync('deploy/Caddyfile', 'utf8')
const names = ['gateway-1', 'gateway-2'] as const
const gateways = names.map((name) => ({ name, ...(services[name] as Service) }))
const networksOf = ({ networks: found }: Service) =>
  Array.isArray(found) ? found : Object.keys(found)
const on = (network: string) =>
  Object.entries(services).flatMap(([name, one]) => (networksOf(one).includes(network) ? name : []))

/** The settings of a gateway, with what .env has to have. */
function settingsOf({ environment = {} }: Service): Record<string, string> {
  const filled = Object.entries(environment).map(([name, value]) => [
    name,
    String(value)
      .replace(/\$\{DOMAIN\}/g, 'example.com')
      .replace(/\$\{POSTGRES_PASSWORD:\?[^}]+\}/g, 's3cret'),
  ])
  return Object.fromEntries(filled)
}

test.each(Object.entries(services))('%s has only what it needs', (_name, service) => {
  expect(service).toMatchObject({
    ...{ read_only: true, cap_drop: ['ALL'], restart: 'always' },
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.stringMatching(/^\d+m$/),
    pids_limit: expect.any(Number),
  })
  expect(service).not.toHaveProperty('privileged')
})

test('every volume is a named one that is declared, or a file of ours', () => {
  for (const { volumes: mounted = [] } of Object.values(services))
    for (const volume of mounted) {
      const [from = ''] = volume.split(':')
      if (from === './deploy/Caddyfile.ha')
        expect(volume).toBe('./deploy/Caddyfile.ha:/etc/caddy/Caddyfile:ro')
      else if (from.startsWith('./deploy/')) expect(volume).toMatch(/:ro$/)
      else expect(volumes).toHaveProperty(from)
    }
})

test('nothing but the proxy has a port outside, and nobody but the gateways, PostgreSQL and its backup is on their network', () => {
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
  expect(published.map(([name]) => name)).toEqual(['proxy'])
  expect(on('nodes')).toEqual([...names, 'postgres', 'backup'])
  expect(on('api')).toEqual(['proxy', ...names])
  expect(networksOf(services.postgres as Service)).toEqual(['nodes'])
  expect(networks.nodes).toEqual({ internal: true })
})

test('each gateway has a URL of its own, on the network of the nodes, and all else is equal', () => {
  const configs = gateways.map((gateway) => {
    const settings = settingsOf(gateway)
    for (const name of Object.keys(settings))
      if (name !== 'GATEWAY_URL') expect(ENV).toHaveProperty(name)
    const { hostname } = new URL(settings.NODE_URL ?? '')
    const { nodes } = gateway.networks as Record<string, { aliases: string[] } | null>
    expect(nodes?.aliases).toEqual([hostname])
    const { NODE_URL: url, ...rest } = settings
    return { url, rest }
  })
  expect(new Set(configs.map(({ url }) => url)).size).toBe(2)
  expect(configs[0]?.rest).toEqual(configs[1]?.rest)
  for (const { volumes: mounted } of gateways) expect(mounted).toEqual(['keys:/keys'])
})

test('PostgreSQL is the database of the gateways, and no password is in the file', () => {
  const [first] = gateways
  if (first === undefined) throw new Error('no gateway')
  const { DATABASE_URL = '' } = settingsOf(first)
  const { environment = {} } = services.postgres as Service
  expect(readDatabaseUrl(DATABASE_URL)).toMatchObject({
    ...{ host: 'postgres', port: 5432, password: 's3cret', ssl: false },
    user: environment.POSTGRES_USER,
    database: environment.POSTGRES_DB,
  })
  // Taken from where the command is given, or from .env.
  expect(environment.POSTGRES_PASSWORD).toBeNull()
  for (const gateway of gateways)
    expect(gateway.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
})

test('a backup is made of the database of the gateways, by the tools of its version, without the master key', () => {
  const { backup, postgres } = services
  expect(backup?.environment).toMatchObject({
    ...{ PGHOST: 'postgres', PGUSER: postgres?.environment?.POSTGRES_USER },
    PGDATABASE: postgres?.environment?.POSTGRES_DB,
  })
  expect(backup?.image).toBe(postgres?.image)
  expect(backup?.volumes).toEqual([
    `backups:${backup?.environment?.BACKUP_FOLDER}`,
    './deploy/backup.sh:/backup.sh:ro',
  ])
})

test('a gateway that stops takes requests until the proxy has noticed', () => {
  for (const gateway of gateways) {
    const { MASTER_KEY_FILE: _, ...settings } = settingsOf(gateway)
    expect(readConfig(settings).drainMs).toBeGreaterThan(3_000)
  }
})

test('without real money the exchange is the paper exchange, which only the gateways reach', () => {
  const paper: Compose = parse(readFileSync('compose.ha.paper.yaml', 'utf8'), { merge: true })
  const alonesPaper: Compose = parse(readFileSync('compose.paper.yaml', 'utf8'), { merge: true })
  expect(Object.keys(paper.services)).toEqual([...names, 'paper-exchange'])
  for (const name of names) {
    const { environment, networks: found } = paper.services[name] as Service
    expect(environment).toEqual(alonesPaper.services.gateway?.environment)
    // Beside those that compose.ha.yaml gives it, which has them as a mapping.
    expect(found).toEqual({ paper: null })
  }
  const { 'paper-exchange': exchange } = alonesPaper.services
  expect(paper.services['paper-exchange']).toEqual({ ...exchange, restart: 'always' })
  expect(paper.networks).toEqual({ paper: { internal: true } })
})

// Compose counts depends_on in what it compares: the next "up" would replace both gateways at once.
test('the page replaces one gateway in the way that the next "docker compose up -d" leaves alone', () => {
  const page = readFileSync('docs/operations/high-availability.md', 'utf8')
  for (const name of names) expect(page).toContain(`docker compose up -d ${name}`)
  expect(page).not.toMatch(/up -d --no-deps/)
})

test('our images are built once, from their own Dockerfiles', () => {
  const built = Object.values(services).filter(({ build }) => build)
  expect(built).toHaveLength(2)
  for (const { image, build } of built)
    expect(Object.values(IMAGES)).toContainEqual({ tag: image, dockerfile: build?.dockerfile })
  expect(services.console).toEqual({ ...alone.services.console, restart: 'always' })
})

test('the proxy sends to every gateway, and in its times and refusals it is as the one of a single gateway', () => {
  const to = /reverse_proxy ((?:gateway-\S+ ?)+)\{/.exec(caddyfile)?.[1]?.trim().split(' ')
  expect(to).toEqual(names.map((name) => `${name}:8080`))
  for (const pattern of [
    /response_header_timeout .*/g,
    /keepalive .*/g,
    /@metrics.*/g,
    /read_header .*/g,
  ])
    expect(caddyfile.match(pattern)).toEqual(alonesCaddyfile.match(pattern))
})
