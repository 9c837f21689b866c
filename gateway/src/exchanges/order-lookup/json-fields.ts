import {
  fillJsonField,
  type JsonText,
  mapJsonField,
  mapJsonList,
  readJson,
} from '../protocol/json-text.ts'
import type { CallFields, ChangeEntry } from './order-protocol.ts'

/** The fields of a call are those of its JSON body. */
export const jsonFields: CallFields = {
  read: (_call, json) => json?.value,

  fill(call, json, fields) {
    const filled = Object.entries(fields).reduce(
      (text, [name, value]) => (text === undefined ? text : fillJsonField(text, name, value)),
      json,
    )
    return filled === undefined ? undefined : { ...call, body: filled.text }
  },

  fillList(call, json, field, change) {
    if (json === undefined) return call
    const body =
      field === undefined
        ? mapJsonList(json, change)
        : mapJsonField(json, field, (list) => fillWrittenList(list, change))
    return body === undefined || body === json.text ? call : { ...call, body }
  },
}

/** A list may be a text in JSON, as MEXC spot has it in its parameters. */
function fillWrittenList(list: JsonText, change: ChangeEntry): string | undefined {
  if (typeof list.value !== 'string') return mapJsonList(list, change)
  const changed = fillListText(list.value, change)
  return changed === undefined ? undefined : JSON.stringify(changed)
}

/** The text of a list with its entries changed; undefined when it is none, or nothing changes. */
export function fillListText(text: string, change: ChangeEntry): string | undefined {
  const list = readJson(text)
  const changed = list === undefined ? undefined : mapJsonList(list, change)
  return changed === text ? undefined : changed
}
