import { Button, Group } from '@mantine/core'
import { CodeBlock } from '../../components/code-block.tsx'
import { downloadText } from '../../components/download-text.ts'
import { Icon } from '../../components/icons.tsx'
import { OnceDialog } from '../../components/once-dialog.tsx'
import * as texts from './texts.ts'

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[]
  readonly onDone: () => void
}

/** The one time that recovery codes are readable. */
export function RecoveryCodesDialog({ codes, onDone }: RecoveryCodesDialogProps) {
  const text = codes.join('\n')
  return (
    <OnceDialog
      title={texts.recovery}
      text={texts.recoveryOnce}
      storedLabel={texts.recoveryStored}
      doneLabel={texts.done}
      onDone={onDone}
    >
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
    </OnceDialog>
  )
}
