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
  readonly keys: { readonly mx: PaperKeys; readonly bg: PaperKeys }
  /** Of the demo's client, once it is made. */
  readonly clientSecret?: string
}

/**
 * The secrets of the last start, or new ones; `save` keeps them in a file that only this user
 * reads.
 */
export function loadSecrets(folder: string) {
  const path = join(folder, 'demo-secrets.json')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const secrets: DemoSecrets = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : makeSecrets()
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
    },
  }
}
