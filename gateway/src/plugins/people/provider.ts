import type { OpenIdStore } from '../../store/openid-store.ts'

/** The OpenID Connect provider that people can sign in at. */
export interface Provider {
  readonly issuer: string
  /** What people call it. */
  readonly name: string
}

/** The provider that gives a person the role; null when an admin does, here. */
export async function providerOf(
  adminId: number,
  deps: {
    readonly openIds: Pick<OpenIdStore, 'subjectOf'>
    readonly provider: Provider | undefined
  },
): Promise<string | null> {
  const { openIds, provider } = deps
  if (provider === undefined) return null
  const subject = await openIds.subjectOf(adminId, provider.issuer)
  return subject === undefined ? null : provider.name
}
