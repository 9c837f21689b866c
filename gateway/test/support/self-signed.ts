import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from './temp-folder.ts'

/** A key, and a certificate for 127.0.0.1 that nobody trusts. */
export function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = tempFolder()
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const options =
    '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=test -addext subjectAltName=IP:127.0.0.1'
  execFileSync('openssl', ['req', ...options.split(' '), '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { key: readFileSync(key), cert: readFileSync(cert) }
}
