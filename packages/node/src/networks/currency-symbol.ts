import { optionParsers as parse } from '@keelson/runtime'

/** Wallets reject longer symbols. */
export const MAX_SYMBOL_LENGTH = 11

export const currencySymbol = Object.assign(
  (value: unknown): string => {
    const text = parse.text(value)
    if (text.length <= MAX_SYMBOL_LENGTH) return text
    throw new parse.OptionValueError(`expected at most ${MAX_SYMBOL_LENGTH} characters, got ${text.length}: "${text.slice(0, 40)}"`)
  },
  { placeholder: '<symbol>', schema: parse.text.schema },
)
