import { useEffect, useState } from 'react'
import { authMethods, type ResponseOf } from 'schema'
import { readResponse, send } from '../../api/client.ts'

type Methods = ResponseOf<typeof authMethods>

/** How people can sign in. Until that is known, and where it cannot be known: by password. */
export function useMethods(): Methods {
  const [methods, setMethods] = useState<Methods>({ password: true, openid: null })
  useEffect(() => {
    send(authMethods).then(
      (response) => setMethods(readResponse(authMethods, response)),
      // Signing in says that the gateway cannot be reached.
      () => {},
    )
  }, [])
  return methods
}
