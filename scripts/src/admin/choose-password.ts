import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { generatePassword } from 'gateway/vault/password.ts'
import { fieldMessage, LoginRequest } from 'schema'
import Value from 'typebox/value'
import { RefusedError } from '../cli.ts'

export interface ChosenPassword {
  readonly password: string
  /** It was not chosen by the person, who has to be told it. */
  readonly isGenerated: boolean
}

/** The password that was given, is typed now, or is generated. @throws RefusedError when nobody could sign in with it */
export async function choosePassword(
  email: string,
  given: string | undefined,
): Promise<ChosenPassword> {
  const asked = given ?? (process.stdin.isTTY ? await askPassword() : '')
  const password = asked === '' ? generatePassword() : asked
  const problem = [...Value.Errors(LoginRequest, { email, password })][0]
  if (problem !== undefined) {
    const field = problem.instancePath === '/email' ? 'email' : 'password'
    throw new RefusedError(fieldMessage(LoginRequest, field) ?? problem.message)
  }
  return { password, isGenerated: asked === '' }
}

/** Asks without showing what is typed. */
async function askPassword(): Promise<string> {
  process.stdout.write('Password (empty: generate one): ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await prompt.question('')
  } finally {
    prompt.close()
    process.stdout.write('\n')
  }
}
