import { SECRET_PREVIEW } from 'schema'
import { DOTS } from '../../components/shorten.ts'
import type { ClientRecord } from './use-clients.ts'

const { head, tail, dots } = SECRET_PREVIEW
const BULLETS = '••••••••••••'

/**
 * First 8 characters, dots, last 4; bullets for a secret so short that this would be all of it; a
 * dash for none.
 */
export function previewOf({ clientSecret, secretPreview }: Partial<ClientRecord>): string {
  if (clientSecret !== undefined) {
    if (clientSecret.length <= head + tail) return BULLETS
    return `${clientSecret.slice(0, head)}${DOTS}${clientSecret.slice(-tail)}`
  }
  return secretPreview?.replace(dots, DOTS) ?? '–'
}
