import { useEffect, useState } from 'react'
import { authMethods, type ResponseOf } from 'schema'
import { readResponse, send } from '../../api/client.ts'
import { hasOpenId, loadGatewayUrl } from '../../api/gateway-url.ts'
import { useEvery } from '../../api/use-every.ts'

type Methods = ResponseOf<typeof authMethods>

const ASK_AGAIN_MS = 5_000
const BY_PASSWORD: Methods = { password: true, openid: null }

/**
 * How people can sign in: by password, unless the console's settings say that there may be another
 * way. Until that is known, by password too, and the gateway is asked again.
 */
export function useMethods(): Methods {
  const [known, setKnown] = useState<Methods>()
  useEffect(() => void readMethods().then(setKnown), [])
  useEvery(ASK_AGAIN_MS, () => readMethods().then(setKnown), known !== undefined)
  return known ?? BY_PASSWORD
}

/** Undefined when it cannot be read: signing in says that the gateway cannot be reached. */
async function readMethods(): Promise<Methods | undefined> {
  try {
    await loadGatewayUrl()
    return hasOpenId() ? readResponse(authMethods, await send(authMethods)) : BY_PASSWORD
  } catch {
    return undefined
  }
}
