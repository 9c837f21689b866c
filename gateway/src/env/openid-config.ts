import { readFileSync } from 'node:fs'
import type { OPENID, RoleValues } from './openid.ts'
import type { Values } from './variable.ts'

/** How administrators sign in at an OpenID Connect provider. */
export interface OpenIdConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** What people call the provider. */
  readonly name: string
  readonly scopes: string
  /** A claim's name, or the path to one, with dots. */
  readonly roleClaim: string
  readonly roles: RoleValues
  readonly redirectUri: string
}

type OpenIdValues = Values<typeof OPENID>

/** What the settings say together; nothing without a provider. */
export function openIdOf(values: OpenIdValues): { readonly openId?: OpenIdConfig } {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_ROLES: roles } = values
  const { GATEWAY_URL: gatewayUrl } = values
  const clientSecret = secretOf(values)
  if (issuer === undefined || clientId === undefined || roles === undefined) return {}
  if (clientSecret === undefined || gatewayUrl === undefined) return {}
  return {
    openId: {
      ...{ issuer, clientId, clientSecret, roles },
      name: values.OIDC_NAME ?? new URL(issuer).host,
      scopes: values.OIDC_SCOPES,
      roleClaim: values.OIDC_ROLE_CLAIM,
      redirectUri: `${gatewayUrl}/auth/openid/callback`,
    },
  }
}

/**
 * What is missing, or does not fit together: a sentence each.
 * @param isSet whether a variable has a value, also a wrong one
 */
export function openIdProblems(
  values: OpenIdValues,
  isSet: (name: keyof OpenIdValues) => boolean,
): string[] {
  const { OIDC_ISSUER, OIDC_CLIENT_SECRET, OIDC_CLIENT_SECRET_FILE, PASSWORD_SIGN_IN } = values
  if (OIDC_ISSUER === undefined)
    return PASSWORD_SIGN_IN === 'off' && !isSet('OIDC_ISSUER')
      ? ['PASSWORD_SIGN_IN is off and OIDC_ISSUER is missing: nobody could sign in']
      : []
  const problems = (['OIDC_CLIENT_ID', 'OIDC_ROLES', 'GATEWAY_URL'] as const)
    .filter((name) => !isSet(name))
    .map((name) => `${name} is missing; OIDC_ISSUER needs it`)
  if (OIDC_CLIENT_SECRET !== undefined && OIDC_CLIENT_SECRET_FILE !== undefined)
    problems.push('OIDC_CLIENT_SECRET and OIDC_CLIENT_SECRET_FILE are both set; keep one')
  else if (OIDC_CLIENT_SECRET === undefined && OIDC_CLIENT_SECRET_FILE === undefined)
    problems.push(
      'OIDC_CLIENT_SECRET and OIDC_CLIENT_SECRET_FILE are missing; OIDC_ISSUER needs one',
    )
  else if (secretOf(values) === undefined)
    problems.push('OIDC_CLIENT_SECRET_FILE names a file that cannot be read, or that is empty')
  return problems
}

function secretOf({
  OIDC_CLIENT_SECRET: value,
  OIDC_CLIENT_SECRET_FILE: file,
}: OpenIdValues): string | undefined {
  if (value !== undefined || file === undefined) return value
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    return undefined // The check of the settings says so.
  }
}
