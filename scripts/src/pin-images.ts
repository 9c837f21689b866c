import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, RefusedError, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run pin-images [-- --registry URL]

Asks the registry which digests the tags of the base images have now, and writes them behind the tags: in the
Dockerfiles and the compose files. From then on every build takes exactly these images. Run it again for newer ones, and
read the difference before you commit it. Writes nothing unless the registry has a digest of every image.

  --registry   default https://registry-1.docker.io`

export const run = command({
  usage: USAGE,
  options: { registry: { type: 'string', default: 'https://registry-1.docker.io' } },
  failed: 'Nothing was changed.',
  async run({ registry }, _positionals, { console }) {
    for (const [tag, digest] of await pinImages('.', registry)) console.log(`${tag}@${digest}`)
    return 0
  },
})

/** Writes the digests behind the tags in the files of a project. @returns the digest of each tag */
export async function pinImages(folder: string, registry: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  for (const { tag } of baseImages(folder)) digests.set(tag, await digestOf(tag, registry))
  for (const path of FILES_WITH_BASES) {
    const file = join(folder, path)
    writeFileSync(file, withDigests(readFileSync(file, 'utf8'), digests))
  }
  return digests
}

/** The files that name images of others; each image is named in one file of its own. */
export const FILES_WITH_BASES = [
  'Dockerfile.gateway',
  'Dockerfile.console',
  'gateway/paper-exchange/Dockerfile',
  'compose.yaml',
  'compose.ha.yaml',
] as const

/** `ARG NODE_IMAGE=node:24`, or `image: caddy:2`; images of ours have no tag. */
const NAMED = /^(ARG \w+_IMAGE=|\s+image: )([a-z0-9][\w./-]*:[\w.-]+)(@sha256:[0-9a-f]{64})?$/gm

interface BaseImage {
  /** Name and tag, such as `node:24-bookworm-slim`. */
  readonly tag: string
  /** `@sha256:…`; empty while the image is not pinned. */
  readonly digest: string
  /** The build argument that names it; absent in a compose file. */
  readonly argument?: string
}

/** The images that a Dockerfile or compose file is based on, in order. */
export function basesOf(text: string): BaseImage[] {
  return [...text.matchAll(NAMED)].map(([, before = '', tag = '', digest = '']) => {
    const argument = /^ARG (\w+)=/.exec(before)?.[1]
    return { tag, digest, ...(argument === undefined ? {} : { argument }) }
  })
}

/** The images that the files of a project are based on, each once. */
export function baseImages(folder = '.'): BaseImage[] {
  const all = FILES_WITH_BASES.flatMap((file) => basesOf(readFileSync(join(folder, file), 'utf8')))
  return [...new Map(all.map((base) => [base.tag, base])).values()]
}

/** The same file with the digests of these tags. @throws TypeError for a tag without one */
function withDigests(text: string, digests: ReadonlyMap<string, string>): string {
  return text.replaceAll(NAMED, (_all, before: string, tag: string) => {
    const digest = digests.get(tag)
    if (digest === undefined) throw new TypeError(`No digest of ${tag}`)
    return `${before}${tag}@${digest}`
  })
}

const TIMEOUT_MS = 20_000
/** An image for several machines, or for one. */
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')
const DIGEST = /^sha256:[0-9a-f]{64}$/

/**
 * The digest that a tag has now, by the registry's HTTP API (OCI Distribution Specification
 * 1.1, "Pulling manifests"); as anybody, without an account.
 * @param tag such as `node:24-bookworm-slim`: names without a host are those of Docker Hub
 * @throws RefusedError with what the registry said
 */
async function digestOf(tag: string, registry: string): Promise<string> {
  const [name = '', reference = ''] = tag.split(':')
  const repository = name.includes('/') ? name : `library/${name}`
  const url = new URL(`/v2/${repository}/manifests/${reference}`, registry)
  const response = await ask(url, tag)
  const digest = response.headers.get('docker-content-digest')
  if (!response.ok || digest === null || !DIGEST.test(digest))
    throw new RefusedError(
      `${tag}: the registry responded with ${response.status}, without a digest`,
    )
  return digest
}

/** Asks for the manifest's headers, with a token where the registry asks for one. */
async function ask(url: URL, tag: string): Promise<Response> {
  const first = await fetchWith(url, 'HEAD', { accept: MANIFESTS }, tag)
  if (first.status !== 401) return first
  const token = await tokenFor(first.headers.get('www-authenticate') ?? '', url, tag)
  return fetchWith(url, 'HEAD', { accept: MANIFESTS, authorization: `Bearer ${token}` }, tag)
}

/** The token for everybody, from where the challenge says (Docker Registry v2 authentication). */
async function tokenFor(challenge: string, registry: URL, tag: string): Promise<string> {
  const parameters = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )
  const realm = URL.parse(parameters.get('realm') ?? '')
  if (realm === null || (realm.protocol !== 'https:' && realm.origin !== registry.origin))
    throw new RefusedError(`${tag}: the registry does not say where its tokens are`)
  for (const name of ['service', 'scope']) {
    const value = parameters.get(name)
    if (value !== undefined) realm.searchParams.set(name, value)
  }
  const response = await fetchWith(realm, 'GET', {}, tag)
  const body: unknown = response.ok ? await response.json() : {}
  const { token, access_token } = body as Record<string, unknown>
  const found = token ?? access_token
  if (typeof found !== 'string')
    throw new RefusedError(
      `${tag}: ${realm.host} responded with ${response.status}, without a token`,
    )
  return found
}

async function fetchWith(
  url: URL,
  method: string,
  headers: Record<string, string>,
  tag: string,
): Promise<Response> {
  try {
    return await fetch(url, { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (cause) {
    throw new RefusedError(`${tag}: ${url.host} cannot be reached`, { cause })
  }
}

await runAsProcess(import.meta, run)
