import type { NewSecret } from './create-client-form.tsx'

/** The lines of a `.env` file: base URL, client id, secret, and nothing else. */
export function envLines(baseUrl: string, { clientId, clientSecret }: NewSecret): string {
  return [
    `SLUICE_BASE_URL=${baseUrl}`,
    `SLUICE_CLIENT_ID=${clientId}`,
    `SLUICE_CLIENT_SECRET=${clientSecret}`,
    '',
  ].join('\n')
}
