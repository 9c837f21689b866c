import { Button, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Coloured } from './code-block.tsx'
import { CopyButton } from './copy.tsx'
import { downloadText } from './files.ts'
import { formatBytes } from './format.ts'
import { formatJson, isJson } from './format-json.ts'
import * as texts from './page-texts.ts'
import classes from './response-body.module.css'

/** More text than this makes the page slow; the rest can be downloaded. */
const SHOWN_LENGTH_MAX = 100_000

/**
 * The body of a response as it was received, every digit of it, and the buttons that format it and
 * copy it.
 */
export function useResponseBody(text: string): {
  readonly buttons: ReactNode
  readonly body: ReactNode
} {
  const [isFormatted, setFormatted] = useState(true)
  const isLong = text.length > SHOWN_LENGTH_MAX
  const canFormat = !isLong && isJson(text)
  const shown = text.slice(0, SHOWN_LENGTH_MAX)
  const buttons = (
    <>
      {canFormat && (
        <Button
          size="compact-xs"
          variant={isFormatted ? 'light' : 'default'}
          aria-pressed={isFormatted}
          onClick={() => setFormatted(!isFormatted)}
        >
          {texts.bodyFormat}
        </Button>
      )}
      <CopyButton value={text} label={texts.body} name={texts.bodyCopy} />
    </>
  )
  const body =
    text === '' ? (
      <Text fz="sm" c="dimmed" p="sm">
        {texts.bodyEmpty}
      </Text>
    ) : (
      <>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1). */}
        <section className={classes.box} tabIndex={0} aria-label={texts.bodyLabel}>
          <pre className={classes.body}>
            {canFormat && isFormatted ? (
              <Formatted json={shown} />
            ) : (
              <Coloured code={shown} language={canFormat ? 'json' : 'plain'} />
            )}
          </pre>
        </section>
        {isLong && (
          <div className={classes.cut}>
            {texts.bodyCut(formatBytes(shown.length), formatBytes(text.length))}{' '}
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => downloadText('response.txt', text)}
            >
              {texts.bodyDownload}
            </Button>
          </div>
        )}
      </>
    )
  return { buttons, body }
}

const NAME = /^("(?:[^"\\]|\\.)*":) /

/**
 * JSON with one value per line. Spaces and lines are drawn and are no text: what is shown, selected
 * and copied is what was received, digit for digit.
 */
function Formatted({ json }: { readonly json: string }) {
  return formatJson(json)
    .split('\n')
    .map((line, index) => {
      const text = line.trimStart()
      const [, name = ''] = NAME.exec(text) ?? []
      return (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text never move.
          key={index}
          className={classes.line}
          style={{ paddingLeft: `${line.length - text.length}ch` }}
        >
          {name !== '' && <span className={classes.name}>{name}</span>}
          <Coloured code={name === '' ? text : text.slice(name.length + 1)} language="json" />
        </span>
      )
    })
}
