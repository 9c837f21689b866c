import Type from 'typebox'
import { endpoint } from '../endpoint.ts'

export const authMethods = endpoint({
  id: 'authMethods',
  method: 'GET',
  path: '/auth/methods',
  tag: 'Authentication',
  summary: 'How administrators can sign in',
  access: 'public',
  anywhere: true,
  response: Type.Object({
    password: Type.Boolean({ description: 'Whether `POST /auth/login` takes passwords' }),
    openid: Type.Union(
      [
        Type.Object({ name: Type.String({ description: 'What people call the provider' }) }),
        Type.Null(),
      ],
      { description: 'The OpenID Connect provider; null: there is none' },
    ),
  }),
  sample: { response: { password: true, openid: null } },
})
