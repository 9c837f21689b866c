import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'

type Compiled = ReturnType<typeof Compile>

const compiled = new WeakMap<TSchema, Compiled>()

/**
 * Compiles a schema at its first request, and once for all paper exchanges of a process: Ajv, which
 * Fastify uses otherwise, would spend more time on it than the rest of the start takes. Text in the
 * URL becomes a number where the schema has one.
 */
const compileValidator: FastifySchemaCompiler<TSchema> =
  ({ schema, httpPart }) =>
  (input: unknown) => {
    const validator = compiled.get(schema) ?? Compile(schema)
    compiled.set(schema, validator)
    const value = httpPart === 'body' ? input : Value.Convert(schema, structuredClone(input))
    return validator.Check(value) ? { value } : { error: validator.Errors(value).slice(0, 1) }
  }

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>
type BuildValidator = NonNullable<
  NonNullable<SchemaController['compilersFactory']>['buildValidator']
>

/** Fastify's type knows only Ajv, which it loads unless this is set. */
export const buildValidator = (() => compileValidator) as unknown as BuildValidator
