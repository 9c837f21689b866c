import { createClient, login } from 'schema'

/** Stands for the screen of people who are not signed in. */
export const SIGN_IN = 'sign-in'

/** One page of each kind, on a gateway with one client at least. */
export async function pagesOf(
  gatewayUrl: string,
  admin: { readonly email: string; readonly password: string },
): Promise<readonly string[]> {
  const post = async (path: string, body: object, token?: string) => {
    const response = await fetch(`${gatewayUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<{ id: number; token: string }>
  }
  const { token } = await post(login.path, admin)
  const { id } = await post(createClient.path, { clientId: 'bench-of-the-console' }, token)
  return [
    '/',
    '/client-credentials',
    `/client-credentials/${id}`,
    '/api-keys',
    '/logs',
    '/operations',
    '/orders',
    '/connect',
    '/mexc/trading/place-order',
    '/bitget/trading/spot',
  ]
}
