import type { ButtonProps } from '@mantine/core'
import { useState } from 'react'
import type { Endpoint } from 'schema'
import { FILES, type FileFormat, saveExport } from './export-file.ts'
import { reportFailure } from './failures.tsx'
import { ActionButton } from './role.tsx'

const FORMATS = ['csv', 'jsonl', 'signed'] as const

interface Words {
  readonly label: string
  readonly does: string
}

interface ExportButtonsProps {
  readonly endpoint: Endpoint
  /** What narrows the export, when its button is pressed. */
  readonly toQuery: (format: FileFormat) => object
  /** The first part of the file's name: `orders-2026-03-05.csv`. */
  readonly name: string
  /** Of the formats that there are. */
  readonly words: Partial<Readonly<Record<FileFormat, Words>>>
  readonly failed: string
  readonly size?: ButtonProps['size']
}

/** Hands out all that passes a filter as a file. */
export function ExportButtons(props: ExportButtonsProps) {
  const { endpoint, toQuery, name, words, failed, size = 'sm' } = props
  const [isSaving, setSaving] = useState(false)
  const save = async (format: FileFormat) => {
    setSaving(true)
    const day = new Date().toISOString().slice(0, 10)
    try {
      const fileName = `${name}-${day}.${FILES[format].ending}`
      await saveExport(endpoint, { ...toQuery(format), format }, fileName)
    } catch (error) {
      reportFailure(error, { fallback: failed })
    } finally {
      setSaving(false)
    }
  }
  return FORMATS.map((format) => {
    const { [format]: button } = words
    return (
      button && (
        <ActionButton
          key={format}
          {...button}
          icon="download"
          size={size}
          disabled={isSaving}
          run={() => void save(format)}
        />
      )
    )
  })
}
