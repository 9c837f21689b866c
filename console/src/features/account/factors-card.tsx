import { Button, Group, Stack, Text } from '@mantine/core'
import { type Dispatch, type SetStateAction, useState } from 'react'
import type { Account, createTotp, EnrolledFactor, ResponseOf, SecondFactor } from 'schema'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { toast } from '../../components/toast.tsx'
import { NameDialog } from './name-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
import { Row } from './row.tsx'
import * as texts from './texts.ts'
import { TotpDialog } from './totp-dialog.tsx'
import { useFactors } from './use-factors.ts'

/** What the card asks or shows now. */
type Asked =
  | { readonly what: 'add totp' }
  | { readonly what: 'add passkey' }
  | { readonly what: 'new codes' }
  | { readonly what: 'confirm totp'; readonly started: ResponseOf<typeof createTotp> }
  | { readonly what: 'rename'; readonly factor: SecondFactor }
  | { readonly what: 'remove'; readonly factor: SecondFactor }
  | { readonly what: 'codes'; readonly codes: readonly string[] }
  | null

/** The second factors of the person, and the recovery codes for the day when they are lost. */
export function FactorsCard({ account }: { readonly account: Account }) {
  const [asked, setAsked] = useState<Asked>(null)
  const { factors, recoveryCodesLeft, hasPassword, provider } = account
  const isOpenId = hasPassword === false && typeof provider === 'string'
  return (
    <Card
      title={texts.factors}
      description={isOpenId ? texts.factorsHintOpenId(provider) : texts.factorsHint}
    >
      {factors.length === 0 && (
        <EmptyNote
          icon="shield"
          title={texts.factorsNone}
          hint={isOpenId ? texts.factorsNoneOpenId : texts.factorsNoneHint}
        />
      )}
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {factors.map((factor) => (
          <FactorRow key={factor.id} factor={factor} onAsk={setAsked} />
        ))}
      </Stack>
      <Group gap="sm" mt="md">
        <Button variant="default" onClick={() => setAsked({ what: 'add totp' })}>
          {texts.addTotp}
        </Button>
        <Button variant="default" onClick={() => setAsked({ what: 'add passkey' })}>
          {texts.addPasskey}
        </Button>
      </Group>
      {factors.length > 0 && (
        <Group justify="space-between" gap="sm" mt="lg">
          <Text fz="sm" flex="1 1 220px">
            {texts.recoveryLeft(recoveryCodesLeft)}
          </Text>
          <Button variant="default" size="xs" onClick={() => setAsked({ what: 'new codes' })}>
            {texts.recoveryNew}
          </Button>
        </Group>
      )}
      {asked !== null && (
        <FactorDialog asked={asked} isLast={factors.length === 1} setAsked={setAsked} />
      )}
    </Card>
  )
}

interface FactorRowProps {
  readonly factor: SecondFactor
  readonly onAsk: (asked: Asked) => void
}

function FactorRow({ factor, onAsk }: FactorRowProps) {
  const { name, kind, createdAt, lastUsedAt } = factor
  const used = lastUsedAt === null ? texts.never : texts.used(formatDateTime(lastUsedAt))
  return (
    <Row
      title={name}
      facts={[texts.kinds[kind], texts.added(formatDateTime(createdAt)), used].join(' · ')}
    >
      <Button
        variant="default"
        size="xs"
        aria-label={texts.renameOf(name)}
        onClick={() => onAsk({ what: 'rename', factor })}
      >
        {texts.rename}
      </Button>
      <Button
        variant="light"
        color="red"
        size="xs"
        aria-label={texts.removeOf(name)}
        onClick={() => onAsk({ what: 'remove', factor })}
      >
        {texts.remove}
      </Button>
    </Row>
  )
}

interface FactorDialogProps {
  readonly asked: NonNullable<Asked>
  readonly isLast: boolean
  readonly setAsked: Dispatch<SetStateAction<Asked>>
}

/** The dialog of what is asked. */
function FactorDialog({ asked, isLast, setAsked }: FactorDialogProps) {
  const { isPending, attempt, startTotp, addPasskey, rename, remove, newCodes } = useFactors()
  const close = () => setAsked(null)
  const toCodes = (codes: readonly string[] | null) =>
    setAsked(codes === null ? null : { what: 'codes', codes })
  const welcome = ({ recoveryCodes, endedSessions }: EnrolledFactor) => {
    toast({ title: texts.enrolled, message: texts.enrolledText(endedSessions) })
    toCodes(recoveryCodes)
  }
  if (asked.what === 'codes') return <RecoveryCodesDialog codes={asked.codes} onDone={close} />
  if (asked.what === 'confirm totp')
    return <TotpDialog started={asked.started} onEnrolled={welcome} onClose={close} />
  if (asked.what === 'new codes' || asked.what === 'remove') {
    const isRemoval = asked.what === 'remove'
    return (
      <ConfirmDialog
        title={isRemoval ? texts.removeTitle(asked.factor.name) : texts.recoveryAsk}
        confirmLabel={isRemoval ? texts.remove : texts.recoveryNew}
        isPending={isPending}
        onConfirm={() =>
          void attempt(async () => {
            if (!isRemoval) return toCodes(await newCodes())
            await remove(asked.factor.id)
            close()
          })
        }
        onCancel={close}
      >
        <Text fz="sm">
          {isRemoval ? (isLast ? texts.removeLast : texts.removeText) : texts.recoveryAskText}
        </Text>
      </ConfirmDialog>
    )
  }
  const words = NAME_WORDS[asked.what]
  const submit = async (name: string) => {
    if (asked.what === 'add totp')
      setAsked({ what: 'confirm totp', started: await startTotp(name) })
    else if (asked.what === 'add passkey') welcome(await addPasskey(name))
    else {
      await rename(asked.factor.id, name)
      close()
    }
  }
  return (
    <NameDialog
      {...words}
      {...(asked.what === 'rename'
        ? { title: texts.renameOf(asked.factor.name), name: asked.factor.name }
        : {})}
      isPending={isPending}
      onSubmit={(name) => void attempt(() => submit(name))}
      onClose={close}
    />
  )
}

const NAME_WORDS = {
  'add totp': {
    title: texts.addTotp,
    name: texts.totpName,
    label: texts.next,
    pendingLabel: texts.saving,
  },
  'add passkey': {
    title: texts.addPasskey,
    name: texts.passkeyName,
    label: texts.next,
    pendingLabel: texts.passkeyPending,
  },
  rename: { title: texts.rename, name: '', label: texts.save, pendingLabel: texts.saving },
} as const
