import { RefusedError } from './cli.ts'

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
 * The digest that a tag stands for now, by the registry's HTTP API (OCI Distribution Specification
 * 1.1, "Pulling manifests"); as anybody, without an account.
 * @param tag such as `node:24-bookworm-slim`: names without a host are those of Docker Hub
 * @throws RefusedError with what the registry said
 */
export async function digestOf(tag: string, registry: string): Promise<string> {
  const [name = '', reference = ''] = tag.split(':')
  const repository = name.includes('/') ? name : `library/${name}`
  const url = new URL(`/v2/${repository}/manifests/${reference}`, registry)
  const response = await ask(url, tag)
  const digest = response.headers.get('docker-content-digest')
  if (!response.ok || digest === null || !DIGEST.test(digest))
    throw new RefusedError(`${tag}: the registry answered ${response.status} without a digest`)
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
    throw new RefusedError(`${tag}: ${realm.host} answered ${response.status} without a token`)
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
