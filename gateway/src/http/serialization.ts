import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const buildSerializer = SerializerSelector()

/**
 * Fastify's own serializers, each compiled at its first response instead of at the start: a route
 * has three, most of them for errors.
 */
export const buildLazySerializer: typeof buildSerializer = (sharedSchemas, options) => {
  const compile = buildSerializer(sharedSchemas, options)
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (body) => {
      serialize ??= compile(route)
      return serialize(body)
    }
  }
}
