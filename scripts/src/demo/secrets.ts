import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatePassword } from 'gateway/vault/password.ts'

export interface PaperKeys {
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase?: string
}

/** What the demo has to know again at its next start. It opens nothing but the paper exchange. */
export interface DemoSecrets {
  readonly adminPassword: string
  /** `classic`: of a classic account of Bitget. */
  readonly keys: { readonly mx: PaperKeys; readonly bg: PaperKeys; readonly classic: PaperKeys }
  /** Of the demo's client, once it is made. */
  readonly clientSecret?: string
  /** The same of the client with the classic account. */
  readonly classicSecret?: string
}

/**
 * The secrets of the last start, or new ones; `save` keeps them in a file that only this user
 * reads.
 */
export function loadSecrets(folder: string) {
  const path = join(folder, 'demo-secrets.json')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const made = makeSecrets()
  const kept: DemoSecrets = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : made
  // An older demo has no keys for a classic account.
  const secrets: DemoSecrets = { ...kept, keys: { ...made.keys, ...kept.keys } }
  const save = (next: DemoSecrets) =>
    writeFileSync(path, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 })
  save(secrets)
  return { secrets, save }
}

function makeSecrets(): DemoSecrets {
  const random = () => randomBytes(16).toString('hex')
  return {
    adminPassword: generatePassword(),
    keys: {
      mx: { apiKey: `paper-mx-${random()}`, apiSecret: random() },
      bg: { apiKey: `paper-bg-${random()}`, apiSecret: random(), passphrase: random() },
      classic: { apiKey: `paper-bg-${random()}`, apiSecret: random(), passphrase: random() },
    },
  }
}
