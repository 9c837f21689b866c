import { createHmac } from 'node:crypto'

/**
 * The header `webhook-signature` of Standard Webhooks 1.0 (standardwebhooks.com, "Signature scheme"): HMAC-SHA256 over
 * id, time and body, so that a receiver knows who sent it, when, and that it is whole.
 * @param timestampSeconds Unix time, whole seconds, of this attempt
 */
export function signWebhook(
  secret: Buffer,
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: string },
): string {
  const mac = createHmac('sha256', secret).update(`${id}.${timestampSeconds}.${body}`)
  return `v1,${mac.digest('base64')}`
}
