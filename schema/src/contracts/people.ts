import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { AdminSession, NewPassword, SECOND_FACTOR_KINDS } from './account.ts'
import { AdminRole, LoginRequest } from './auth.ts'
import { Timestamp } from './common.ts'

const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const Person = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  role: AdminRole,
  isDisabled: Type.Boolean({ description: 'A disabled person cannot sign in' }),
  createdAt: Timestamp,
  factors: Type.Array(Type.Enum([...SECOND_FACTOR_KINDS]), {
    description: 'The kinds of second factors, each once',
  }),
  recoveryCodesLeft: Type.Integer(),
  hasPassword: Type.Boolean(),
  provider: orNull(
    Type.String(),
    'The OpenID Connect provider that gives the role; null: it is set here',
  ),
  sessions: Type.Integer({ description: 'How many are valid' }),
  lastUsedAt: orNull(Timestamp, 'When one of these sessions was last used; null: there is none'),
  lastSignInAt: orNull(Timestamp, 'The last sign-in that succeeded; null: there was none'),
})
export type Person = Static<typeof Person>

const ById = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Database id' }),
})
const password = orNull(
  Type.String(),
  'The generated password, shown once; null when you chose one',
)

const sample: Person = {
  id: 2,
  email: 'grace@example.com',
  role: 'operator',
  isDisabled: false,
  createdAt: '2026-03-05T14:30:22.000Z',
  factors: [],
  recoveryCodesLeft: 0,
  hasPassword: true,
  provider: null,
  sessions: 0,
  lastUsedAt: null,
  lastSignInAt: '2026-03-09T08:01:00.000Z',
}

export const listPeople = endpoint({
  id: 'listPeople',
  method: 'GET',
  path: '/api/admin/people',
  tag: 'Administrators',
  summary: 'Everybody who may sign in, or once might; oldest first',
  access: 'admin',
  role: 'admin',
  anywhere: true,
  response: Type.Array(Person),
  sample: { response: [sample] },
})

export const NewPerson = Type.Object(
  {
    email: LoginRequest.properties.email,
    role: AdminRole,
    password: Type.Optional(NewPassword),
  },
  { additionalProperties: false },
)
export type NewPerson = Static<typeof NewPerson>

export const createPerson = endpoint({
  id: 'createPerson',
  method: 'POST',
  path: '/api/admin/people',
  tag: 'Administrators',
  summary: 'Let another person sign in',
  notes: ['Without `password`, one is generated and shown once.'],
  access: 'admin',
  confirm: 'always',
  approval: 'for the role `admin`',
  body: NewPerson,
  status: 201,
  response: Type.Object({ person: Person, password }),
  sample: {
    body: { email: 'grace@example.com', role: 'operator' },
    response: { person: { ...sample, lastSignInAt: null }, password: 'k3v9x-2m4qa-bcdef-ghijk' },
  },
})

export const PersonChanges = Type.Object(
  {
    role: Type.Optional(AdminRole),
    isDisabled: Type.Optional(Type.Boolean()),
    withoutSecondFactor: Type.Optional(
      Type.Literal(true, {
        description: 'Removes all second factors and recovery codes of a person who lost them',
        'x-error': 'must be true or absent: only the person can add a second factor',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type PersonChanges = Static<typeof PersonChanges>

export const changePerson = endpoint({
  id: 'changePerson',
  method: 'PATCH',
  path: '/api/admin/people/{id}',
  tag: 'Administrators',
  summary: "Change a person's role, disable or enable a person, or remove second factors",
  notes: [
    'What changes ends the sessions of the person at once; your own too, when it is you.',
    'The role of a person who signs in at the provider is set there: 409 `ROLE_FROM_PROVIDER`.',
    'The last enabled person with the role `admin` keeps it, and stays enabled: 409 `LAST_ADMIN`.',
  ],
  access: 'admin',
  confirm: 'always',
  approval:
    'when it makes somebody an admin who can sign in, or removes the second factors of another admin',
  params: ById,
  body: PersonChanges,
  response: Type.Object({ person: Person, endedSessions: Type.Integer() }),
  sample: {
    params: { id: '2' },
    body: { role: 'viewer' },
    response: { person: { ...sample, role: 'viewer' }, endedSessions: 1 },
  },
})

export const resetPassword = endpoint({
  id: 'resetPassword',
  method: 'POST',
  path: '/api/admin/people/{id}/password',
  tag: 'Administrators',
  summary: 'Give a person a generated password, shown once',
  notes: [
    'All sessions of the person end at once.',
    'Who has none, because the provider signs them in, gets none: 409 `NO_PASSWORD`.',
  ],
  access: 'admin',
  confirm: 'always',
  approval: 'for another admin',
  params: ById,
  response: Type.Object({
    password: Type.String({ description: 'Shown once' }),
    endedSessions: Type.Integer(),
  }),
  sample: {
    params: { id: '2' },
    response: { password: 'k3v9x-2m4qa-bcdef-ghijk', endedSessions: 1 },
  },
})

export const listSessionsOfPerson = endpoint({
  id: 'listSessionsOfPerson',
  method: 'GET',
  path: '/api/admin/people/{id}/sessions',
  tag: 'Administrators',
  summary: 'The sessions of a person that are valid, the one that was used last first',
  access: 'admin',
  role: 'admin',
  anywhere: true,
  params: ById,
  response: Type.Array(AdminSession),
  sample: { params: { id: '2' }, response: [] },
})

export const endSessionsOfPerson = endpoint({
  id: 'endSessionsOfPerson',
  method: 'DELETE',
  path: '/api/admin/people/{id}/sessions',
  tag: 'Administrators',
  summary: 'End all sessions of a person at once',
  access: 'admin',
  confirm: 'always',
  params: ById,
  response: Type.Object({ endedSessions: Type.Integer() }),
  sample: { params: { id: '2' }, response: { endedSessions: 1 } },
})
