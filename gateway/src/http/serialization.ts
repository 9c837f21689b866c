import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const buildSerializer = SerializerSelector()
type Serialize = ReturnType<ReturnType<typeof buildSerializer>>
const compiled = new WeakMap<object, Serialize>()

/**
 * Fastify's own serializers, each compiled at its first response instead of at the start: a route
 * has three, most of them for errors. Routes with the same schema share it. The schemas that others
 * refer to are the same in every server of a process.
 */
export const buildLazySerializer: typeof buildSerializer = (sharedSchemas, options) => {
  const compile = buildSerializer(sharedSchemas, options)
  return (route) => {
    const schema = Object(route.schema)
    let serialize: Serialize | undefined
    return (body) => {
      serialize ??= compiled.get(schema) ?? compile(route)
      compiled.set(schema, serialize)
      return serialize(body)
    }
  }
}
