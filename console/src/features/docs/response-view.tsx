import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { ApiResponse } from '../../api/client.ts'
import { reasonPhrase } from '../../api/reason-phrase.ts'
import { Coloured } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { downloadText } from '../../components/download-text.ts'
import { formatBytes } from '../../components/format.ts'
import { formatJson, isJson } from '../../components/format-json.ts'
import { StatusTag } from '../../components/tag.tsx'
import classes from './docs.module.css'
import { ResponseFacts } from './response-facts.tsx'
import * as texts from './texts.ts'

/** More text than this makes the page slow; the rest can be downloaded. */
const SHOWN_LENGTH_MAX = 100_000

interface ResponseViewProps {
  readonly response: ApiResponse
  readonly tookMs: number
}

/** Status, facts and body of a response. The body is shown as received, every digit of it. */
export function ResponseView({ response, tookMs }: ResponseViewProps) {
  const { status, statusText, text } = response
  const [isFormatted, setFormatted] = useState(false)
  const isLong = text.length > SHOWN_LENGTH_MAX
  const canFormat = !isLong && isJson(text)
  const shown = text.slice(0, SHOWN_LENGTH_MAX)
  return (
    <>
      <div className={classes.responseBar}>
        <span role="status" className={classes.status}>
          <StatusTag status={status} /> {statusText || reasonPhrase(status)}
        </span>
        {canFormat && (
          <Button
            size="compact-xs"
            variant={isFormatted ? 'light' : 'default'}
            aria-pressed={isFormatted}
            onClick={() => setFormatted(!isFormatted)}
          >
            {texts.format}
          </Button>
        )}
        <CopyButton value={text} label={texts.body} name={texts.copyBody} />
      </div>
      <ResponseFacts response={response} tookMs={tookMs} />
      {text === '' ? (
        <Text fz="sm" c="dimmed" p="sm">
          {texts.emptyBody}
        </Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
        <section className={classes.bodyBox} tabIndex={0} aria-label={texts.responseBody}>
          <pre className={classes.body}>
            <Coloured
              code={isFormatted ? formatJson(shown) : shown}
              language={canFormat ? 'json' : 'plain'}
            />
          </pre>
        </section>
      )}
      {isLong && (
        <div className={classes.cut}>
          {texts.cut(formatBytes(shown.length), formatBytes(text.length))}{' '}
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => downloadText(`response-${status}.txt`, text)}
          >
            {texts.download}
          </Button>
        </div>
      )}
    </>
  )
}
