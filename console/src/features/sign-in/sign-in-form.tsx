import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { LoginRequest } from 'schema'
import { validateWith } from '../../api/form-errors.ts'
import { texts } from './texts.ts'
import { useSignIn } from './use-sign-in.ts'

interface SignInFormProps {
  /** Filled in from the session before; empty when there was none. */
  readonly email: string
}

export function SignInForm({ email }: SignInFormProps) {
  const { signInWith, isPending } = useSignIn()
  const form = useForm<LoginRequest>({
    mode: 'uncontrolled',
    initialValues: { email, password: '' },
    validate: validateWith(LoginRequest),
    onSubmitPreventDefault: 'always',
  })
  const focusFirstError = (errors: typeof form.errors) => {
    form.getInputNode(Object.keys(errors)[0] ?? 'email')?.focus()
  }
  const submit = form.onSubmit(async (credentials) => {
    if (!(await signInWith(credentials))) form.getInputNode('password')?.focus()
  }, focusFirstError)

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          data-autofocus
          autoFocus={email === ''}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          autoFocus={email !== ''}
          visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="md" fullWidth disabled={isPending}>
          {isPending ? texts.submitting : texts.submit}
        </Button>
      </Stack>
    </form>
  )
}
