import { ROLES, type Role } from 'schema'
import { baseUrl, oneOf, origin, text } from './kinds.ts'
import type { Kind, VariableTable } from './variable.ts'

/** Which value of the claim gives which role. */
export type RoleValues = readonly { readonly role: Role; readonly value: string }[]

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
