import { readFileSync, writeFileSync } from 'node:fs'
import { baseImages, FILES_WITH_BASES, withDigests } from './base-images.ts'
import { runCommand } from './cli.ts'
import { digestOf } from './image-digest.ts'

const USAGE = `Usage:
  npm run pin-images [-- --registry URL]

Asks the registry which digests the tags of the base images stand for now, and writes them behind the tags: in the
Dockerfiles and the compose files. From then on every build takes exactly these images. Run it again for newer ones, and
read the difference before you commit it. Writes nothing unless the registry answers for every image.

  --registry   default https://registry-1.docker.io`

await runCommand({
  usage: USAGE,
  options: { registry: { type: 'string', default: 'https://registry-1.docker.io' } },
  failed: 'Nothing was changed.',
  async run({ registry }) {
    const digests = new Map<string, string>()
    for (const { tag } of baseImages()) digests.set(tag, await digestOf(tag, registry))
    for (const file of FILES_WITH_BASES)
      writeFileSync(file, withDigests(readFileSync(file, 'utf8'), digests))
    for (const [tag, digest] of digests) console.log(`${tag}@${digest}`)
    return 0
  },
})
