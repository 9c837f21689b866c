let url = window.location.origin

/** Done when `/config.json` was read; every call waits for it. Never rejects. */
export const gatewayUrlLoaded: Promise<void> = loadGatewayUrl()

/** The gateway's base URL without a trailing slash; the page's own origin until and unless another is configured. */
export function gatewayUrl(): string {
  return url
}

async function loadGatewayUrl(): Promise<void> {
  try {
    const answer = await fetch('/config.json', {
      cache: 'no-store',
      signal: AbortSignal.timeout(10_000),
    })
    if (answer.ok) url = readGatewayUrl(await answer.json()) ?? url
  } catch {
    // No file, the start page in its place, or broken JSON: nothing is configured, the page's origin it is.
  }
}

function readGatewayUrl(config: unknown): string | undefined {
  if (typeof config !== 'object' || config === null) return undefined
  const { gatewayUrl: configured } = config as Record<string, unknown>
  if (typeof configured !== 'string' || !URL.canParse(configured)) return undefined
  const { protocol, href } = new URL(configured)
  return protocol === 'https:' || protocol === 'http:' ? href.replace(/\/+$/, '') : undefined
}
