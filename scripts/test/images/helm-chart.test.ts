import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ENV } from 'gateway/env/table.ts'
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { PersistentVolumeClaim, Service } from 'kubernetes-types/core/v1.d.ts'
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { catalogue, healthLive, healthReady } from 'schema'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { tempFolder } from '../../../gateway/test/support/temp-folder.ts'

const FOLDER = 'deploy/helm/sluice'
const file = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8')
const values = parse(file('values.yaml'))
const schema = JSON.parse(file('values.schema.json'))
const templates = readdirSync(`${FOLDER}/templates`)
  .map((name) => file(`templates/${name}`))
  .join('\n')

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

/** The values that the schema names one by one, by their paths. */
function leavesOf(schema: Schema, above = ''): [path: string, description: string][] {
  const { properties, description = '' } = schema
  if (properties === undefined) return [[above, description]]
  return Object.entries(properties).flatMap(([name, one]) => leavesOf(one, `${above}.${name}`))
}
const paths = leavesOf(schema).map(([path]) => path)

const valueAt = (path: string): unknown =>
  path
    .split('.')
    .slice(1)
    .reduce((value, name) => (value as Record<string, unknown>)?.[name], values)

test('the schema describes every value, and each of them has a default', () => {
  for (const path of paths) expect(valueAt(path), path).toBeDefined()
  expect(Object.keys(values).toSorted()).toEqual(Object.keys(schema.properties).toSorted())
})

/** The table of the chart's page. `npx vitest -u` writes it anew. */
function renderValues(): string {
  const rows = leavesOf(schema).map(([path, description]) => {
    expect(description, path).toMatch(/^\S.{15,}[^.]$/)
    const value = valueAt(path)
    const shown =
      value === '' ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
    return `| \`${path.slice(1)}\` | ${shown} | ${description} |`
  })
  return ['| value | default | what it is |', '|---|---|---|', ...rows].join('\n')
}

test("the chart's page lists every value with its default", async () => {
  const [head = ''] = file('README.md').split('| value | default')
  await expect(`${head}${renderValues()}\n`).toMatchFileSnapshot(resolve(FOLDER, 'README.md'))
})

test('the templates use every value, and none that is not there', () => {
  const used = new Set([...templates.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path]) => path))
  for (const path of used) expect(valueAt(path ?? ''), path).toBeDefined()
  for (const path of paths)
    expect(
      [...used].some((one) => path === one || path.startsWith(`${one}.`)),
      path,
    ).toBe(true)
})

test('the chart has the version of the packages', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(parse(file('Chart.yaml')).appVersion).toBe(version)
})

const TAGS = {
  image: {
    gateway: { repository: 'r.example.com/sluice-gateway', tag: '1.0.0' },
    console: { repository: 'r.example.com/sluice-console', tag: '1.0.0' },
  },
}
const POSTGRES = { ...TAGS, database: { urlSecret: { name: 'sluice-database' } } }
const WITH_MONITOR = {
  serviceMonitor: { enabled: true, labels: { release: 'p' }, tokenSecret: { name: 'metrics' } },
  networkPolicy: { metricsFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }] },
}

/** Installations that differ in what is rendered. */
const INSTALLATIONS = {
  'several gateways on PostgreSQL': POSTGRES,
  'one gateway on SQLite': { ...TAGS, replicaCount: 1 },
  'everything that can be set': {
    ...{ ...POSTGRES, ...WITH_MONITOR, replicaCount: 3, drainSeconds: 30 },
    imagePullSecrets: [{ name: 'registry' }],
    ...{ settings: { LOG_LEVEL: 'debug' }, settingsSecret: 'more', trustProxy: '100.64.0.0/10' },
    ...{ nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'trade', operator: 'Exists' }] },
  },
  'the gateway alone, without an Ingress': {
    ...{ ...TAGS, replicaCount: 1, console: { enabled: false } },
    database: { volume: { size: '1Gi', storageClassName: 'fast' } },
    ...{ ingress: { enabled: false }, networkPolicy: { enabled: false } },
  },
} as const

/** What Helm installs, by kind. */
interface Rendered {
  readonly Deployment: readonly Deployment[]
  readonly Service: readonly Service[]
  readonly PersistentVolumeClaim: readonly PersistentVolumeClaim[]
  readonly PodDisruptionBudget: readonly PodDisruptionBudget[]
  readonly Ingress: readonly Ingress[]
  readonly NetworkPolicy: readonly NetworkPolicy[]
  readonly ServiceMonitor: readonly { readonly spec: Readonly<Record<string, unknown>> }[]
}
const TYPES: Readonly<Partial<Record<string, string>>> = {
  ...{ Deployment: 'apps/v1', Service: 'core/v1', PersistentVolumeClaim: 'core/v1' },
  ...{ PodDisruptionBudget: 'policy/v1', Ingress: 'networking/v1' },
  NetworkPolicy: 'networking/v1',
}

const helm = (args: readonly string[], input: object) =>
  spawnSync('helm', [...args, '--values', '-'], { input: stringify(input), encoding: 'utf8' })
const template = (input: object) =>
  helm(['template', 'trade', FOLDER, '--namespace', 'trading', '--kube-version', '1.35'], input)

const rendered = new Map<object, readonly { readonly kind: string }[]>()
function objectsOf(input: object): readonly { readonly kind: string }[] {
  const known = rendered.get(input)
  if (known !== undefined) return known
  const { status, stdout, stderr } = template(input)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const objects = parseAllDocuments(stdout).map((document) => document.toJS())
  rendered.set(input, objects)
  return objects
}

function render(name: keyof typeof INSTALLATIONS): Rendered {
  const objects = objectsOf(INSTALLATIONS[name])
  const of = <K extends keyof Rendered>(kind: K) =>
    objects.filter((one) => one.kind === kind) as unknown as Rendered[K]
  return {
    ...{ Deployment: of('Deployment'), Service: of('Service'), Ingress: of('Ingress') },
    PersistentVolumeClaim: of('PersistentVolumeClaim'),
    PodDisruptionBudget: of('PodDisruptionBudget'),
    ...{ NetworkPolicy: of('NetworkPolicy'), ServiceMonitor: of('ServiceMonitor') },
  }
}
const podOf = ({ spec }: Deployment) => {
  const pod = spec?.template
  const [container, ...others] = pod?.spec?.containers ?? []
  if (pod?.spec === undefined || container === undefined) throw new Error('A pod without container')
  expect(others).toEqual([])
  return { container, spec: pod.spec, labels: pod.metadata?.labels ?? {} }
}
const partOf = ({ Deployment: all }: Rendered, name: 'gateway' | 'console') => {
  const found = all.find(({ metadata }) => metadata?.name === `trade-sluice-${name}`)
  if (found === undefined) throw new Error(`No Deployment of the ${name}`)
  return { ...podOf(found), deployment: found }
}

const names = Object.keys(INSTALLATIONS) as (keyof typeof INSTALLATIONS)[]
const hasHelm = spawnSync('helm', ['version']).error === undefined

describe.skipIf(!hasHelm)('rendered by Helm', () => {
  test.each(names)('Helm finds nothing to object to in %s', (name) => {
    const { status, stdout } = helm(['lint', '--strict', FOLDER], INSTALLATIONS[name])
    expect(stdout).toContain('0 chart(s) failed')
    expect(status).toBe(0)
  })

  // Kubernetes drops a field that it does not know: a misspelled one would protect nobody.
  test("every object has the fields of Kubernetes' API, and no other", () => {
    const folder = tempFolder()
    const write = (name: string, objects: readonly { readonly kind: string }[]) => {
      const known = objects.filter(({ kind }) => TYPES[kind] !== undefined)
      const lines = known.map((object, index) => {
        const types = resolve('node_modules/kubernetes-types', TYPES[object.kind] ?? '')
        const type = `import('${types}').${object.kind}`
        return `export const object${index}: ${type} = ${JSON.stringify(object)}`
      })
      writeFileSync(join(folder, name), lines.join('\n'))
      return known.length
    }
    const objects = names.flatMap((name) => objectsOf(INSTALLATIONS[name]))
    const others = objects.length - write('manifests.ts', objects)
    expect(others).toBe(render('everything that can be set').ServiceMonitor.length)
    write('misspelled.ts', [{ kind: 'Deployment', spec: { replica: 1 } } as { kind: string }])
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'preserve', '--pretty']
    const { stdout } = spawnSync(
      'node_modules/.bin/tsc',
      [
        ...options,
        'false',
        '--types',
        '',
        ...['manifests.ts', 'misspelled.ts'].map((name) => join(folder, name)),
      ],
      { encoding: 'utf8' },
    )
    const problems = stdout.split('\n').filter((line) => line.includes('error'))
    expect(problems.filter((line) => !line.includes('misspelled.ts'))).toEqual([])
    expect(problems.join()).toMatch(/misspelled\.ts.*(replica|selector)/)
  })

  test.each(names)('names that objects have for each other fit, in %s', (name) => {
    const all = render(name)
    const pods = all.Deployment.map(podOf)
    const portsOf = (selector: Readonly<Record<string, string>> | undefined) => {
      expect(Object.keys(selector ?? {}).length).toBeGreaterThan(0)
      const chosen = pods.filter(({ labels }) =>
        Object.entries(selector ?? {}).every(([label, value]) => labels[label] === value),
      )
      expect(chosen, JSON.stringify(selector)).toHaveLength(1)
      return chosen.flatMap(({ container }) => container.ports?.map((port) => port.name))
    }
    for (const { spec } of all.Deployment) portsOf(spec?.selector.matchLabels)
    for (const { spec } of all.PodDisruptionBudget) portsOf(spec?.selector?.matchLabels)
    for (const { spec } of all.Service)
      expect(portsOf(spec?.selector)).toContain(spec?.ports?.[0]?.targetPort)
    for (const { spec } of all.NetworkPolicy)
      for (const rule of spec?.ingress ?? [])
        for (const { port } of rule.ports ?? [])
          expect(portsOf(spec?.podSelector.matchLabels)).toContain(port)
    const services = all.Service.map(({ metadata }) => metadata?.name)
    for (const { http } of all.Ingress.flatMap(({ spec }) => spec?.rules ?? []))
      for (const { backend } of http?.paths ?? []) expect(services).toContain(backend.service?.name)
    for (const { container, spec } of pods) {
      const mounted = container.volumeMounts?.map((mount) => mount.name) ?? []
      expect(mounted.toSorted()).toEqual(spec.volumes?.map((volume) => volume.name).toSorted())
      for (const probe of ['readinessProbe', 'livenessProbe', 'startupProbe'] as const)
        if (container[probe] !== undefined)
          expect(container.ports?.map((port) => port.name)).toContain(
            container[probe].httpGet?.port,
          )
    }
  })

  test.each(names)('pods have only the rights that they need, in %s', (name) => {
    for (const { container, spec } of render(name).Deployment.map(podOf)) {
      expect(spec).toMatchObject({
        ...{ automountServiceAccountToken: false, enableServiceLinks: false },
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(container.securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ['ALL'] },
      })
      expect(container.resources?.limits?.memory).toMatch(/^\d+Mi$/)
    }
  })

  test('the users are those of the images, and the probes call what is there', () => {
    const all = render('everything that can be set')
    const [gateway, console] = [partOf(all, 'gateway'), partOf(all, 'console')]
    expect(readFileSync('Dockerfile.console', 'utf8')).toMatch(/^USER 101$/m)
    expect(console.spec.securityContext?.runAsUser).toBe(101)
    // "node" of the official image.
    expect(readFileSync('Dockerfile.gateway', 'utf8')).toMatch(/^USER node$/m)
    expect(gateway.spec.securityContext?.runAsUser).toBe(1000)
    const { readinessProbe, livenessProbe, startupProbe } = gateway.container
    expect(readinessProbe?.httpGet?.path).toBe(healthReady.path)
    for (const probe of [livenessProbe, startupProbe])
      expect(probe?.httpGet?.path).toBe(healthLive.path)
    const server = readFileSync('deploy/console/nginx.conf', 'utf8')
    expect(server).toContain(`location = ${console.container.livenessProbe?.httpGet?.path} {`)
    for (const { spec } of [gateway, console]) {
      expect(spec).toMatchObject({ nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'trade' }] })
      expect(spec.imagePullSecrets).toEqual([{ name: 'registry' }])
    }
  })

  test.each(names)('every setting exists and is set once, secrets from Secrets, in %s', (name) => {
    const { container } = partOf(render(name), 'gateway')
    const env = container.env ?? []
    const set = env.map((one) => one.name).filter((one) => one !== 'POD_IP')
    expect(new Set(set).size).toBe(set.length)
    for (const one of set) expect(ENV).toHaveProperty(one)
    const refused: string[] = schema.properties.settings.propertyNames.not.enum
    for (const one of set.filter((one) => one !== 'LOG_LEVEL')) expect(refused).toContain(one)
    for (const one of refused) expect(ENV).toHaveProperty(one)
    const secrets = env.flatMap(({ name: setting, valueFrom }) =>
      valueFrom?.secretKeyRef === undefined ? [] : [`${setting} ${valueFrom.secretKeyRef.name}`],
    )
    expect(secrets).toContain('MASTER_KEY sluice-master-key')
    const database = env.find((one) => one.name === 'DATABASE_URL')
    expect(database?.value ?? database?.valueFrom?.secretKeyRef).toEqual(
      set.includes('NODE_URL')
        ? { name: 'sluice-database', key: 'DATABASE_URL' }
        : 'file:/data/sluice.db',
    )
  })

  test('one gateway has its volume, which stays; several share PostgreSQL, and one is always ready', () => {
    const alone = render('one gateway on SQLite')
    const { deployment, spec } = partOf(alone, 'gateway')
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
    const [volume] = alone.PersistentVolumeClaim
    expect(volume?.metadata?.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
    expect(
      spec.volumes?.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName),
    ).toContain(volume?.metadata?.name)
    const several = render('several gateways on PostgreSQL')
    expect(several.PersistentVolumeClaim).toEqual([])
    expect(several.PodDisruptionBudget.map((one) => one.spec?.maxUnavailable)).toEqual([1])
    expect(partOf(several, 'gateway').deployment.spec).toMatchObject({
      ...{ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } },
    })
    // The nodes' own port is open to gateways alone.
    const open = several.NetworkPolicy.flatMap(({ spec: policy }) => policy?.ingress ?? [])
    const ofNodes = open.filter(({ ports }) => ports?.some(({ port }) => port === 'nodes'))
    expect(ofNodes.map(({ from }) => from)).toEqual([
      [
        {
          podSelector: {
            matchLabels: partOf(several, 'gateway').deployment.spec?.selector.matchLabels,
          },
        },
      ],
    ])
    for (const { from } of open) expect(from?.length).toBeGreaterThan(0)
  })

  // Kubernetes calls an update failed then, and `helm upgrade --atomic` goes back.
  test('an update has as much time as a start may take', () => {
    const { deployment, container } = partOf(render('several gateways on PostgreSQL'), 'gateway')
    const { periodSeconds = 0, failureThreshold = 0 } = container.startupProbe ?? {}
    expect(periodSeconds * failureThreshold).toBeGreaterThan(60)
    expect(deployment.spec?.progressDeadlineSeconds).toBeGreaterThan(
      periodSeconds * failureThreshold,
    )
  })

  test('the ingress lets in every path but the metrics, which Prometheus reads with a token', () => {
    const all = render('everything that can be set')
    const rules = all.Ingress.flatMap(({ spec }) => spec?.rules ?? [])
    const open = rules.find(({ host }) => host === 'api.example.com')?.http?.paths ?? []
    const first = Object.values(catalogue).map(({ path }) => `/${path.split('/')[1]}`)
    expect(first).toContain('/metrics')
    expect(new Set([...open.map(({ path }) => path), '/metrics'])).toEqual(
      new Set([...first, '/docs', '/mx', '/bg']),
    )
    const [monitor] = all.ServiceMonitor
    const gateway = partOf(all, 'gateway')
    expect(monitor?.spec).toEqual({
      selector: { matchLabels: gateway.deployment.spec?.selector.matchLabels },
      endpoints: [
        {
          ...{ port: 'http', path: '/metrics', interval: '15s' },
          authorization: { credentials: { name: 'metrics', key: 'METRICS_TOKEN' } },
        },
      ],
    })
    expect(gateway.container.env).toContainEqual({
      name: 'METRICS_TOKEN',
      valueFrom: { secretKeyRef: { name: 'metrics', key: 'METRICS_TOKEN' } },
    })
  })

  const { serviceMonitor, networkPolicy } = WITH_MONITOR
  test.each<[string, object, RegExp]>([
    // IfNotPresent does not look whether a tag has moved: pods would run two versions.
    ['no tag of the gateway', {}, /image\.gateway\.tag is empty\. Push each build/],
    [
      'no tag of the console',
      { image: { gateway: TAGS.image.gateway } },
      /image\.console\.tag is empty/,
    ],
    ['several gateways without PostgreSQL', TAGS, /replicaCount is above 1.*database\.urlSecret/],
    [
      'a ServiceMonitor without a token',
      { ...POSTGRES, networkPolicy, serviceMonitor: { enabled: true } },
      /serviceMonitor\.enabled needs serviceMonitor\.tokenSecret\.name/,
    ],
    [
      'a ServiceMonitor that the network keeps out',
      { ...POSTGRES, serviceMonitor },
      /serviceMonitor\.enabled needs networkPolicy\.metricsFrom/,
    ],
    ['a setting that the chart makes', { ...POSTGRES, settings: { HOST: '0.0.0.0' } }, /HOST/],
    [
      'an empty list of callers',
      { ...POSTGRES, networkPolicy: { ingressFrom: [] } },
      /ingressFrom/,
    ],
    ['a value that is misspelled', { ...POSTGRES, replicas: 3 }, /replicas/],
  ])('%s is refused, with what to do', (_, input, says) => {
    const { status, stderr } = template(input)
    expect(status).toBe(1)
    expect(stderr).toMatch(says)
  })
})
