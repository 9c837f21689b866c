import { useEffect, useState } from 'react'
import { authMethods, type ResponseOf } from 'schema'
import { readResponse, send } from '../../api/client.ts'
import { hasOpenId, loadGatewayUrl } from '../../api/gateway-url.ts'

type Methods = ResponseOf<typeof authMethods>

/**
 * How people can sign in: by password, unless the console's settings say that there may be another
 * way. Until that is known, and where it cannot be known, by password too.
 */
export function useMethods(): Methods {
  const [methods, setMethods] = useState<Methods>({ password: true, openid: null })
  useEffect(() => {
    const ask = async () => {
      await loadGatewayUrl()
      if (hasOpenId()) setMethods(readResponse(authMethods, await send(authMethods)))
    }
    // Signing in says that the gateway cannot be reached.
    ask().catch(() => {})
  }, [])
  return methods
}
