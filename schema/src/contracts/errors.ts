import Type, { type Static } from 'typebox'

export const FieldProblem = Type.Object({
  field: Type.String({ description: 'Where: the name in the body, query, path or header' }),
  message: Type.String(),
})
export type FieldProblem = Static<typeof FieldProblem>

/** The body of every error that the gateway itself answers. */
export const ErrorBody = Type.Object(
  {
    statusCode: Type.Integer({ description: 'Equals the HTTP status' }),
    error: Type.String({ description: 'The reason phrase of the status' }),
    code: Type.String({ description: 'Stable; what a program decides by' }),
    message: Type.String({ description: 'What is wrong and what to do' }),
    requestId: Type.String({ description: 'Quote it when you ask for help; also in X-Request-Id' }),
    fields: Type.Optional(
      Type.Array(FieldProblem, { description: 'On 400: each field that is wrong' }),
    ),
    exchangeCode: Type.Optional(
      Type.String({ description: "The exchange's own code, when it refused" }),
    ),
    exchangeMessage: Type.Optional(
      Type.String({ description: "The exchange's own words, when it refused" }),
    ),
    outcome: Type.Optional(
      Type.Enum(['not-sent', 'not-done', 'unknown'], {
        description:
          '`not-sent`: the exchange never had it. `not-done`: it was sent, and the exchange did not carry it out. `unknown`: it may have been carried out; look it up first',
      }),
    ),
    retryable: Type.Optional(
      Type.Boolean({
        description:
          'Beside `outcome`: whether the same request, with the same Idempotency-Key, makes sense again, after `Retry-After` where it is given. `false`: change the request, and use a new key',
      }),
    ),
    clientOrderId: Type.Optional(
      Type.String({ description: 'The id by which an order of unknown outcome can be looked up' }),
    ),
  },
  { $id: 'Error', title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>
