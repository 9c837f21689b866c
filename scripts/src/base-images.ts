import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that name images of others; each stands in its own file and nowhere else. */
export const FILES_WITH_BASES = [
  'Dockerfile.gateway',
  'Dockerfile.console',
  'gateway/paper-exchange/Dockerfile',
  'compose.yaml',
  'compose.ha.yaml',
] as const

/** `ARG NODE_IMAGE=node:24`, or `image: caddy:2`; images of ours have no tag. */
const NAMED = /^(ARG \w+_IMAGE=|\s+image: )([a-z0-9][\w./-]*:[\w.-]+)(@sha256:[0-9a-f]{64})?$/gm

export interface BaseImage {
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
export function withDigests(text: string, digests: ReadonlyMap<string, string>): string {
  return text.replaceAll(NAMED, (_all, before: string, tag: string) => {
    const digest = digests.get(tag)
    if (digest === undefined) throw new TypeError(`No digest of ${tag}`)
    return `${before}${tag}@${digest}`
  })
}
