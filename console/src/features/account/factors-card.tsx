import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import {
  type Account,
  createPasskey,
  createRecoveryCodes,
  createTotp,
  type EnrolledFactor,
  getAccount,
  passkeyOptions,
  type ResponseOf,
  removeFactor,
  renameFactor,
  type SecondFactor,
} from 'schema'
import { makePasskey, PasskeyError } from '../../api/factors.tsx'
import { reportFailure } from '../../api/failures.tsx'
import { useAction } from '../../api/use-action.ts'
import { confirm } from '../../components/confirm.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Card, EmptyNote } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { NameDialog, RecoveryCodesDialog, TotpDialog } from './factor-dialogs.tsx'
import * as texts from './texts.ts'

/** The dialog that is open; null: none. */
type Open =
  | { readonly what: 'add totp' }
  | { readonly what: 'add passkey' }
  | { readonly what: 'confirm totp'; readonly started: ResponseOf<typeof createTotp> }
  | { readonly what: 'rename'; readonly factor: SecondFactor }
  | { readonly what: 'codes'; readonly codes: readonly string[] }
  | null

/** The second factors of the person, and the recovery codes for the day when they are lost. */
export function FactorsCard({ account }: { readonly account: Account }) {
  const [open, setOpen] = useState<Open>(null)
  const acts = useFactors()
  const { factors, recoveryCodesLeft, hasPassword, provider } = account
  const isOpenId = hasPassword === false && typeof provider === 'string'
  const renewCodes = () =>
    confirm({
      ...{ title: texts.recoveryAsk, text: texts.recoveryAskText, label: texts.recoveryNew },
      act: async () => setOpen({ what: 'codes', codes: await acts.newCodes() }),
    })
  const remove = ({ id, name }: SecondFactor) =>
    confirm({
      title: texts.removeTitle(name),
      text: factors.length === 1 ? texts.removeLast : texts.removeText,
      label: texts.remove,
      act: () => acts.remove(id),
    })
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
          <FactorRow
            key={factor.id}
            factor={factor}
            onRename={() => setOpen({ what: 'rename', factor })}
            onRemove={() => void remove(factor)}
          />
        ))}
      </Stack>
      <Group gap="sm" mt="md">
        <Button variant="default" onClick={() => setOpen({ what: 'add totp' })}>
          {texts.addTotp}
        </Button>
        <Button variant="default" onClick={() => setOpen({ what: 'add passkey' })}>
          {texts.addPasskey}
        </Button>
      </Group>
      {factors.length > 0 && (
        <Group justify="space-between" gap="sm" mt="lg">
          <Text fz="sm" flex="1 1 220px">
            {texts.recoveryLeft(recoveryCodesLeft)}
          </Text>
          <Button variant="default" size="xs" onClick={() => void renewCodes()}>
            {texts.recoveryNew}
          </Button>
        </Group>
      )}
      {open !== null && <FactorDialog open={open} setOpen={setOpen} acts={acts} />}
    </Card>
  )
}

interface FactorRowProps {
  readonly factor: SecondFactor
  readonly onRename: () => void
  readonly onRemove: () => void
}

function FactorRow({ factor, onRename, onRemove }: FactorRowProps) {
  const { name, kind, createdAt, lastUsedAt } = factor
  const used = lastUsedAt === null ? texts.never : texts.used(formatDateTime(lastUsedAt))
  return (
    <Row
      title={name}
      facts={[texts.kinds[kind], texts.added(formatDateTime(createdAt)), used].join(' · ')}
    >
      <Button variant="default" size="xs" aria-label={texts.renameOf(name)} onClick={onRename}>
        {texts.rename}
      </Button>
      <Button
        variant="light"
        color="red"
        size="xs"
        aria-label={texts.removeOf(name)}
        onClick={onRemove}
      >
        {texts.remove}
      </Button>
    </Row>
  )
}

interface RowProps {
  readonly title: ReactNode
  readonly facts: string
  readonly children: ReactNode
}

/** An entry of a short list: what it is, what is known of it, and what can be done. */
export function Row({ title, facts, children }: RowProps) {
  return (
    <Group component="li" justify="space-between" gap="xs">
      <Box miw={0} flex="1 1 220px" style={{ overflowWrap: 'anywhere' }}>
        <Group gap="xs" fz="sm" fw={600}>
          {title}
        </Group>
        <Text fz="sm" c="dimmed">
          {facts}
        </Text>
      </Box>
      <Group gap="xs">{children}</Group>
    </Group>
  )
}

interface FactorDialogProps {
  readonly open: NonNullable<Open>
  readonly setOpen: (open: Open) => void
  readonly acts: ReturnType<typeof useFactors>
}

function FactorDialog({ open, setOpen, acts }: FactorDialogProps) {
  const { isPending, attempt, startTotp, addPasskey, rename } = acts
  const close = () => setOpen(null)
  const welcome = ({ recoveryCodes, endedSessions }: EnrolledFactor) => {
    toast({ title: texts.enrolled, message: texts.enrolledText(endedSessions) })
    setOpen(recoveryCodes === null ? null : { what: 'codes', codes: recoveryCodes })
  }
  if (open.what === 'codes') return <RecoveryCodesDialog codes={open.codes} onDone={close} />
  if (open.what === 'confirm totp')
    return <TotpDialog started={open.started} onEnrolled={welcome} onClose={close} />
  const submit = async (name: string) => {
    if (open.what === 'add totp') setOpen({ what: 'confirm totp', started: await startTotp(name) })
    else if (open.what === 'add passkey') welcome(await addPasskey(name))
    else {
      await rename(open.factor.id, name)
      close()
    }
  }
  return (
    <NameDialog
      {...NAME_WORDS[open.what]}
      {...(open.what === 'rename'
        ? { title: texts.renameOf(open.factor.name), name: open.factor.name }
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

const CHANGED = { readAgain: [getAccount] }

/** What can be done with the second factors of the person who is signed in. */
function useFactors() {
  const [isPending, setPending] = useState(false)
  const totp = useAction(createTotp)
  const options = useAction(passkeyOptions)
  const passkey = useAction(createPasskey, CHANGED)
  const renaming = useAction(renameFactor, CHANGED)
  const removal = useAction(removeFactor, CHANGED)
  const codes = useAction(createRecoveryCodes, CHANGED)

  /** Runs one of them, and reports its failure. */
  const attempt = async (run: () => Promise<void>): Promise<void> => {
    if (isPending) return
    setPending(true)
    try {
      await run()
    } catch (error) {
      reportFailure(error, error instanceof PasskeyError ? { fallback: error.message } : {})
    }
    setPending(false)
  }
  return {
    isPending,
    attempt,
    startTotp: (name: string) => totp.trigger({ body: { name } }),
    addPasskey: async (name: string) => {
      const response = await makePasskey(await options.trigger({}))
      return passkey.trigger({ body: { name, response } })
    },
    rename: async (id: number, name: string) => {
      await renaming.trigger({ params: { id }, body: { name } })
      toast({ title: texts.saved, message: texts.renamed })
    },
    remove: async (id: number) => {
      await removal.trigger({ params: { id } })
      toast({ title: texts.saved, message: texts.removed })
    },
    newCodes: async () => (await codes.trigger({})).recoveryCodes,
  }
}
