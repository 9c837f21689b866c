import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { OrderLife } from 'schema'
import { Card } from '../../components/card.tsx'
import { Coloured } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { formatJson, isJson } from '../../components/format-json.ts'
import { StatusTag } from '../../components/tag.tsx'
import classes from './order-life.module.css'
import * as texts from './texts.ts'

/** More text than this makes the page slow. */
const FORMATTED_LENGTH_MAX = 100_000

/** The stored response, byte for byte; formatted on request, which changes no digit. */
export function ResponseCard({ response }: Pick<OrderLife, 'response'>) {
  const [isFormatted, setFormatted] = useState(true)
  if (response === null)
    return (
      <Card title={texts.response.title}>
        <Text fz="sm" c="dimmed">
          {texts.response.none}
        </Text>
      </Card>
    )
  const { body, statusCode, contentType } = response
  const canFormat = body.length <= FORMATTED_LENGTH_MAX && isJson(body)
  return (
    <Card
      title={texts.response.title}
      description={texts.response.description}
      actions={
        <>
          {canFormat && (
            <Button
              size="compact-sm"
              variant={isFormatted ? 'light' : 'default'}
              aria-pressed={isFormatted}
              onClick={() => setFormatted(!isFormatted)}
            >
              {texts.response.format}
            </Button>
          )}
          <CopyButton value={body} label={texts.response.body} name={texts.response.copy} />
        </>
      }
    >
      <Group gap="xs" mb="sm">
        <StatusTag status={statusCode} />
        <Text fz="xs" c="dimmed">
          {contentType}
        </Text>
      </Group>
      {body === '' ? (
        <Text fz="sm" c="dimmed">
          {texts.response.empty}
        </Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
        <section tabIndex={0} aria-label={texts.response.label}>
          <pre className={classes.body}>
            <Coloured
              code={canFormat && isFormatted ? formatJson(body) : body}
              language={canFormat ? 'json' : 'plain'}
            />
          </pre>
        </section>
      )}
    </Card>
  )
}
