import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { readConfig } from 'gateway/config.ts'
import { ENV } from 'gateway/env/table.ts'
import { expect, test } from 'vitest'
import { settingsFiles } from './env-example.ts'

const root = new URL('../../', import.meta.url)

test.each(settingsFiles)('$path agrees with the table of settings', ({ path, write }) => {
  const present = readFileSync(new URL(path, root), 'utf8')
  expect(present, 'run "npm run env-example" and commit what it makes').toBe(write())
  for (const name of Object.keys(ENV)) expect(present).toContain(name)
})

test('.env.example changes nothing as delivered, and each of its lines is valid', () => {
  const example = readFileSync(new URL('.env.example', root), 'utf8')
  expect(parseEnv(example)).toEqual({})
  const all = parseEnv(example.replaceAll(/^#(?=[A-Z_]+=)/gm, ''))
  expect(new Set(Object.keys(all))).toEqual(new Set(Object.keys(ENV)))
  const secrets = {
    ADMIN_PASSWORD: 'one-lock-two-gates',
    ALERT_WEBHOOK_SECRET: Buffer.alloc(32).toString('base64'),
    OIDC_CLIENT_SECRET_FILE: fileURLToPath(import.meta.url),
  }
  // Several gateways need another database than the one of the file.
  const alone = { NODE_URL: '', NODE_LISTEN: '' }
  expect(readConfig({ ...all, ...secrets, ...alone })).toMatchObject(readConfig({}))
})
