import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { generatePassword, requireGoodPassword } from 'gateway/vault/password.ts'
import { fieldMessage, LoginRequest, PASSWORD_LENGTH_MAX } from 'schema'
import Value from 'typebox/value'
import { type Io, RefusedError } from '../cli.ts'

export interface ChosenPassword {
  readonly password: string
  /** The person did not choose it and has to see it. */
  readonly isGenerated: boolean
}

export interface PasswordSource {
  /** On the command line; undefined when it is not there. */
  readonly given: string | undefined
  /** Whether it is the first line of the standard input. */
  readonly isPiped: boolean
  /** Where it is read, or asked for. */
  readonly io: Pick<Io, 'in' | 'out'>
}

/**
 * The password that was given, is typed now, or is generated.
 * @throws RefusedError when nobody could sign in with it, or everybody would guess it
 */
export async function choosePassword(
  email: string,
  { given, isPiped, io }: PasswordSource,
): Promise<ChosenPassword> {
  const asked = given ?? (await (isPiped ? readPassword(io) : askPassword(io)))
  const password = asked === '' ? generatePassword() : asked
  if (!Value.Check(LoginRequest.properties.email, email))
    throw new RefusedError(fieldMessage(LoginRequest, 'email') ?? 'Invalid email address')
  if (password.length > PASSWORD_LENGTH_MAX)
    throw new RefusedError(`The password has more than ${PASSWORD_LENGTH_MAX} characters`)
  await requireGoodPassword(password, email).catch((error: Error) => {
    throw new RefusedError(error.message)
  })
  return { password, isGenerated: asked === '' }
}

/** @throws RefusedError when there is none: a person who pipes a password wants no generated one */
async function readPassword(io: PasswordSource['io']): Promise<string> {
  const [line = ''] = (await text(io.in)).split(/\r?\n/)
  if (line === '') throw new RefusedError('No password was given on the standard input')
  return line
}

/** Asks without showing what is typed; empty when there is nobody to ask. */
async function askPassword(io: PasswordSource['io']): Promise<string> {
  if (!io.in.isTTY) return ''
  io.out.write('Password (empty: generate one): ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: io.in, output: silent, terminal: true })
  try {
    return await prompt.question('')
  } finally {
    prompt.close()
    io.out.write('\n')
  }
}
