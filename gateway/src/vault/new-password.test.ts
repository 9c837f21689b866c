import { expect, test } from 'vitest'
import { cpuMs } from '../../test/support/longest-turn.ts'
import { generatePassword, requireGoodPassword } from './password.ts'

const EMAIL = 'ada.lovelace@engine.example'

test.each(['Passw0rd', 'aaaaaa', 'a1b2c3d4e5f', '', '🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑'])(
  '%j is too short for a new password',
  async (password) => {
    await expect(requireGoodPassword(password, EMAIL)).rejects.toMatchObject({
      ...{ code: 'PASSWORD_TOO_SHORT', statusCode: 400 },
      message: 'A new password has at least 12 characters',
    })
  },
)

test.each([
  ['qwerty123456', 'is in the list'],
  ['QWERTY123456', 'is in the list, in lower case'],
  ['password1234', 'is a common one with digits'],
  ['!!!Passw0rd!!!', 'is a common one with lookalikes and signs'],
  ['ch4ng3m3-2026', 'is a common one with lookalikes and a year'],
  ['passwordpassword', 'repeats a common one'],
  ['abcabcabcabc', 'repeats something short'],
  ['aaaaaaaaaaaaaaaa', 'is one letter'],
  ['123456789012', 'counts up'],
  ['zyxwvutsrqpo', 'counts down'],
  ['ada.lovelace@engine.example', 'is the e-mail'],
  ['ada.lovelace1', 'is a part of the e-mail with a digit'],
  ['sluice-123456', 'is the product with digits'],
])('%j is too common for a new password: it %s', async (password) => {
  await expect(requireGoodPassword(password, EMAIL)).rejects.toMatchObject({
    code: 'PASSWORD_TOO_COMMON',
    statusCode: 400,
  })
})

test.each([
  'one-lock-two-gates',
  'correct horse battery staple',
  'pässwörter sind schön',
  'x7#Kq9!vB2mz',
  'monkey-8472619304',
  generatePassword(),
])('%j is good enough', async (password) => {
  await expect(requireGoodPassword(password, EMAIL)).resolves.toBeUndefined()
})

test('a password of the greatest length is checked at once', async () => {
  const startedMs = cpuMs()
  await requireGoodPassword(`${'ab'.repeat(500)}c`, EMAIL)
  await expect(requireGoodPassword('ab'.repeat(512), EMAIL)).rejects.toThrow()
  expect(cpuMs() - startedMs).toBeLessThan(200)
})
