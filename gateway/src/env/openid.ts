import { readFileSync } from 'node:fs'
import { ROLES, type Role } from 'schema'
import { baseUrl, oneOf, origin, text } from './kinds.ts'
import type { Kind, Values, VariableTable } from './variable.ts'

/** Which value of the claim gives which role. */
type RoleValues = readonly { readonly role: Role; readonly value: string }[]

/** docs/operations/sign-in.md says how to set them up. */
export const OPENID = {
  OIDC_ISSUER: {
    ...issuer('https://id.example.com/realms/main'),
    unset: 'administrators sign in with passwords only',
    example: 'https://id.example.com/realms/main',
    doc: 'Issuer of the OpenID Connect provider where administrators can sign in, exactly as the provider states it.',
  },
  OIDC_CLIENT_ID: {
    ...text('the id that the provider gave to the gateway'),
    unset: 'required with OIDC_ISSUER',
    example: 'sluice',
    doc: 'Client id of the gateway at the provider.',
  },
  OIDC_CLIENT_SECRET: {
    ...text('the secret that the provider gave to the gateway'),
    isSecret: true,
    unset: 'read from OIDC_CLIENT_SECRET_FILE',
    doc: 'Client secret of the gateway at the provider.',
  },
  OIDC_CLIENT_SECRET_FILE: {
    ...text('the path of a file with the secret'),
    unset: 'OIDC_CLIENT_SECRET has it',
    example: '/run/secrets/sluice-oidc-secret',
    doc: 'File with the client secret. It is read at the start.',
  },
  OIDC_NAME: {
    ...text('a name of at most 40 characters', (found) => found.length <= 40),
    unset: 'the host name of OIDC_ISSUER',
    example: 'Example ID',
    doc: 'Name of the provider, as the sign-in button shows it.',
  },
  OIDC_SCOPES: {
    ...text('scopes separated by spaces, with openid among them', hasOpenId),
    fallback: 'openid email profile',
    doc: 'Scopes that the gateway requests. Some providers need one more for the claim with the roles.',
  },
  OIDC_ROLE_CLAIM: {
    ...text('the name of a claim, or a path such as realm_access.roles'),
    fallback: 'roles',
    doc: 'Claim of the ID token, or of the user info, that has the roles or groups: a string or an array of strings.',
  },
  OIDC_ROLES: {
    ...roleValues(),
    unset: 'required with OIDC_ISSUER',
    example: 'admin=sluice-admins,operator=sluice-operators,viewer=staff',
    doc: 'Which value of the claim gives which role. If several match, the highest role counts. A person without a match cannot sign in.',
  },
  GATEWAY_URL: {
    ...origin('https://api.example.com'),
    unset: 'required with OIDC_ISSUER',
    example: 'https://api.example.com',
    doc: 'Origin of the gateway as browsers reach it. The redirect URI for the provider is this origin followed by /auth/openid/callback.',
  },
  PASSWORD_SIGN_IN: {
    ...oneOf(['on', 'off']),
    fallback: 'on',
    doc: 'Whether administrators can sign in with passwords. off needs OIDC_ISSUER.',
  },
} as const satisfies VariableTable

/** A URL that tokens are compared with, letter by letter. */
function issuer(example: string): Kind<string> {
  const { parse } = baseUrl(example)
  return {
    expects: `an address such as ${example}, without query, user name or password`,
    parse: (found) => {
      const url = parse(found) === undefined ? undefined : new URL(found)
      const rest = `${url?.username}${url?.password}${url?.search}${url?.hash}`
      return rest === '' ? found : undefined
    },
  }
}

function roleValues(): Kind<RoleValues> {
  return {
    expects:
      'pairs such as admin=sluice-admins, separated by commas, with the roles admin, operator and viewer',
    parse: (found) => {
      const parts = found.split(',').map((part) => part.trim())
      const pairs = parts.filter((part) => part !== '').map(toPair)
      const right = pairs.filter((pair) => pair !== undefined)
      return right.length > 0 && right.length === pairs.length ? right : undefined
    },
  }
}

function toPair(part: string): RoleValues[number] | undefined {
  const [, name = '', value = ''] = /^(\w+)\s*=\s*(.+)$/.exec(part) ?? []
  const role = ROLES.find((each) => each === name)
  return role === undefined ? undefined : { role, value }
}

function hasOpenId(found: string): boolean {
  return found.split(/\s+/).includes('openid')
}

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
