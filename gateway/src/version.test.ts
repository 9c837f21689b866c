import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { tempFolder } from '../test/support/temp-folder.ts'
import { commitOf } from './version.ts'

const COMMIT = '9fceb02d0ae598e95dc970b74767f19372d61af8'
const OTHER = COMMIT.replaceAll('9', '1')
const BRANCH = 'ref: refs/heads/main\n'

test.each([
  ['a branch', { HEAD: BRANCH, 'refs/heads/main': `${COMMIT}\n` }],
  [
    'a packed branch',
    { HEAD: BRANCH, 'packed-refs': `${OTHER} refs/heads/x\n${COMMIT} refs/heads/main\n` },
  ],
  [
    'a branch that has moved since it was packed',
    { HEAD: BRANCH, 'refs/heads/main': `${COMMIT}\n`, 'packed-refs': `${OTHER} refs/heads/main\n` },
  ],
  ['a commit without a branch', { HEAD: `${COMMIT}\n` }],
] as const)('the commit of %s is read without git', (_of, files) => {
  expect(commitOf(checkout(files))).toBe('9fceb02d0ae5')
})

test.each([{}, { HEAD: BRANCH }, { HEAD: 'ref: refs/heads/.invalid\n' }, { HEAD: '' }])(
  'with %j the commit is unknown, and nothing fails',
  (files) => expect(commitOf(checkout(files))).toBeUndefined(),
)

function checkout(files: Readonly<Record<string, string>>): URL {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, '.git', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return pathToFileURL(`${folder}/`)
}
