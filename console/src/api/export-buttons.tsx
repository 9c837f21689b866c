import type { ButtonProps } from '@mantine/core'
import { useState } from 'react'
import type { Endpoint } from 'schema'
import { type FileFormat, saveExport } from './export-file.ts'
import { reportFailure } from './failures.tsx'
import { ActionButton } from './role.tsx'

const FORMATS = ['csv', 'jsonl'] as const

interface ExportButtonsProps {
  readonly endpoint: Endpoint
  /** What narrows the export, when its button is pressed. */
  readonly toQuery: () => object
  /** The first part of the file's name: `orders-2026-03-05.csv`. */
  readonly name: string
  readonly words: Readonly<Record<FileFormat | 'does' | 'failed', string>>
  readonly size?: ButtonProps['size']
}

/** Hands out all that passes a filter as a file. */
export function ExportButtons({ endpoint, toQuery, name, words, size = 'sm' }: ExportButtonsProps) {
  const [isSaving, setSaving] = useState(false)
  const save = async (format: FileFormat) => {
    setSaving(true)
    const day = new Date().toISOString().slice(0, 10)
    try {
      await saveExport(endpoint, { ...toQuery(), format }, `${name}-${day}.${format}`)
    } catch (error) {
      reportFailure(error, { fallback: words.failed })
    } finally {
      setSaving(false)
    }
  }
  return FORMATS.map((format) => (
    <ActionButton
      key={format}
      icon="download"
      size={size}
      disabled={isSaving}
      run={() => void save(format)}
      does={words.does}
      label={words[format]}
    />
  ))
}
