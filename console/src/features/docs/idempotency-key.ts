/** A key for one order: 128 random bits. `crypto.randomUUID` does not exist on plain http. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
