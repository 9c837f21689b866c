import { createHmac } from 'node:crypto'

/**
 * The header `webhook-signature` of Standard Webhooks 1.0 (standardwebhooks.com, "Signature
 * scheme"): HMAC-SHA256 over id, time and body. With it a receiver verifies the sender, the time
 * and the content.
 * @param timestampSeconds Unix time of this attempt, in whole seconds
 */
export function signWebhook(
  secret: Buffer,
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: string },
): string {
  const mac = createHmac('sha256', secret).update(`${id}.${timestampSeconds}.${body}`)
  return `v1,${mac.digest('base64')}`
}
