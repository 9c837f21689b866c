import type { Endpoint } from 'schema'
import { createFileSink, downloadBlob } from '../components/files.ts'
import { ApiError } from './api-error.ts'
import { type CallInput, endsSession, request } from './client.ts'
import { storedToken } from './session.ts'

export const FILES = {
  csv: { type: 'text/csv', ending: 'csv' },
  jsonl: { type: 'application/jsonl', ending: 'jsonl' },
  signed: { type: 'application/jsonl', ending: 'signed.jsonl' },
} as const
export type FileFormat = keyof typeof FILES

type Piece = Uint8Array<ArrayBuffer>

interface ExportOptions {
  readonly onPiece?: (piece: Piece) => void
  readonly signal?: AbortSignal
}

/**
 * Saves what the gateway exports, while it comes; nothing of an export that was cancelled.
 * @throws ApiError; TypeError when the gateway cannot be reached or breaks off
 */
export async function saveExport(
  endpoint: Endpoint,
  query: { readonly format: FileFormat },
  fileName: string,
  { onPiece, signal = new AbortController().signal }: ExportOptions = {},
): Promise<void> {
  const sink = await createFileSink()
  const take = async (piece: Piece) => {
    await sink.write(piece)
    onPiece?.(piece)
  }
  try {
    const isWhole = await readFile(endpoint, { query: { ...query } }, take, signal)
    if (isWhole) downloadBlob(fileName, await sink.finish(FILES[query.format].type))
    else await sink.discard()
  } catch (error) {
    await sink.discard()
    if (!signal.aborted) throw error
  }
}

/** Reads on behalf of the signed-in administrator. @returns false after a 401 */
async function readFile(
  endpoint: Endpoint,
  input: CallInput,
  onPiece: (piece: Piece) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const token = storedToken()
  const response = await request(endpoint, input, { token, signal })
  const { ok, status, statusText, headers, body } = response
  if (endsSession(response, token)) return false
  if (!ok)
    throw new ApiError(status, statusText, await response.text(), headers.get('x-request-id'))
  // Not `for await`: Safari cannot iterate over a stream yet.
  const reader = body?.getReader()
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (value !== undefined) await onPiece(value)
    if (done) return true
  }
}
