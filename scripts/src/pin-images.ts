import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { baseImages, FILES_WITH_BASES, withDigests } from './base-images.ts'
import { command, runAsProcess } from './cli.ts'
import { digestOf } from './image-digest.ts'

const USAGE = `Usage:
  npm run pin-images [-- --registry URL]

Asks the registry which digests the tags of the base images stand for now, and writes them behind the tags: in the
Dockerfiles and the compose files. From then on every build takes exactly these images. Run it again for newer ones, and
read the difference before you commit it. Writes nothing unless the registry answers for every image.

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

await runAsProcess(import.meta, run)
