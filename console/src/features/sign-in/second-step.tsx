import { Button, Stack, Text } from '@mantine/core'
import { type ConfirmRequest, type SignInNeeded, secondFactor } from 'schema'
import { ApiError } from '../../api/api-error.ts'
import { readResponse, send } from '../../api/client.ts'
import { FactorForm } from '../../api/factors.tsx'
import { begin } from './sign-in-form.tsx'
import * as texts from './texts.ts'

interface SecondStepProps {
  readonly waiting: SignInNeeded
  /** @param ended why; null when the person wants it */
  readonly onRestart: (ended: string | null) => void
}

/** The second factor of a person whose password was right. */
export default function SecondStep({ waiting, onRestart }: SecondStepProps) {
  const show = async (shown: ConfirmRequest) => {
    const body = { signInId: waiting.id, ...shown }
    try {
      begin(readResponse(secondFactor, await send(secondFactor, { body })))
    } catch (error) {
      const { code, triesLeft, message } = error instanceof ApiError ? error.problem : {}
      if (code !== 'SIGN_IN_EXPIRED' && triesLeft !== 0) throw error
      onRestart(message ?? texts.failure)
    }
  }
  return (
    <Stack gap="md">
      <Text fz="sm" role="status">
        {texts.second}
      </Text>
      <FactorForm
        factors={waiting.factors}
        label={texts.submit}
        pendingLabel={texts.submitting}
        passkeyOptions={async () => waiting.passkey ?? {}}
        show={show}
      >
        <Button variant="default" px="xs" onClick={() => onRestart(null)}>
          {texts.restart}
        </Button>
      </FactorForm>
    </Stack>
  )
}
