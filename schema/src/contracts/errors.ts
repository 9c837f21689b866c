import Type, { type Static } from 'typebox'
import { ROLES } from '../endpoint.ts'
import { adminErrors, allBotErrors } from '../error-codes.ts'
import { FACTORS, SignInNeeded } from './second-step.ts'

export const FieldProblem = Type.Object({
  field: Type.String({ description: 'Name of the field in the body, query, path or header' }),
  message: Type.String(),
})
export type FieldProblem = Static<typeof FieldProblem>

/** For the types a text, for OpenAPI every code. */
export const AnyErrorCode = Type.Unsafe<string>({
  ...{ title: 'ErrorCode', type: 'string' },
  enum: [...allBotErrors, ...adminErrors].map(({ code }) => code),
  description: 'Stable; programs should decide by it',
})

/** The body of every error response of the gateway itself. */
export const ErrorBody = Type.Object(
  {
    statusCode: Type.Integer({ description: 'Equals the HTTP status' }),
    error: Type.String({ description: 'The reason phrase of the status' }),
    code: AnyErrorCode,
    message: Type.String({ description: 'What is wrong and what to do' }),
    requestId: Type.String({
      description: 'Quote it when you ask for help; also in the header X-Request-Id',
    }),
    fields: Type.Optional(
      Type.Array(FieldProblem, { description: 'On 400: each field that is wrong' }),
    ),
    exchangeCode: Type.Optional(
      Type.String({ description: "The exchange's own code, when it rejected the request" }),
    ),
    exchangeMessage: Type.Optional(
      Type.String({ description: "The exchange's own message, when it rejected the request" }),
    ),
    outcome: Type.Optional(
      Type.Enum(['not-sent', 'not-done', 'unknown'], {
        description:
          '`not-sent`: nothing was placed; the exchange never received the request, or rejected it for a temporary reason such as its rate limit. `not-done`: it was sent, and the exchange did not carry it out. `unknown`: it may have been carried out; look it up before you retry',
      }),
    ),
    retryable: Type.Optional(
      Type.Boolean({
        description:
          'Given with `outcome`: whether a retry of the same request with the same Idempotency-Key can succeed, after `Retry-After` where given. `false`: do not send the same request again',
      }),
    ),
    limit: Type.Optional(
      Type.String({ description: "On `LIMIT_*`: what the client's limits allow" }),
    ),
    value: Type.Optional(
      Type.String({
        description: 'On `LIMIT_*`: what the request asked for, where it has a value',
      }),
    ),
    role: Type.Optional(
      Type.Enum([...ROLES], { description: 'On `ROLE_FORBIDDEN`: the least role that may do it' }),
    ),
    factors: Type.Optional(
      Type.Array(Type.Enum([...FACTORS]), {
        description: 'On `FRESH_FACTOR_NEEDED`: what you can show at `POST /auth/confirm`',
      }),
    ),
    signIn: Type.Optional(SignInNeeded),
    triesLeft: Type.Optional(
      Type.Integer({ description: 'On `SECOND_FACTOR_FAILED`: how many tries this sign-in has' }),
    ),
    clientOrderId: Type.Optional(
      Type.String({ description: 'The id for looking up an order with an unknown outcome' }),
    ),
  },
  { $id: 'Error', title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>
