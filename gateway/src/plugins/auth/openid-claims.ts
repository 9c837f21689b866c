import { hasRole, LoginRequest, type Role } from 'schema'
import Value from 'typebox/value'

/** What a provider says of a person. */
export interface OpenIdClaims {
  readonly subject: string
  /** Undefined when there is none, or none that an account can have. */
  readonly email: string | undefined
  readonly isEmailVerified: boolean
  /** The highest of those that the claim's values give; undefined: none. */
  readonly role: Role | undefined
  /** When the person signed in at the provider; undefined when it does not say. */
  readonly authTimeMs: number | undefined
}

export interface RoleRules {
  /** A claim's name, or the path to one, with dots. */
  readonly roleClaim: string
  readonly roles: readonly { readonly role: Role; readonly value: string }[]
}

type Claims = Readonly<Record<string, unknown>>

/** Whether an ID token has everything, so that the provider is not asked for more. */
export function isComplete(claims: Claims, { roleClaim }: RoleRules): boolean {
  return claims.email !== undefined && claimAt(claims, roleClaim) !== undefined
}

/** @param claims of a token and a response that were verified */
export function toClaims(subject: string, claims: Claims, rules: RoleRules): OpenIdClaims {
  const { email, email_verified: isEmailVerified, auth_time: authTime } = claims
  const isAddress = Value.Check(LoginRequest.properties.email, email)
  return {
    subject,
    email: isAddress ? email : undefined,
    isEmailVerified: isEmailVerified === true,
    role: roleIn(claims, rules),
    authTimeMs: typeof authTime === 'number' ? authTime * 1000 : undefined,
  }
}

function roleIn(claims: Claims, { roleClaim, roles }: RoleRules): Role | undefined {
  const values: unknown[] = [claimAt(claims, roleClaim)].flat()
  return roles
    .filter(({ value }) => values.includes(value))
    .map(({ role }) => role)
    .reduce<Role | undefined>(
      (highest, role) => (highest === undefined || hasRole(role, highest) ? role : highest),
      undefined,
    )
}

/** Some names of claims are URLs with dots in them, so the whole name comes first. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      claims,
    )
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null
}
