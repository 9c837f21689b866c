import { totpCode } from '../support/totp-app.ts'
import type { Canaries } from './canaries.ts'
import { endpointOf, type Product, type Reply } from './product.ts'
import { oddSecret } from './search.ts'

export type Headers = Readonly<Record<string, string>>

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

const call = (product: Product, id: string, body?: unknown, headers: Headers = {}) =>
  product.call(endpointOf(id), { headers, ...(body === undefined ? {} : { body }) })

export async function signIn(product: Product, email: string, password: string): Promise<Headers> {
  const { json, status } = await call(product, 'login', { email, password })
  if (status !== 200) throw new Error(`${email} could not sign in: ${JSON.stringify(json)}`)
  return bearer(json.token)
}

/** People come, change what they sign in with, use it, and mistake one secret for another. */
export async function usePeople(
  product: Product,
  canaries: Canaries,
  asAdmin: Headers,
): Promise<void> {
  const chosen = canaries.plant('password', oddSecret())
  const changed = canaries.plant('password', oddSecret())
  const email = 'grace@sluice.test'
  await call(product, 'createPerson', { email, role: 'operator', password: chosen }, asAdmin)
  const generated = { email: 'eve@sluice.test', role: 'viewer' }
  const { json } = await call(product, 'createPerson', generated, asAdmin)
  await signIn(product, generated.email, json.password)
  const { id } = json.person
  const reset = await product.call(endpointOf('resetPassword'), {
    ...{ params: { id: String(id) }, headers: asAdmin },
  })
  await signIn(product, generated.email, reset.json.password)

  const asGrace = await signIn(product, email, chosen)
  await call(product, 'changePassword', { newPassword: changed }, asGrace)
  const secret = await addApp(product, asGrace)
  const codes = (await call(product, 'createRecoveryCodes', undefined, asGrace)).json.recoveryCodes
  const [first = '', second = ''] = codes
  const wait = async () =>
    (await call(product, 'login', { email, password: changed })).json.signIn.id
  const show = async (shown: object): Promise<Reply> =>
    call(product, 'secondFactor', { signInId: await wait(), ...shown })
  await show({ totp: totpCode(secret, Date.now() + 30_000) })
  await show({ recoveryCode: first })
  // Each secret where another one belongs.
  for (const wrong of [first, secret, changed]) {
    await show({ recoveryCode: wrong })
    await show({ totp: wrong })
    await call(product, 'confirm', { password: wrong }, asGrace)
    await call(product, 'confirm', { recoveryCode: wrong }, asGrace)
    await call(product, 'login', { email: wrong, password: email })
  }
  await call(product, 'confirm', { recoveryCode: second }, asGrace)
  await call(product, 'login', { email, password: chosen })
  await product.call(endpointOf('endSessionsOfPerson'), {
    ...{ params: { id: String(id) }, headers: asAdmin },
  })
}

/** Adds an authenticator app. @returns its secret, as a person types it */
async function addApp(product: Product, headers: Headers): Promise<string> {
  const { json } = await call(product, 'createTotp', { name: 'Phone' }, headers)
  const bits = Buffer.from(json.secret)
  if (bits.length === 0) throw new Error('There is no secret')
  await product.call(endpointOf('confirmTotp'), {
    ...{ params: { id: String(json.id) }, headers, body: { code: totpCode(json.secret) } },
  })
  return json.secret
}
