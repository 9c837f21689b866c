import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('without a container engine one line says what to do', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/src/verify-images.ts'], {
    encoding: 'utf8',
    env: { PATH: '/nowhere' },
  })
  expect(status).toBe(1)
  expect(stderr.trim()).toMatch(/^No container engine responds: .+$/)
})
