import { BigNumber } from 'bignumber.js'

// Readers for what an exchange sent: nothing about its shape is believed.

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The records of a list; of anything else none. */
export function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/**
 * Text, also of a number, which exchanges write either way; undefined for the rest and for the
 * empty text.
 */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' ? `${value}` : undefined
}

/**
 * An exchange's code as text. A number that is written with a fraction or an exponent, or as minus
 * zero, is the whole number that it is (`0E0` is `0`); a text such as `00000` stays.
 */
export function codeOf(value: unknown): string | undefined {
  const text = textOf(value)
  if (text === undefined || !/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)) return text
  const isPlain = /^\d+$|^-[1-9]\d*$/.test(text)
  const number = Number(text)
  return isPlain || !Number.isSafeInteger(number) ? text : `${number}`
}

/**
 * A decimal without an exponent (`1e-8` becomes `0.00000001`); undefined when it is not one or has
 * over 60 characters.
 */
export function decimalOf(value: unknown): string | undefined {
  const text = textOf(value)
  if (text === undefined || text.length > 60 || !/^-?\d+(\.\d+)?([eE][-+]?\d{1,2})?$/.test(text)) {
    return undefined
  }
  return new BigNumber(text).toFixed()
}

/** A time in Unix ms; undefined when it cannot be true (years 2020 to 2100). */
export function unixMsOf(value: unknown): number | undefined {
  const timeMs = Number(textOf(value) ?? Number.NaN)
  return timeMs > 1_577_836_800_000 && timeMs < 4_102_444_800_000 ? timeMs : undefined
}

/**
 * An exchange's words, fit for an error and a log line: no control or direction characters, at most
 * 200 characters.
 */
export function cleanWords(value: unknown): string {
  const words = (textOf(value) ?? '').slice(0, 2_000)
  return words
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()
}

/** A decimal above zero; undefined for zero too, which exchanges write where they have no limit. */
export function positiveOf(value: unknown): string | undefined {
  const decimal = decimalOf(value)
  return decimal !== undefined && new BigNumber(decimal).gt(0) ? decimal : undefined
}

/** A whole number from 0 to 1000: counts of decimals, leverage. */
export function smallIntegerOf(value: unknown): number | undefined {
  const number = Number(decimalOf(value) ?? Number.NaN)
  return Number.isInteger(number) && number >= 0 && number <= 1_000 ? number : undefined
}

/**
 * The text with a to z as capital letters. `toUpperCase` would also make an S of `ſ`, which no
 * exchange does.
 */
export function upperAscii<Text extends string | undefined>(text: Text): Text {
  return text?.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()) as Text
}

/** The same with small letters. */
export function lowerAscii(text: string | undefined): string | undefined {
  return text?.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
