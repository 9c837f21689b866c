import { Box, Button, Group, Loader, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import {
  type Account,
  confirmTotp,
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
import { ApiError } from '../../api/api-error.ts'
import { makePasskey } from '../../api/factors.tsx'
import { attempt, reportFailure } from '../../api/failures.tsx'
import { ActionButton } from '../../api/role.tsx'
import { useSend } from '../../api/use-action.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { confirm } from '../../components/confirm.tsx'
import { CopyField } from '../../components/copy.tsx'
import { FormDialog, OnceDialog, showDialog } from '../../components/dialogs.tsx'
import { downloadText } from '../../components/files.ts'
import { formatDateTime } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { lazyPart } from '../../components/load-ahead.ts'
import { Card, EmptyNote, Quiet } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import * as texts from './texts.ts'

const QrCode = lazyPart(() => import('./qr-code.tsx'), <Loader mx="auto" />)

/** The second factors of the person, and the recovery codes for the day when they are lost. */
export function FactorsCard({ account }: { readonly account: Account }) {
  const { addTotp, addPasskey, rename, remove, renewCodes } = useFactors()
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
          <Row key={factor.id} title={factor.name} facts={factsOf(factor)}>
            <ActionButton
              isOfRow
              size="xs"
              label={texts.rename}
              name={texts.renameOf(factor.name)}
              does={texts.does.rename}
              run={() => rename(factor)}
            />
            <ActionButton
              isOfRow
              variant="light"
              color="red"
              size="xs"
              label={texts.remove}
              name={texts.removeOf(factor.name)}
              does={texts.does.remove}
              run={() => remove(factor, factors.length === 1)}
            />
          </Row>
        ))}
      </Stack>
      <Group gap="sm" mt="md">
        <ActionButton label={texts.addTotp} does={texts.does.add} run={addTotp} />
        <ActionButton label={texts.addPasskey} does={texts.does.add} run={addPasskey} />
      </Group>
      {factors.length > 0 && (
        <Group justify="space-between" gap="sm" mt="lg">
          <Text fz="sm" flex="1 1 220px">
            {texts.recoveryLeft(recoveryCodesLeft)}
          </Text>
          <ActionButton
            size="xs"
            label={texts.recoveryNew}
            does={texts.does.recovery}
            run={renewCodes}
          />
        </Group>
      )}
    </Card>
  )
}

const factsOf = ({ kind, createdAt, lastUsedAt }: SecondFactor) =>
  [
    texts.kinds[kind],
    texts.added(formatDateTime(createdAt)),
    lastUsedAt === null ? texts.never : texts.used(formatDateTime(lastUsedAt)),
  ].join(' · ')

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
        <Quiet>{facts}</Quiet>
      </Box>
      <Group gap="xs">{children}</Group>
    </Group>
  )
}

/** What can be done with the second factors of the person who is signed in. */
function useFactors() {
  const send = useSend({ readAgain: [getAccount] })
  const welcome = ({ recoveryCodes, endedSessions }: EnrolledFactor, close: () => void) => {
    toast({ title: texts.enrolled, message: texts.enrolledText(endedSessions) })
    if (recoveryCodes === null) close()
    else showCodes(recoveryCodes)
  }
  /** Hands the secret to an app, and takes the first code of it. */
  const showTotp = ({ id, uri, secret }: ResponseOf<typeof createTotp>) =>
    showDialog((close) => (
      <FormDialog
        title={texts.totpTitle}
        label={texts.totpConfirm}
        closeOnClickOutside={false}
        before={
          <>
            <Text fz="sm">{texts.totpText}</Text>
            <QrCode text={uri} label={texts.totpQr} />
            <CopyField label={texts.totpSecret} value={secret} />
          </>
        }
        field={CODE_FIELD}
        onSubmit={async (code, refuse) => {
          try {
            const body = { code: digitsOf(code) }
            welcome(await send(confirmTotp, { params: { id }, body }), close)
          } catch (error) {
            const isWrong = error instanceof ApiError && error.problem.code === 'CONFIRM_FAILED'
            if (isWrong) refuse(error.serverMessage ?? error.message)
            else reportFailure(error)
          }
        }}
        onClose={close}
      />
    ))
  return {
    addTotp: () =>
      askName({
        ...{ title: texts.addTotp, name: texts.totpName, label: texts.next },
        act: async (name) => showTotp(await send(createTotp, { body: { name } })),
      }),
    addPasskey: () =>
      askName({
        ...{ title: texts.addPasskey, name: texts.passkeyName, label: texts.next },
        pendingLabel: texts.passkeyPending,
        act: async (name, close) => {
          const response = await makePasskey(await send(passkeyOptions, {}))
          welcome(await send(createPasskey, { body: { name, response } }), close)
        },
      }),
    rename: ({ id, name: before }: SecondFactor) =>
      askName({
        ...{ title: texts.renameOf(before), name: before, label: texts.save },
        act: async (name, close) => {
          await send(renameFactor, { params: { id }, body: { name } })
          toast({ title: texts.saved, message: texts.renamed })
          close()
        },
      }),
    remove: ({ id, name }: SecondFactor, isLast: boolean) =>
      void confirm({
        title: texts.removeTitle(name),
        text: isLast ? texts.removeLast : texts.removeText,
        label: texts.remove,
        act: async () => {
          await send(removeFactor, { params: { id } })
          toast({ title: texts.saved, message: texts.removed })
        },
      }),
    renewCodes: () =>
      void confirm({
        ...{ title: texts.recoveryAsk, text: texts.recoveryAskText, label: texts.recoveryNew },
        act: async () => showCodes((await send(createRecoveryCodes, {})).recoveryCodes),
      }),
  }
}

/** Apps show the digits in two groups. */
const digitsOf = (code: string) => code.replace(/\s/g, '')

const CODE_FIELD = {
  ...{ label: texts.totpCode, name: 'code', autoComplete: 'one-time-code', maxLength: 10 },
  inputMode: 'numeric',
  check: (code: string) => (/^\d{6}$/.test(digitsOf(code)) ? undefined : texts.totpDigits),
} as const

const NAME_FIELD = {
  label: texts.nameLabel,
  description: texts.nameHint,
  maxLength: 60,
  check: (name: string) => (name.trim() === '' ? texts.nameProblem : undefined),
}

interface Naming {
  readonly title: string
  readonly name: string
  readonly label: string
  readonly pendingLabel?: string
  readonly act: (name: string, close: () => void) => Promise<void>
}

/** Asks what a factor is called. */
function askName({ act, name, ...words }: Naming): void {
  showDialog((close) => (
    <FormDialog
      {...words}
      field={{ ...NAME_FIELD, initial: name }}
      onSubmit={(entered) => attempt(() => act(entered.trim(), close))}
      onClose={close}
    />
  ))
}

/** The one time that recovery codes are readable. */
function showCodes(codes: readonly string[]): void {
  const text = codes.join('\n')
  showDialog((close) => (
    <OnceDialog
      title={texts.recovery}
      text={texts.recoveryOnce}
      storedLabel={texts.recoveryStored}
      onDone={close}
    >
      {() => (
        <>
          <CodeBlock title={texts.recovery} code={text} language="plain" label={texts.recovery} />
          <Group>
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon name="download" size={14} />}
              onClick={() => downloadText(texts.recoveryFile, `${text}\n`)}
            >
              {texts.recoveryDownload}
            </Button>
          </Group>
        </>
      )}
    </OnceDialog>
  ))
}
